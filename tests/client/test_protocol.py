"""The protocol client without a connection: the messages it sends, and the effect of each frame of docs/protocol.md."""

from __future__ import annotations

from typing import Any

import pytest

from app.client.protocol import VERSION, GameProtocol

Json = dict[str, Any]

WELCOME = {"t": "welcome", "v": VERSION, "seq": 3, "you": {"seat": 1}}
TABLE = {"status": "running", "seats": []}


def state(seq: int, **more: Any) -> Json:
    return {"t": "state", "seq": seq, "you": {"seat": 1}, "table": TABLE, "view": {"turn": 0}, **more}


@pytest.fixture
def client() -> GameProtocol:
    """A client at a table with three log entries."""
    client = GameProtocol()
    client.receive(WELCOME)
    client.receive(state(3, choices=[{"action": {"type": "end"}}], undo=True, clock={"left": [1]}))
    return client


def test_the_first_hello_asks_for_the_state_and_the_next_for_missed_entries(client: GameProtocol):
    new = GameProtocol()
    new.password = "open sesame"
    assert new.hello() == {"do": "hello", "v": VERSION, "password": "open sesame"}
    assert client.hello() == {"do": "hello", "v": VERSION, "seq": 3}
    assert not client.is_welcome


def test_a_command_is_pending_until_its_id_is_answered(client: GameProtocol):
    move, line = client.begin("act", version=3), client.begin("chat", text="ahoy")
    client.receive({"t": "ack", "ack": "another", "seq": 3})
    assert list(client.pending.values()) == [move, line]
    client.receive({"t": "events", "seq": 4, "events": [], "ack": move["id"]})
    client.receive({"t": "refused", "id": line["id"], "code": "muted", "message": "Quiet."})
    assert client.pending == {}


def test_a_command_is_resent_under_the_same_id(client: GameProtocol):
    move, line = client.begin("act", version=3), client.begin("chat", text="ahoy")
    named = {"t": "refused", "id": line["id"], "code": "try_again", "message": "Again."}
    client.receive(named)
    assert client.messages_to_resend(named) == [line]
    assert client.messages_to_resend({**named, "id": None}) == [move, line]
    hello = client.hello()
    assert client.messages_to_resend({**named, "id": None}) == [hello]


def test_each_numbered_frame_replaces_the_choices(client: GameProtocol):
    client.receive({"t": "hint", "seq": 9, "action": {}, "ack": "h"})
    assert (client.seq, client.may_undo, len(client.choices)) == (3, True, 1)
    client.receive({"t": "events", "seq": 4, "events": []})
    assert (client.seq, client.may_undo, client.choices) == (4, False, [])
    assert client.clock == {"left": [1]}
    client.receive(
        {"t": "table", "seq": 5, "kind": "left", "you": {"seat": None}, "table": {"status": "closed"}}
    )
    assert client.seat is None
    assert client.is_over
    assert client.view == {"turn": 0}
    assert client.problems == []


def test_a_state_inside_a_refusal_is_a_state(client: GameProtocol):
    stale = {"t": "refused", "id": "x", "code": "stale", "message": "Look again.", "state": state(8)}
    client.receive(stale)
    assert (client.seq, client.choices, client.refusal) == (8, [], stale)


@pytest.mark.parametrize(
    "frame",
    [
        {"t": "events", "seq": 3, "events": []},
        {"t": "events", "seq": 5, "events": []},
        {"t": "table", "seq": 2, "kind": "ready", "you": {"seat": 1}, "table": TABLE},
        state(2),
    ],
)
def test_gaps_duplicates_and_steps_back_are_reported(client: GameProtocol, frame: Json):
    client.receive(frame)
    assert len(client.problems) == 1


def test_an_entry_before_any_state_is_reported():
    client = GameProtocol()
    client.receive({"t": "events", "seq": 1, "events": []})
    assert client.problems == ["events 1 after 0"]
