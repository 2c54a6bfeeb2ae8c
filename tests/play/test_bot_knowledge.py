"""What a bot is sent: the events that its seat has seen, of the newest actions only."""

from __future__ import annotations

from typing import Any

import pytest

from app.play.sweep.bot_turns import choose_bot_action, find_hint
from tests.play.simple_bot import SimpleBot
from tests.play.stage import Stage, position_of


class Listener(SimpleBot):
    """Notes the history of each request."""

    def __init__(self) -> None:
        self.histories: list[Any] = []

    async def choose(self, view: Any, actions: Any, history: Any, *args: Any, **named: Any) -> Any:
        self.histories.append(history)
        return await super().choose(view, actions, history, *args, **named)


async def test_a_bot_of_a_very_long_game_knows_its_newest_actions(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener = Listener()
    object.__setattr__(stage.game_server.context, "bots", listener)
    (ann,) = await stage.start_game("ann", preset="tortuga", bots=["sailor"], pace=800, hints=True)
    room = await ann.room()
    for _ in range(3):
        first = room.table.rules.legal(position_of(room), 0)[0]
        await ann.act(room.table.rules.action_to_json(first))
    await ann.act({"type": "end"})
    await choose_bot_action(room, room.table, 1, "sailor")
    monkeypatch.setattr("app.play.sweep.bot_turns.MAX_KNOWN_ACTIONS", 2)
    await choose_bot_action(room, room.table, 1, "sailor")
    await find_hint(room, room.table, 1, "ann")
    whole, *newest = listener.histories
    assert [event["type"] for event in whole] == ["advanced"] * 3 + ["turn_passed"]
    assert newest == [whole[-2:]] * 2
