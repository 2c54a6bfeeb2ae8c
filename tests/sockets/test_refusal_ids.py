"""A refusal contains the id of the frame it answers: clients following docs/protocol.md wait for that id."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.sockets.client import Client, Clients, Refused, advance


async def refusal(client: Client, do: str, **fields: Any) -> dict[str, Any]:
    """Send a command and return the answer with its id."""
    with pytest.raises(Refused) as met:
        await client.command(do, **fields)
    return met.value.message


async def hurried(clients: Clients, client: Client) -> Client:
    """Connect another device of a person that has used up its frame limit."""
    assert clients.server._app is not None
    limits = clients.server._app.state.site.limits
    settings = limits.settings
    limits.settings = replace(settings, frames_per_second=0.01, frames_burst=1)
    twin = clients.twin(client)
    await twin.join(client.game)
    limits.settings = settings
    return twin


async def test_the_refusal_of_a_bad_message_has_its_id(clients: Clients) -> None:
    ann, _ = await clients.game(2)
    unknown = await refusal(ann, "ready", ready=True, colour="red", id="unknown-field")
    assert (unknown["code"], unknown["seq"]) == ("bad_message", ann.seq)
    assert "state" not in unknown
    assert (await refusal(ann, "dance", id="no-such-do"))["code"] == "bad_message"
    short = await refusal(ann, "stand", id="short")  # the id itself is invalid
    assert short["code"] == "bad_message"


async def test_the_refusal_of_a_bad_move_has_its_id_and_the_state(clients: Clients) -> None:
    ann, _ = await clients.game(2)
    for do, fields in (("act", {"version": -1, "action": {}}), ("undo", {"version": "x"})):
        told = await refusal(ann, do, id=f"bad-{do}-frame", **fields)
        assert told["code"] == "bad_message"
        assert told["state"]["seq"] == ann.seq
        assert told["state"]["choices"] == ann.choices


async def test_the_refusal_of_a_too_fast_move_has_its_id_and_the_state(clients: Clients) -> None:
    ann, _ = await clients.game(2)
    hasty = await hurried(clients, ann)
    told = await refusal(hasty, "act", version=ann.seq, action=advance(ann), id="much-too-fast")
    assert told["code"] == "too_fast"
    assert told["state"]["choices"] == ann.choices
    assert told["state"]["you"] == {"seat": 0}
    other = await refusal(hasty, "chat", text="hello", id="chat-too-fast")
    assert (other["code"], "state" in other) == ("too_fast", False)


async def test_the_refusal_of_a_too_fast_frame_shows_a_spectator_no_hand(clients: Clients) -> None:
    ann, _ = await clients.game(2)
    watcher = await clients.person()
    watcher.game = ann.game
    hasty = await hurried(clients, watcher)
    told = await refusal(hasty, "act", version=ann.seq, action={"type": "end"}, id="not-my-seat")
    assert told["state"]["you"] == {"seat": None}
    assert told["state"]["view"] == hasty.view
    assert "choices" not in told["state"]


async def test_refusals_of_the_lobby_have_the_id(clients: Clients) -> None:
    ann = await clients.person()
    link = await ann.open("/ws/lobby")
    ann.link = link
    await ann.say("hello", v=2, id="lobby-has-none")
    told = await link.recv()
    assert '"id":"lobby-has-none"' in str(told)
    await link.close()
