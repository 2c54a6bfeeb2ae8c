"""The store fails while a client is being greeted."""

from __future__ import annotations

import pytest

from app.play.ports import StoreUnavailable
from tests.sockets.client import Clients


async def test_a_client_with_an_incomplete_greeting_is_told_to_reconnect(
    clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A welcomed client does not send hello again, so it would wait for chat and presence forever.

    This happened with a worker that was paused for some seconds: its query of the chat timed out.
    """
    ann, bo = await clients.game(2)
    await bo.command("chat", text="are you there?")
    await ann.leave()

    async def fail(*_: object) -> None:
        raise StoreUnavailable("gone")

    with monkeypatch.context() as away:
        away.setattr(clients.server.game_server.store.chat, "read_lines", fail)
        start = len(ann.log)
        await ann.join(ann.game, resume=True)
        await ann.until(lambda: ann.closed_with)
    told = [frame["t"] for frame in ann.log[start:]]
    assert told[0] == "welcome"
    assert "presence" not in told
    assert ann.log[-1]["code"] == "try_again"
    assert ann.closed_with == 1011

    start = len(ann.log)
    await ann.join(ann.game, resume=True)
    # A presence message may come in between.
    await ann.until(lambda: [frame for frame in ann.log[start:] if frame["t"] == "chat"])
    await ann.until(lambda: ann.log[-1]["t"] == "presence")
    assert ann.log[start]["t"] == "welcome"
