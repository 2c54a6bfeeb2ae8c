"""Tables opened from a big screen: without a host at first, started when all players are ready, closed in time."""

from __future__ import annotations

from typing import Any

import pytest

from app.play.commands import messages as cmd
from app.play.join import enter, leave
from app.play.log.auto_start import START_DELAY_FREE_SEATS_MS, START_DELAY_FULL_MS
from app.play.log.table import Table
from app.play.log.terms import parse_terms
from app.play.ports import Actor
from app.play.refusals import Refusal
from app.play.room.subscribers import Subscriber
from app.play.schedule.due import DESERTED_TABLE_MS, EMPTY_TABLE_MS, MAX_SCREEN_TABLE_MS
from tests.play.stage import Guest, RecordingListener, Stage

TELEVISION = Actor(("p_television",), "Television")


async def open_screen_table(
    stage: Stage, players: int = 3, bots: tuple[str, ...] = (), **terms_json: Any
) -> str:
    await stage.register(TELEVISION)
    options = {"preset": "jamaica", "players": players}
    terms, _ = parse_terms({"visibility": "unlisted", **terms_json})
    row = await stage.game_server.create_table(TELEVISION, options, terms, list(bots), is_from_screen=True)
    return row.id


class Screen:
    """The page on the television: a spectator without a session."""

    def __init__(self, stage: Stage, game: str) -> None:
        self.stage = stage
        self.game = game
        self.listener = RecordingListener()
        self.subscriber = Subscriber(Actor((), ""), self.listener)

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
        block: dict[str, Any] = next(m["table"] for m in reversed(self.listener.received) if m.get("table"))
        return block

    def begins(self) -> int | None:
        """When the game starts automatically, as sent to the screen."""
        at: int | None = self.table["screen"]["begins"]
        return at


async def seat_player(stage: Stage, name: str, game: str) -> Guest:
    guest = await stage.guest(name).enter(game)
    await guest.sit()
    return guest


async def get_table(stage: Stage, game: str) -> Table:
    room = await stage.game_server.rooms.get(game)
    assert room is not None
    return room.table


async def read_status(stage: Stage, game: str) -> str:
    row = await stage.store.log.read_game(game)
    assert row is not None
    return row.status


# -- the host --------------------------------------------------------------------------------------


async def test_a_screen_table_has_a_host_only_while_someone_is_seated(stage: Stage) -> None:
    game = await open_screen_table(stage)
    screen = await Screen(stage, game).on()
    assert screen.table["host"] == ""
    assert screen.table["screen"] == {"begins": None}
    opener = await stage.guest("television").enter(game)
    assert opener.seat is None
    assert await opener.expect_refusal("bot", level="mate") == "not_host"
    assert await opener.expect_refusal("close") == "not_host"
    ann, bo = await seat_player(stage, "ann", game), await seat_player(stage, "bo", game)
    assert screen.table["host"] == ann.actor.id
    await ann.send("stand")
    assert screen.table["host"] == bo.actor.id
    await bo.send("stand")
    assert not screen.table["host"]
    await ann.sit()
    assert screen.table["host"] == ann.actor.id
    row = await stage.store.log.read_game(game)
    assert row is not None
    assert row.summary is not None
    assert row.summary.host == ann.actor.id


async def test_the_creator_of_a_plain_table_is_its_host(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann)
    bo = await seat_player(stage, "bo", game)
    table = await get_table(stage, game)
    assert (table.host, table.is_from_screen) == (ann.actor.id, False)
    assert "screen" not in bo.listener.last["table"]
    await bo.send("ready", ready=True)
    await stage.advance_and_sweep(60)
    assert (await get_table(stage, game)).seal_round is None


async def test_a_table_without_spectators_cannot_have_a_screen(stage: Stage) -> None:
    with pytest.raises(Refusal) as refused:
        await open_screen_table(stage, spectators=False)
    assert refused.value.code == "bad_options"


# -- the start -------------------------------------------------------------------------------------


async def test_a_screen_table_starts_when_all_seated_players_are_ready(stage: Stage) -> None:
    game = await open_screen_table(stage)
    screen = await Screen(stage, game).on()
    ann, bo = await seat_player(stage, "ann", game), await seat_player(stage, "bo", game)
    await ann.send("ready", ready=True)
    assert screen.begins() is None
    await stage.advance_and_sweep(60)
    assert (await get_table(stage, game)).seal_round is None
    await bo.send("ready", ready=True)
    assert screen.begins() == stage.clock.now() + START_DELAY_FREE_SEATS_MS
    await stage.advance_and_sweep(START_DELAY_FREE_SEATS_MS / 1000 - 1)
    assert (await get_table(stage, game)).seal_round is None
    await stage.advance_and_sweep(1)
    await stage.open_all_seals(game)
    table = await get_table(stage, game)
    assert (table.status, len(table.seats)) == ("running", 2)
    assert screen.listener.of_kind("table")[-1]["view"]["players"][0]["hand"] is None


async def test_a_player_who_sits_down_stops_the_countdown(stage: Stage) -> None:
    game = await open_screen_table(stage)
    ann, bo = await seat_player(stage, "ann", game), await seat_player(stage, "bo", game)
    for guest in (ann, bo):
        await guest.send("ready", ready=True)
    await stage.advance_and_sweep(START_DELAY_FREE_SEATS_MS / 1000 - 1)
    cy = await seat_player(stage, "cy", game)
    await stage.advance_and_sweep(60)
    assert (await get_table(stage, game)).seal_round is None
    await cy.send("ready", ready=True)  # now every seat is taken
    await stage.advance_and_sweep(START_DELAY_FULL_MS / 1000)
    await stage.open_all_seals(game)
    table = await get_table(stage, game)
    assert (table.status, len(table.seats)) == ("running", 3)


async def test_a_start_needs_a_person_besides_bots(stage: Stage) -> None:
    game = await open_screen_table(stage, 4, bots=("sailor", "mate"))
    screen = await Screen(stage, game).on()
    await stage.advance_and_sweep(60)
    assert screen.begins() is None
    ann = await seat_player(stage, "ann", game)
    await ann.send("bot", level="captain")
    await ann.send("ready", ready=True)
    await stage.advance_and_sweep(START_DELAY_FULL_MS / 1000)
    await stage.open_all_seals(game)
    table = await get_table(stage, game)
    assert (table.status, [seat.bot for seat in table.seats]) == (
        "running",
        [None, "captain", "sailor", "mate"],
    )


async def test_a_voided_start_is_retried_after_the_same_delay(stage: Stage) -> None:
    game = await open_screen_table(stage)
    screen = await Screen(stage, game).on()
    ann, bo = await seat_player(stage, "ann", game), await seat_player(stage, "bo", game)
    for guest in (ann, bo):
        await guest.send("ready", ready=True)
    await stage.advance_and_sweep(START_DELAY_FREE_SEATS_MS / 1000)
    await ann.open_seal()
    await bo.send_only("void", next_seal="ab" * 32)
    assert screen.begins() == stage.clock.now() + START_DELAY_FREE_SEATS_MS


# -- closing ---------------------------------------------------------------------------------------


async def test_a_screen_table_closes_after_its_screen_disconnects(stage: Stage) -> None:
    game = await open_screen_table(stage)
    screen = await Screen(stage, game).on()
    for _ in range(8):
        await stage.advance_and_sweep(EMPTY_TABLE_MS / 1000)
    assert await read_status(stage, game) == "open"
    await screen.off()
    await stage.advance_and_sweep(EMPTY_TABLE_MS / 1000 - 1)
    assert await read_status(stage, game) == "open"
    await stage.advance_and_sweep(2)
    assert await read_status(stage, game) == "closed"


async def test_a_screen_left_on_does_not_keep_its_table_for_ever(stage: Stage) -> None:
    game = await open_screen_table(stage)
    screen = await Screen(stage, game).on()
    await stage.advance_and_sweep(MAX_SCREEN_TABLE_MS / 1000 - 1)
    assert await read_status(stage, game) == "open"
    await stage.advance_and_sweep(2)
    assert await read_status(stage, game) == "closed"
    assert screen.table["closed_why"] == "empty"


async def test_a_seated_player_keeps_the_table_while_the_screen_is_on(stage: Stage) -> None:
    game = await open_screen_table(stage)
    screen = await Screen(stage, game).on()
    ann = await seat_player(stage, "ann", game)
    await ann.leave()  # the phone goes to sleep
    await stage.advance_and_sweep(MAX_SCREEN_TABLE_MS / 1000 + 60)
    assert await read_status(stage, game) == "open"
    await screen.off()
    await stage.advance_and_sweep(DESERTED_TABLE_MS / 1000 + 1)
    assert await read_status(stage, game) == "closed"
