"""Somebody is let in, and the store goes away before they have been told everything."""

from __future__ import annotations

import pytest

from app.play.ports import StoreUnavailable
from tests.sockets.client import Clients


async def test_who_was_welcomed_but_not_told_everything_is_sent_back_to_the_door(
    clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that was welcomed does not say hello again, so it would wait for chat and presence for ever.

    Met with a worker that was stopped for some seconds: when it went on, its reading of the chat was too late.
    """
    ann, bo = await clients.game(2)
    await bo.command("chat", text="are you there?")
    await ann.leave()

    async def fail(*_: object) -> None:
        raise StoreUnavailable("gone")

    with monkeypatch.context() as away:
        away.setattr(clients.server.game_server.store, "chat", fail)
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
    # Who is here may be told to all in between.
    await ann.until(lambda: [frame for frame in ann.log[start:] if frame["t"] == "chat"])
    await ann.until(lambda: ann.log[-1]["t"] == "presence")
    assert ann.log[start]["t"] == "welcome"
