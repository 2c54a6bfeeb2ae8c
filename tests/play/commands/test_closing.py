"""Before the start: the host closes a table, a deserted table closes itself, a removed player is told so."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from app.bus.local import Hub
from app.play.lobby import LobbySubscriber
from app.play.log.entries import Entry
from app.play.room.room import Room
from app.play.schedule.due import DESERTED_TABLE_MS, EMPTY_TABLE_MS, FORGOTTEN_TABLE_MS
from app.play.stand_up import stand_up_everywhere
from app.store.tables.people import players
from tests.databases import begin
from tests.play.stage import Guest, RecordingListener, Stage, open_stage
from tests.play.sync.test_resync import wait_until

MINUTE = 60


async def seat_players(stage: Stage, *names: str, **terms_json: Any) -> list[Guest]:
    """Return players seated at a table that has not started."""
    guests = [stage.guest(name) for name in names]
    game = await stage.open_table(guests[0], players=max(2, len(names)), **terms_json)
    for guest in guests:
        await guest.enter(game)
        await guest.sit()
    return guests


async def read_status(stage: Stage, game: str) -> str:
    row = await stage.store.log.read_game(game)
    assert row is not None
    return row.status


async def list_open_tables(stage: Stage) -> list[str]:
    listener = RecordingListener()
    subscriber = LobbySubscriber(stage.guest("looker").actor, listener)
    return [row["id"] for row in (await stage.game_server.lobby.build_lists(subscriber)).open]


# -- the host --------------------------------------------------------------------------------------


async def test_everyone_learns_why_the_host_closed_a_table(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo")
    wim = await stage.guest("wim").enter(ann.game)
    assert await bo.expect_refusal("close") == "not_host"
    assert await wim.expect_refusal("close") == "not_host"
    await ann.send("close")
    for guest in (ann, bo, wim):
        assert (guest.listener.last["kind"], guest.listener.last["table"]["status"]) == ("closed", "closed")
        assert guest.listener.last["table"]["closed_why"] == "host"
        assert guest.listener.end_reason is None  # they stay connected and see the reason
    assert await read_status(stage, ann.game) == "closed"
    assert await bo.expect_refusal("sit") == "closed"
    assert await ann.expect_refusal("close") == "closed"
    late = await stage.guest("late").enter(ann.game)
    assert late.listener.of_kind("state")[-1]["table"]["closed_why"] == "host"


async def test_a_game_that_has_begun_cannot_be_closed_by_its_host(stage: Stage) -> None:
    ann, _ = await stage.start_game("ann", "bo")
    assert await ann.expect_refusal("close") == "started"


async def test_a_table_can_be_closed_while_seals_are_opened(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo")
    for guest in (ann, bo):
        await guest.send("ready", ready=True)
    await ann.send_only("start")
    assert bo.listener.last["table"]["opening"] is not None
    await ann.send("close")
    assert bo.listener.last["table"]["opening"] is None
    assert await read_status(stage, ann.game) == "closed"


async def test_everyone_is_disconnected_when_the_operator_closes_a_table(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo")
    await stage.game_server.close_room(ann.game, "host")  # whatever reason the operator gave
    assert (bo.listener.last["table"]["closed_why"], bo.listener.end_reason) == ("operator", "closed")


# -- deserted tables -------------------------------------------------------------------------------


async def test_an_empty_table_is_unlisted_and_closes_itself(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann)
    assert await list_open_tables(stage) == []
    await ann.enter(game)
    await stage.advance_and_sweep(EMPTY_TABLE_MS / 1000 + 1)
    assert await read_status(stage, game) == "open"  # a client is present
    await ann.leave()
    await stage.advance_and_sweep(EMPTY_TABLE_MS / 1000 - 10)
    assert await read_status(stage, game) == "open"
    await stage.advance_and_sweep(20)
    assert await read_status(stage, game) == "closed"
    assert (await stage.store.log.read_entries(game))[-1].body == {"why": "empty"}
    assert stage.metrics.missed_wakeups == 0


async def test_a_table_that_was_never_entered_closes_itself(stage: Stage) -> None:
    game = await stage.open_table(stage.guest("ann"))
    assert stage.game_server.rooms.get_loaded(game) is None
    for _ in range(3):  # the first sweep loads the room and gives players time to reconnect
        await stage.advance_and_sweep(EMPTY_TABLE_MS / 1000)
    assert await read_status(stage, game) == "closed"


async def test_after_a_restart_players_have_time_to_reconnect(stage: Stage) -> None:
    (ann,) = await seat_players(stage, "ann")
    await ann.leave()
    stage.game_server.rooms.evict(stage.clock.now() + 10**9)  # a new worker does not know who is present
    await stage.advance_and_sweep(DESERTED_TABLE_MS / 1000 + MINUTE)
    assert await read_status(stage, ann.game) == "open"
    await stage.guest("ann").enter(ann.game)
    await stage.advance_and_sweep(DESERTED_TABLE_MS / 1000 - MINUTE)
    assert await read_status(stage, ann.game) == "open"


async def test_a_listed_table_whose_players_left_closes_itself(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo")
    await ann.leave()
    await stage.advance_and_sweep(DESERTED_TABLE_MS / 1000 + 1)
    assert await read_status(stage, ann.game) == "open"
    await bo.leave()
    await stage.advance_and_sweep(DESERTED_TABLE_MS / 1000 + 1)
    assert await read_status(stage, ann.game) == "closed"


async def test_a_deserted_table_stays_open_as_long_as_it_would_if_it_stayed_loaded(stage: Stage) -> None:
    (ann,) = await seat_players(stage, "ann")
    await stage.advance_and_sweep(DESERTED_TABLE_MS / 1000 - MINUTE)
    await ann.leave()  # its due row is due in a minute
    for _ in range(9):
        stage.game_server.rooms.evict(stage.clock.now())
        await stage.advance_and_sweep(MINUTE)
    assert await read_status(stage, ann.game) == "open"
    await stage.advance_and_sweep(MINUTE + 1)
    assert await read_status(stage, ann.game) == "closed"
    stage.clock.advance(MINUTE)
    stage.game_server.rooms.evict(stage.clock.now() + MINUTE * 1000)
    assert stage.game_server.rooms.get_loaded(ann.game) is None


@pytest.mark.parametrize(
    ("terms_json", "closes"),
    [
        ({"visibility": "unlisted"}, False),
        ({"password": "sesame"}, True),
        ({"clock": {"kind": "days", "days": 2}}, True),
    ],
    ids=["unlisted", "password", "days"],
)
async def test_tables_for_later_close_after_a_week_if_they_are_listed(
    stage: Stage, terms_json: dict[str, Any], closes: bool
) -> None:
    (ann,) = await seat_players(stage, "ann", **terms_json)
    await ann.leave()
    stage.game_server.rooms.evict(stage.clock.now() + MINUTE * 2000)
    assert stage.game_server.rooms.get_loaded(ann.game) is None  # nothing keeps it loaded for a week
    await stage.advance_and_sweep(FORGOTTEN_TABLE_MS / 1000 - 86_400)
    assert await read_status(stage, ann.game) == "open"
    for _ in range(3):
        await stage.advance_and_sweep(86_400)
    assert await read_status(stage, ann.game) == ("closed" if closes else "open")


async def test_a_table_for_later_stays_open_while_its_players_use_the_site(stage: Stage) -> None:
    (ann,) = await seat_players(stage, "ann", clock={"kind": "days", "days": 2})
    await ann.leave()
    for _ in range(10):
        async with begin(stage.store.database) as run:
            await run.execute(update(players).values(seen_at=stage.clock.now() // 1000))
        stage.game_server.rooms.evict(stage.clock.now() + 10**9)
        await stage.advance_and_sweep(86_400)
        await stage.advance_and_sweep(MINUTE)
        assert await read_status(stage, ann.game) == "open"
    for _ in range(8):
        stage.game_server.rooms.evict(stage.clock.now() + 10**9)
        await stage.advance_and_sweep(86_400)
        await stage.advance_and_sweep(MINUTE)
    assert await read_status(stage, ann.game) == "closed"


async def test_a_table_is_listed_while_somebody_is_there(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo", options={"players": 3})
    listener = RecordingListener()
    subscriber = LobbySubscriber(stage.guest("looker").actor, listener)
    stage.game_server.lobby.enter(subscriber)
    await ann.leave()
    stage.clock.advance(2 * MINUTE)
    stage.game_server.rooms.evict(stage.clock.now())
    assert await list_open_tables(stage) == [ann.game]  # bo is there
    await bo.leave()
    stage.game_server.rooms.evict(stage.clock.now())
    assert await list_open_tables(stage) == [ann.game]  # a phone may be locked for a moment
    stage.clock.advance(2 * MINUTE)
    stage.game_server.rooms.evict(stage.clock.now())
    assert await list_open_tables(stage) == []
    assert {"t": "gone", "list": "open", "id": ann.game} in listener.of_kind("gone")
    await stage.advance_and_sweep(MINUTE)  # a sweep does not list it
    assert await list_open_tables(stage) == []
    before = listener.of_kind("room")
    stage.game_server.rename({ann.actor.id: "anne"})
    assert listener.of_kind("room") == before, "nor does a rename"
    await stage.guest("ann").enter(ann.game)
    assert await list_open_tables(stage) == [ann.game]
    rows = [(row["list"], row["room"]["id"], row["room"]["waiting"]) for row in listener.of_kind("room")]
    assert rows == [("open", ann.game, waiting) for waiting in (1, 0, 1)]  # two have left, one has returned


async def test_deserted_tables_do_not_crowd_out_a_table_with_people(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.play.lobby.MAX_LISTED_GAMES", 3)
    (ann,) = await seat_players(stage, "ann")
    for n in range(7):
        stage.clock.advance(1)
        (gone,) = await seat_players(stage, f"gone{n}", password="sesame")
        await gone.leave()
    stage.clock.advance(2 * MINUTE)
    stage.game_server.rooms.evict(stage.clock.now())
    assert await list_open_tables(stage) == [ann.game]
    for n in range(4):
        stage.clock.advance(1)
        await seat_players(stage, f"new{n}")
    listed = await list_open_tables(stage)
    assert len(listed) == 3
    assert ann.game not in listed


async def test_a_running_game_is_listed_while_somebody_is_there(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", visibility="open")
    lobby = stage.game_server.lobby
    assert [row["id"] for row in await lobby.read_rows("watch")] == [ann.game]
    for guest in (ann, bo):
        await guest.leave()
    stage.clock.advance(2 * MINUTE)
    stage.game_server.rooms.evict(stage.clock.now())
    assert await lobby.read_rows("watch") == []
    await stage.guest("bo").enter(ann.game)
    assert [row["id"] for row in await lobby.read_rows("watch")] == [ann.game]


async def test_a_game_that_only_clocks_play_on_is_not_listed(stage: Stage) -> None:
    clock = {"kind": "turn", "seconds": 20}
    ann, bo = await stage.start_game("ann", "bo", visibility="open", clock=clock)
    lobby = stage.game_server.lobby
    for guest in (ann, bo):
        await guest.leave()
    for _ in range(6):
        assert await lobby.read_rows("watch") != [], "they may be back in a moment"
        await stage.advance_and_sweep(10)
        stage.game_server.rooms.evict(stage.clock.now())
    before = (await ann.room()).table.action_count
    for _ in range(6):
        await stage.advance_and_sweep(10)
        stage.game_server.rooms.evict(stage.clock.now())
        assert await lobby.read_rows("watch") == []
    assert (await ann.room()).table.action_count > before
    await stage.guest("bo").enter(ann.game)
    assert [row["id"] for row in await lobby.read_rows("watch")] == [ann.game]


async def test_a_deleted_person_gives_their_open_seats_back(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo")
    await stand_up_everywhere(stage.game_server, ann.actor.ids)
    assert [seat.person for seat in (await bo.room()).table.seats] == [None, bo.actor.id]
    running, _ = await stage.start_game("ann", "cy")
    await stand_up_everywhere(stage.game_server, running.actor.ids)
    assert (await running.room()).table.seats[0].person == running.actor.id


async def test_a_table_that_cannot_be_read_does_not_keep_other_seats_of_a_deleted_person(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    guests = [await seat_players(stage, "ann", name) for name in ("bo", "cy", "dee")]
    broken = guests[1][0].game
    for ann, other in guests:
        await ann.leave()
        await other.leave()
    stage.game_server.rooms.evict(stage.clock.now() + 10**9)
    load_entries = Room.load_entries

    def load_broken_entries(room: Room, entries: list[Entry]) -> None:
        if room.id == broken:
            raise ValueError("broken entry")
        load_entries(room, entries)

    monkeypatch.setattr(Room, "load_entries", load_broken_entries)
    await stand_up_everywhere(stage.game_server, guests[0][0].actor.ids)
    for ann, other in (guests[0], guests[2]):
        room = await stage.game_server.rooms.get(ann.game)
        assert room is not None
        assert [seat.person for seat in room.table.seats] == [None, other.actor.id]


async def test_a_table_left_in_one_worker_leaves_the_lists_though_another_has_loaded_it(
    sqlite_url: str,
) -> None:
    async with open_stage(sqlite_url, hub=Hub()) as stage:
        other = await stage.add_worker()
        (ann,) = await seat_players(stage, "ann", options={"players": 3})
        listener = RecordingListener()
        stage.game_server.lobby.enter(LobbySubscriber(stage.guest("looker").actor, listener))
        await other.rooms.get(ann.game)  # as a sweep does
        await ann.leave()
        stage.clock.advance(2 * MINUTE)
        stage.game_server.rooms.evict(stage.clock.now())
        stage.clock.advance(2 * MINUTE)
        other.rooms.evict(stage.clock.now())
        await wait_until(lambda: listener.of_kind("gone"))
        assert {"t": "gone", "list": "open", "id": ann.game} in listener.of_kind("gone")
        await other.close()


async def test_clients_of_another_worker_keep_a_table_open(sqlite_url: str) -> None:
    async with open_stage(sqlite_url, hub=Hub()) as stage:
        other = await stage.add_worker()
        ann = stage.guest("ann", other)
        game = await stage.open_table(ann)
        await ann.enter(game)
        for _ in range(3 * EMPTY_TABLE_MS // 10_000):
            await stage.advance_and_sweep(10)  # this worker sweeps and has no client in the room
            other.rooms.publish_presence()
        assert await read_status(stage, game) == "open"
        await ann.leave()
        for _ in range(4):
            await stage.advance_and_sweep(EMPTY_TABLE_MS / 1000)
        assert await read_status(stage, game) == "closed"
        await other.close()


# -- removed players -------------------------------------------------------------------------------


async def test_a_removed_player_is_told_so_also_after_reconnecting(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo")
    await ann.send("remove", seat=1)
    assert (bo.listener.last["kind"], bo.listener.last["seat"], bo.listener.last["why"]) == (
        "left",
        1,
        "removed",
    )
    assert bo.listener.last["you"] == {"seat": None}
    back = await stage.guest("bo").enter(ann.game)
    assert back.listener.of_kind("welcome")[-1]["you"]["removed"] is True
    await ann.send("readmit")
    await back.sit()
    again = await stage.guest("bo").enter(ann.game)
    assert "removed" not in again.listener.of_kind("welcome")[-1]["you"]


async def test_a_player_who_stood_up_counts_as_not_removed(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo")
    await bo.send("stand")
    assert bo.listener.last["why"] == "stood"
    back = await stage.guest("bo").enter(ann.game)
    assert "removed" not in back.listener.of_kind("welcome")[-1]["you"]


async def test_an_entry_of_a_worker_without_clients_does_not_unlist_a_table_of_another(
    sqlite_url: str,
) -> None:
    async with open_stage(sqlite_url, hub=Hub()) as stage:
        other = await stage.add_worker()
        game = await stage.open_table(stage.guest("host"), players=4)
        ann, bo, cy = [stage.guest(name, other) for name in ("ann", "bo", "cy")]
        for guest in (ann, bo, cy):
            await guest.enter(game)
            await guest.sit()
        listener = RecordingListener()
        stage.game_server.lobby.enter(LobbySubscriber(stage.guest("looker").actor, listener))
        await stand_up_everywhere(
            stage.game_server, ann.actor.ids
        )  # a worker that has no client at the table
        room = await bo.room()
        await wait_until(lambda: room.table.seats[0].person is None)
        stage.game_server.rename({bo.actor.id: "bob"})
        assert [each for each in listener.of_kind("gone") if each["list"] == "open"] == []
        assert [row["room"]["names"] for row in listener.of_kind("room")][-1] == ["bob", "cy"]
        assert await list_open_tables(stage) == [game]
        await other.close()
