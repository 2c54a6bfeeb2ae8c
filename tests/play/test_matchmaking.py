"""Quick play finds the newest table with a waiting player, in any worker and behind any number of empty tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import update

from app.play.lobby import LobbySubscriber
from app.play.log.entries import Entry
from app.play.matchmaking import find_rated_table
from app.play.matchmaking import find_table as fitting_row
from app.play.ports import Actor
from app.play.room.room import Room
from app.play.server import GameServer
from app.ratings.model import Value
from app.ratings.pools import Pool
from app.store.tables.games import games
from tests.databases import begin
from tests.play.stage import Guest, RecordingListener, Stage


async def find_table_id(game_server: GameServer, actor: Actor, preset: str, seats: int) -> str | None:
    row = await fitting_row(game_server, actor, preset, seats)
    return None if row is None else row.id


async def seat_player(stage: Stage, name: str, game_server: object = None, **terms_json: object) -> Guest:
    guest = stage.guest(name, game_server)  # type: ignore[arg-type]
    game = await stage.open_table(guest, "tortuga", 3, **terms_json)
    await guest.enter(game)
    await guest.sit()
    return guest


async def test_a_table_with_a_waiting_player_is_found_behind_many_empty_ones(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.play.matchmaking.PAGE_SIZE", 3)
    ann = await seat_player(stage, "ann")
    cy = stage.guest("cy")
    for n in range(7):
        await stage.open_table(stage.guest(f"gone{n}"), "tortuga", 3)
    loaded = len(stage.game_server.rooms)
    assert await find_table_id(stage.game_server, cy.actor, "tortuga", 3) == ann.game
    assert len(stage.game_server.rooms) == loaded  # empty tables are not loaded
    assert await find_table_id(stage.game_server, cy.actor, "tortuga", 2) is None
    assert await find_table_id(stage.game_server, cy.actor, "jamaica", 3) is None


async def test_tables_with_unusual_terms_are_skipped(stage: Stage) -> None:
    wim = stage.guest("wim")
    surprises: list[dict[str, Any]] = [
        {"visibility": "password", "password": "rum"},
        {"visibility": "unlisted"},
        {"clock": {"kind": "days", "days": 1}},
        {"options": {"scoundrels": True}},
    ]
    for n, terms_json in enumerate(surprises):
        await seat_player(stage, f"host{n}", **terms_json)
    assert await find_table_id(stage.game_server, wim.actor, "tortuga", 3) is None
    turn = await seat_player(stage, "ann", clock={"kind": "turn", "seconds": 60})
    assert await find_table_id(stage.game_server, wim.actor, "tortuga", 3) == turn.game
    assert await find_table_id(stage.game_server, turn.actor, "tortuga", 3) == turn.game  # their own table
    await turn.leave()
    assert await find_table_id(stage.game_server, wim.actor, "tortuga", 3) is None


async def test_a_creator_who_was_removed_is_not_sent_back_to_the_table(stage: Stage) -> None:
    ann = await seat_player(stage, "ann")
    bo = await stage.guest("bo").enter(ann.game)
    await bo.sit()
    await ann.send("host", seat=1)
    await bo.send("remove", seat=0)
    assert await ann.expect_refusal("sit") == "removed"
    assert await find_table_id(stage.game_server, ann.actor, "tortuga", 3) is None
    for guest in (ann, bo):
        await guest.leave()
    stage.game_server.rooms.evict(stage.clock.now() + 10**9)
    assert stage.game_server.rooms.get_loaded(ann.game) is None
    assert await find_table_id(stage.game_server, ann.actor, "tortuga", 3) is None
    await (await stage.guest("bo").enter(ann.game)).send("readmit")
    assert await find_table_id(stage.game_server, ann.actor, "tortuga", 3) == ann.game


async def test_a_table_without_seals_is_not_found_because_nobody_can_sit_down(stage: Stage) -> None:
    stage.game_server.new_table_version = 1  # as release 0.1.0 opened them on request
    ann = stage.guest("ann")
    await ann.enter(await stage.open_table(ann, "tortuga", 3))
    assert await find_table_id(stage.game_server, ann.actor, "tortuga", 3) is None


async def test_a_player_waiting_in_another_worker_is_found(shared_stage: Stage) -> None:
    other = await shared_stage.add_worker()
    ann = await seat_player(shared_stage, "ann")
    shared_stage.game_server.presence.flush()
    await shared_stage.open_table(shared_stage.guest("gone"), "tortuga", 3)
    wim = shared_stage.guest("wim", other)
    assert other.rooms.get_loaded(ann.game) is None
    assert await find_table_id(other, wim.actor, "tortuga", 3) == ann.game


async def test_tables_that_cannot_be_read_do_not_stop_the_search(
    shared_stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = await shared_stage.add_worker()
    ann = await seat_player(shared_stage, "ann")
    shared_stage.game_server.presence.flush()
    wim = shared_stage.guest("wim", other)
    broken = [await shared_stage.open_table(guest, "tortuga", 3) for guest in (wim, shared_stage.guest("bo"))]
    load_entries = Room.load_entries

    def load_broken_entries(room: Room, entries: list[Entry]) -> None:
        if room.id in broken:
            raise ValueError("broken entry")
        load_entries(room, entries)

    monkeypatch.setattr(Room, "load_entries", load_broken_entries)
    assert await find_table_id(other, wim.actor, "tortuga", 3) == ann.game


async def test_the_open_list_counts_the_people_whom_quick_play_finds(stage: Stage) -> None:
    wim, listener = stage.guest("wim"), RecordingListener()
    lobby = stage.game_server.lobby
    subscriber = LobbySubscriber(wim.actor, listener)
    lobby.enter(subscriber)
    await stage.open_table(stage.guest("gone"), "tortuga", 3)
    with_bot = await seat_player(stage, "bo", bots=["sailor"])
    locked = await seat_player(stage, "cy", visibility="password", password="rum")
    slow = await seat_player(stage, "dee", clock={"kind": "bank", "seconds": 600, "increment": 5})
    ann = await seat_player(stage, "ann")

    async def count_waiting() -> dict[str, int]:
        return {row["id"]: row["waiting"] for row in (await lobby.build_lists(subscriber)).open}

    assert await count_waiting() == {with_bot.game: 1, locked.game: 0, slow.game: 0, ann.game: 1}
    assert listener.of_kind("room")[-1]["room"]["waiting"] == 1
    listener.received.clear()
    await wim.enter(ann.game)  # a spectator does not wait
    assert not listener.received
    await ann.leave()
    assert [row["room"]["waiting"] for row in listener.of_kind("room")] == [0]
    assert (await count_waiting())[ann.game] == 0
    await ann.enter(ann.game)
    assert [row["room"]["waiting"] for row in listener.of_kind("room")] == [0, 1]


async def test_people_who_wait_in_another_worker_are_counted(shared_stage: Stage) -> None:
    other = await shared_stage.add_worker()
    listener = RecordingListener()
    subscriber = LobbySubscriber(shared_stage.guest("wim").actor, listener)
    other.lobby.enter(subscriber)
    ann = await seat_player(shared_stage, "ann")
    assert other.rooms.get_loaded(ann.game) is None
    assert [row["waiting"] for row in (await other.lobby.build_lists(subscriber)).open] == [1]
    assert listener.of_kind("room")[-1]["room"]["waiting"] == 1
    await other.rooms.get(ann.game)
    await ann.leave()
    assert listener.of_kind("room")[-1]["room"]["waiting"] == 0
    assert [row["waiting"] for row in (await other.lobby.build_lists(subscriber)).open] == [0]


# -- rated quick play ------------------------------------------------------------------------------

NUMBERS = {"p_ann": 1500, "p_bo": 1530, "p_cy": 1700, "p_di": 2400}


async def read_values(people: Sequence[str], pool: Pool) -> dict[str, Value]:
    assert pool == "group-open"
    return {person: Value(25 + (NUMBERS[person] - 1500) / 30, 3.0) for person in people}


async def seat_rated(stage: Stage, name: str) -> Guest:
    guest = stage.guest(name).with_account()
    game = await stage.open_table(guest, "tortuga", 3, rated=True)
    await guest.enter(game)
    await guest.sit()
    return guest


async def find_rated(stage: Stage, guest: Guest) -> str | None:
    row = await find_rated_table(stage.game_server, guest.actor, "tortuga", 3, read_values)
    return None if row is None else row.id


async def test_rated_quick_play_chooses_the_closest_ratings(stage: Stage) -> None:
    bo = await seat_rated(stage, "bo")
    cy = await seat_rated(stage, "cy")  # newer, but further away
    ann = stage.guest("ann").with_account()
    assert await find_rated(stage, ann) == bo.game
    await bo.leave()
    assert await find_rated(stage, ann) is None
    assert cy.game


async def test_the_accepted_distance_grows_while_a_table_waits(stage: Stage) -> None:
    cy = await seat_rated(stage, "cy")
    ann = stage.guest("ann").with_account()
    assert NUMBERS["p_cy"] - NUMBERS["p_ann"] == 200
    await stage.advance_clock(19.9)
    assert await find_rated(stage, ann) is None
    await stage.advance_clock(0.1)
    assert await find_rated(stage, ann) == cy.game
    di = stage.guest("di").with_account()
    assert await find_rated(stage, di) is None
    await stage.advance_clock(99)
    assert await find_rated(stage, di) is None
    await stage.advance_clock(1)
    assert await find_rated(stage, di) == cy.game


async def test_rated_and_unrated_quick_play_do_not_find_each_other_s_tables(stage: Stage) -> None:
    ann = await seat_player(stage, "ann")
    bo = await seat_rated(stage, "bo")
    wim = stage.guest("cy").with_account()
    assert await find_table_id(stage.game_server, wim.actor, "tortuga", 3) == ann.game
    await stage.advance_clock(60)
    assert await find_rated(stage, wim) == bo.game


async def test_one_s_own_rated_table_is_chosen_only_if_no_other_one_is_close(stage: Stage) -> None:
    ann = await seat_rated(stage, "ann")
    cy = await seat_rated(stage, "cy")
    assert await find_rated(stage, ann) == ann.game
    await stage.advance_clock(20)
    assert await find_rated(stage, ann) == cy.game
    assert await find_rated(stage, cy) == ann.game


async def test_a_table_of_a_newer_release_hides_no_other_table(stage: Stage) -> None:
    ann = await seat_player(stage, "ann", visibility="open")
    newer = await seat_player(stage, "newer", visibility="open")
    await newer.leave()
    async with begin(stage.store.database) as run:
        terms = {"visibility": "open", "clock": {"kind": "sandglass"}}
        await run.execute(update(games).where(games.c.id == newer.game).values(terms=json.dumps(terms)))
    stage.game_server.rooms.evict(stage.clock.now() + 10**9)
    lobby = stage.game_server.lobby
    assert [row["id"] for row in await lobby.read_rows("open")] == [ann.game]
    assert await lobby.read_own_games(newer.actor) == []
    assert await find_table_id(stage.game_server, stage.guest("cy").actor, "tortuga", 3) == ann.game
    listener = RecordingListener()
    lobby.enter(LobbySubscriber(ann.actor, listener))
    await lobby.on_renamed([*newer.actor.ids, *ann.actor.ids])
    assert listener.received == []  # ann's loaded room sends its own row
