"""A table opened from a big screen: nobody's at first, it begins when all who sit are ready, and closes in time."""

from __future__ import annotations

from typing import Any

import pytest

from app.play.commands import messages as cmd
from app.play.join import enter, leave
from app.play.log.beginning import GATHERED, GATHERING
from app.play.log.table import Table
from app.play.log.terms import parse_terms
from app.play.ports import Actor
from app.play.refusals import Refusal
from app.play.room.subscribers import Subscriber
from app.play.schedule.due import EMPTY, FORSAKEN, LEFT_ON
from tests.play.stage import Ear, Guest, Stage

TELEVISION = Actor(("p_television",), "Television")


async def opened(stage: Stage, players: int = 3, bots: tuple[str, ...] = (), **wishes: Any) -> str:
    await stage.enrol(TELEVISION)
    options = {"preset": "jamaica", "players": players}
    terms, _ = parse_terms({"visibility": "unlisted", **wishes})
    row = await stage.game_server.create(TELEVISION, options, terms, list(bots), is_from_screen=True)
    return row.id


class Screen:
    """The page on the television: a spectator without a name."""

    def __init__(self, stage: Stage, game: str) -> None:
        self.stage = stage
        self.game = game
        self.ear = Ear()
        self.subscriber = Subscriber(Actor((), ""), self.ear)

    async def on(self) -> Screen:
        room = await self.stage.game_server.rooms.get(self.game)
        assert room is not None
        await enter(self.stage.game_server, room, self.subscriber, cmd.Hello(v=2))
        return self

    async def off(self) -> None:
        room = await self.stage.game_server.rooms.get(self.game)
        assert room is not None
        await leave(self.stage.game_server, room, self.subscriber)

    @property
    def table(self) -> dict[str, Any]:
        told: dict[str, Any] = next(m["table"] for m in reversed(self.ear.heard) if m.get("table"))
        return told

    def begins(self) -> int | None:
        """When the game begins by itself, as the screen was told."""
        at: int | None = self.table["screen"]["begins"]
        return at


async def sits(stage: Stage, name: str, game: str) -> Guest:
    guest = await stage.guest(name).come(game)
    await guest.sit()
    return guest


async def table_of(stage: Stage, game: str) -> Table:
    room = await stage.game_server.rooms.get(game)
    assert room is not None
    return room.table


async def status(stage: Stage, game: str) -> str:
    row = await stage.store.game(game)
    assert row is not None
    return row.status


# -- nobody's --------------------------------------------------------------------------------------


async def test_nobody_is_host_until_somebody_sits_and_again_when_nobody_does(stage: Stage) -> None:
    game = await opened(stage)
    screen = await Screen(stage, game).on()
    assert screen.table["host"] == ""
    assert screen.table["screen"] == {"begins": None}
    opener = await stage.guest("television").come(game)
    assert opener.seat is None
    assert await opener.refused("bot", level="mate") == "not_host"
    assert await opener.refused("close") == "not_host"
    ann, bo = await sits(stage, "ann", game), await sits(stage, "bo", game)
    assert screen.table["host"] == ann.actor.id
    await ann.send("stand")
    assert screen.table["host"] == bo.actor.id
    await bo.send("stand")
    assert not screen.table["host"]
    await ann.sit()
    assert screen.table["host"] == ann.actor.id
    row = await stage.store.game(game)
    assert row is not None
    assert row.summary is not None
    assert row.summary.host == ann.actor.id


async def test_a_plain_table_is_its_creators_as_before(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann)
    bo = await sits(stage, "bo", game)
    table = await table_of(stage, game)
    assert (table.host, table.is_from_screen) == (ann.actor.id, False)
    assert "screen" not in bo.ear.last["table"]
    await bo.send("ready", ready=True)
    await stage.pass_time(60)
    assert (await table_of(stage, game)).round is None


async def test_a_table_that_nobody_may_watch_has_no_screen(stage: Stage) -> None:
    with pytest.raises(Refusal) as refused:
        await opened(stage, spectators=False)
    assert refused.value.code == "bad_options"


# -- the start -------------------------------------------------------------------------------------


async def test_it_begins_when_all_who_sit_are_ready(stage: Stage) -> None:
    game = await opened(stage)
    screen = await Screen(stage, game).on()
    ann, bo = await sits(stage, "ann", game), await sits(stage, "bo", game)
    await ann.send("ready", ready=True)
    assert screen.begins() is None
    await stage.pass_time(60)
    assert (await table_of(stage, game)).round is None
    await bo.send("ready", ready=True)
    assert screen.begins() == stage.clock.now() + GATHERING
    await stage.pass_time(GATHERING / 1000 - 1)
    assert (await table_of(stage, game)).round is None
    await stage.pass_time(1)
    await stage.open_all(game)
    table = await table_of(stage, game)
    assert (table.status, len(table.seats)) == ("running", 2)
    assert screen.ear.of("table")[-1]["view"]["players"][0]["hand"] is None


async def test_whoever_sits_down_meanwhile_is_waited_for(stage: Stage) -> None:
    game = await opened(stage)
    ann, bo = await sits(stage, "ann", game), await sits(stage, "bo", game)
    for guest in (ann, bo):
        await guest.send("ready", ready=True)
    await stage.pass_time(GATHERING / 1000 - 1)
    cy = await sits(stage, "cy", game)
    await stage.pass_time(60)
    assert (await table_of(stage, game)).round is None
    await cy.send("ready", ready=True)  # now every seat is taken
    await stage.pass_time(GATHERED / 1000)
    await stage.open_all(game)
    table = await table_of(stage, game)
    assert (table.status, len(table.seats)) == ("running", 3)


async def test_one_person_and_a_bot_are_enough_and_bots_alone_are_not(stage: Stage) -> None:
    game = await opened(stage, 4, bots=("sailor", "mate"))
    screen = await Screen(stage, game).on()
    await stage.pass_time(60)
    assert screen.begins() is None
    ann = await sits(stage, "ann", game)
    await ann.send("bot", level="captain")
    await ann.send("ready", ready=True)
    await stage.pass_time(GATHERED / 1000)
    await stage.open_all(game)
    table = await table_of(stage, game)
    assert (table.status, [seat.bot for seat in table.seats]) == (
        "running",
        [None, "captain", "sailor", "mate"],
    )


async def test_a_start_that_came_to_nothing_is_tried_again_after_the_same_wait(stage: Stage) -> None:
    game = await opened(stage)
    screen = await Screen(stage, game).on()
    ann, bo = await sits(stage, "ann", game), await sits(stage, "bo", game)
    for guest in (ann, bo):
        await guest.send("ready", ready=True)
    await stage.pass_time(GATHERING / 1000)
    await ann.open()
    await bo.plainly("void", next_seal="ab" * 32)
    assert screen.begins() == stage.clock.now() + GATHERING


# -- closing ---------------------------------------------------------------------------------------


async def test_it_stays_while_its_screen_is_on_and_closes_when_that_is_off(stage: Stage) -> None:
    game = await opened(stage)
    screen = await Screen(stage, game).on()
    for _ in range(8):
        await stage.pass_time(EMPTY / 1000)
    assert await status(stage, game) == "open"
    await screen.off()
    await stage.pass_time(EMPTY / 1000 - 1)
    assert await status(stage, game) == "open"
    await stage.pass_time(2)
    assert await status(stage, game) == "closed"


async def test_a_screen_that_was_left_on_keeps_no_table_for_ever(stage: Stage) -> None:
    game = await opened(stage)
    screen = await Screen(stage, game).on()
    await stage.pass_time(LEFT_ON / 1000 - 1)
    assert await status(stage, game) == "open"
    await stage.pass_time(2)
    assert await status(stage, game) == "closed"
    assert screen.table["closed_why"] == "empty"


async def test_somebody_who_sits_keeps_it_while_the_screen_is_on_and_not_for_long_after(stage: Stage) -> None:
    game = await opened(stage)
    screen = await Screen(stage, game).on()
    ann = await sits(stage, "ann", game)
    await ann.go()  # a phone that sleeps
    await stage.pass_time(LEFT_ON / 1000 + 60)
    assert await status(stage, game) == "open"
    await screen.off()
    await stage.pass_time(FORSAKEN / 1000 + 1)
    assert await status(stage, game) == "closed"
