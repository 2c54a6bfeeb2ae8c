"""Rooms hold ids and look names up: a deleted name never comes back, and a new name is shown at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from sqlalchemy import select, text

from app.bus.local import Hub
from app.play.create import new_game_id, new_rematch
from app.play.frames import Frame
from app.play.lobby_clients import LobbySubscriber
from app.play.log.reading import build_record
from app.play.names import NAME_TTL_MS
from app.play.server import GameServer
from app.store.people.personal_data import PersonalDataStore
from app.store.tables.games import chat, log, seats
from app.web.auth.names import make_name
from tests.databases import begin, connect
from tests.play.commands.test_play import advance_of
from tests.play.stage import Guest, RecordingListener, Stage, open_stage


@pytest.fixture
async def shared_stage(tmp_path: Any) -> AsyncIterator[Stage]:
    async with open_stage(f"sqlite:///{tmp_path}/games.db", hub=Hub()) as stage:
        yield stage


class Counting:
    """Counts the queries for names."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.asked: list[list[str]] = []

    async def __call__(self, people: Sequence[str]) -> dict[str, str]:
        self.asked.append(sorted(people))
        return await self.stage.people.read_names(people)


class LobbyListener(RecordingListener):
    """A client in the lobby that waits for a row to change."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = asyncio.Event()

    def send(self, frame: Frame) -> None:
        super().send(frame)
        if self.last["t"] in ("room", "gone"):
            self.changed.set()


async def erase(stage: Stage, guest: Guest, *, with_news: bool = True) -> None:
    """Erase a person as the site does; with `with_news` False the news is lost."""
    await PersonalDataStore(stage.store.database).erase(guest.actor.ids, stage.clock.now() // 1000)
    if with_news:
        stage.game_server.rename(dict.fromkeys(guest.actor.ids))


async def read_stored(stage: Stage) -> str:
    """Return everything that the tables of games store."""
    found = []
    async with connect(stage.store.database) as run:
        for column in (log.c.body, seats.c.name, chat.c.name):
            found += [str(row[0]) for row in await run.execute(select(column))]
        found += [str(row[0]) for row in await run.execute(text("SELECT terms FROM games"))]
    return "\n".join(found)


def list_sent_names(listener: RecordingListener) -> list[str | None]:
    table = next(message["table"] for message in reversed(listener.received) if "table" in message)
    return [seat["name"] for seat in table["seats"]]


async def test_log_lists_and_chat_store_no_names_of_people(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann-named", "bo-named")
    await bo.send("chat", text="hello")
    await ann.act({"type": "resign"})
    await ann.send("rematch")
    kept = await read_stored(stage)
    assert "p_bo-named" in kept
    assert '"bo-named' not in kept
    assert "\nbo-named" not in kept
    assert list_sent_names(bo.listener) == ["ann-named", "bo-named"]
    assert bo.listener.of_kind("chat")[0]["name"] == "bo-named"


@pytest.mark.parametrize("with_news", [True, False])
async def test_a_deleted_name_does_not_come_back_with_the_next_entry(stage: Stage, with_news: bool) -> None:
    """Regression: the next entry of a loaded room wrote the name into `seats` again."""
    ann, bo = await stage.start_game("ann", "Bartholomew")
    await erase(stage, bo, with_news=with_news)
    await ann.send("consent", to="pause", yes=True)
    await ann.send("consent", to="pause", yes=False)
    await ann.act({"type": "resign"})
    await ann.send("rematch")
    assert "Bartholomew" not in (await read_stored(stage)).replace("p_Bartholomew", "")
    mine = await stage.game_server.lobby.read_own_games(ann.actor)
    games = await stage.store.lists.list_games_of(ann.actor.ids, unfinished=False, limit=5)
    shown = [row["names"] for row in mine]
    assert "Bartholomew" not in str(shown).replace("p_Bartholomew", "")
    assert games[0].summary is not None
    assert [seat.name for seat in games[0].summary.seats] == ["ann", None]


async def test_a_deleted_persons_name_disappears_at_once(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", title="bo was here")
    assert list_sent_names(ann.listener) == ["ann", "bo"]
    await erase(stage, bo)
    assert ann.listener.last["t"] == "state"
    assert list_sent_names(ann.listener) == ["ann", None]
    assert ann.listener.last["choices"]
    await ann.act(advance_of(ann))
    record_names = [seat.display_name(stage.game_server.names) for seat in (await ann.room()).table.seats]
    assert record_names == ["ann", None]


async def test_lobby_rows_of_unloaded_tables_lose_a_deleted_name(stage: Stage) -> None:
    ann, bo = stage.guest("ann"), stage.guest("bo")
    game = await stage.open_table(ann, players=3, clock={"kind": "days", "days": 2})
    for guest in (ann, bo):
        await guest.enter(game)
        await guest.sit()
        await guest.leave()
    stage.clock.advance(1000)
    stage.game_server.rooms.evict(stage.clock.now())
    assert stage.game_server.rooms.get_loaded(game) is None
    listener = LobbyListener()
    subscriber = LobbySubscriber(stage.guest("cy").actor, listener)
    stage.game_server.lobby.enter(subscriber)
    await stage.game_server.lobby.send_lists(subscriber)
    assert [row["names"] for row in listener.last["open"]] == [["ann", "bo"]]
    await erase(stage, ann)
    async with asyncio.timeout(10):
        await listener.changed.wait()
    assert [(row["list"], row["room"]["names"]) for row in listener.of_kind("room")] == [
        ("open", [None, "bo"])
    ]
    await stage.game_server.lobby.send_lists(subscriber)
    assert [row["names"] for row in listener.last["open"]] == [[None, "bo"]]
    listener.changed.clear()
    await erase(stage, bo)
    async with asyncio.timeout(10):
        await listener.changed.wait()
    assert ("open", game) in [(row["list"], row["id"]) for row in listener.of_kind("gone")]
    await stage.game_server.lobby.send_lists(subscriber)
    assert listener.last["open"] == []


async def test_a_new_name_is_shown_at_once_and_the_record_has_the_name_of_its_export(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    await stage.people.rename("p_bo", make_name("Bonny"), 1)
    stage.game_server.rename({"p_bo": "Bonny"})
    assert list_sent_names(ann.listener) == ["ann", "Bonny"]
    await bo.send("chat", text="it is me")
    assert ann.listener.of_kind("chat")[-1]["name"] == "Bonny"
    await bo.act({"type": "resign"})
    room = await ann.room()
    entries = await stage.store.log.read_entries(ann.game)
    assert build_record(room.row, entries, stage.game_server.names)["players"][1] == {
        "name": "Bonny",
        "bot": None,
    }
    await erase(stage, bo)
    assert build_record(room.row, entries, stage.game_server.names)["players"][1] == {"name": "", "bot": None}


async def test_names_of_bots_stay_when_people_are_deleted(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", bots=["sailor"])
    before = list_sent_names(ann.listener)
    await erase(stage, bo)
    assert list_sent_names(ann.listener) == [before[0], None, before[2]]
    assert before[2]


async def test_a_title_disappears_with_its_author(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", title="Ann of Cartagena")
    assert ann.listener.last["table"]["title"] == "Ann of Cartagena"
    await ann.act({"type": "resign"})
    await erase(stage, ann)
    room = await bo.room()
    assert bo.listener.of_kind("state")[-1]["table"]["title"] == ""
    row, entry = new_rematch(
        room.table, bo.actor, stage.clock.now(), stage.game_server.new_table_version, new_game_id()
    )
    assert row.terms["title"] == ""
    assert row.creator == "p_bo"
    assert [kept["person"] for kept in entry.body["kept"]] == [
        "p_bo"
    ]  # no seat is reserved for the deleted person


async def test_all_names_of_a_room_are_fetched_in_one_query(shared_stage: Stage) -> None:
    ann, _, _ = await shared_stage.start_game("ann", "bo", "cy")
    ask = Counting(shared_stage)
    game_server = GameServer(
        shared_stage.store,
        shared_stage.game_server.bus,
        shared_stage.clock,
        shared_stage.game_server.context.bots,
        shared_stage.metrics,
        fetch_names=ask,
    )
    room = await game_server.rooms.get(ann.game)
    assert room is not None
    assert [seat.display_name(game_server.names) for seat in room.table.seats] == ["ann", "bo", "cy"]
    assert len(ask.asked) <= 1
    await game_server.rooms.get(ann.game)
    await game_server.names.fetch_missing(room.table.list_named_people())
    assert len(ask.asked) <= 1


async def test_other_workers_show_renamed_and_deleted_people(shared_stage: Stage) -> None:
    ann = shared_stage.guest("ann")
    game = await shared_stage.open_table(ann)
    await ann.enter(game)
    await ann.sit()
    bo = await shared_stage.guest("bo", await shared_stage.add_worker()).enter(game)
    await bo.sit()
    assert list_sent_names(ann.listener) == list_sent_names(bo.listener) == ["ann", "bo"]
    shared_stage.game_server.rename({"p_bo": "Bonny"})
    assert list_sent_names(bo.listener) == ["ann", "Bonny"]
    shared_stage.game_server.rename({"p_ann": None})
    assert list_sent_names(bo.listener) == [None, "Bonny"]


async def test_a_worker_that_missed_the_news_refreshes_its_names(shared_stage: Stage) -> None:
    assert shared_stage.hub is not None
    ann, bo = await shared_stage.start_game("ann", "bo")
    shared_stage.hub.is_down = True
    await erase(shared_stage, bo, with_news=False)
    assert list_sent_names(ann.listener) == ["ann", "bo"]
    game_server = shared_stage.game_server
    assert not await game_server.names.refresh(game_server.rooms.list_named_people())  # not expired yet
    shared_stage.clock.advance(NAME_TTL_MS / 1000 + 1)
    game_server.resend_state(await game_server.names.refresh(game_server.rooms.list_named_people()))
    assert list_sent_names(ann.listener) == ["ann", None]


async def test_changed_names_are_found_by_time_without_news(stage: Stage) -> None:
    await stage.start_game("ann", "bo")
    now = stage.clock.now() // 1000
    assert await stage.people.read_changed_names(now) == {}
    await stage.people.rename("p_ann", make_name("Anne"), now)
    await PersonalDataStore(stage.store.database).erase(("p_bo",), now)
    assert await stage.people.read_changed_names(now) == {"p_ann": "Anne", "p_bo": None}


async def test_names_that_no_room_needs_are_dropped(stage: Stage) -> None:
    ann, _ = await stage.start_game("ann", "bo")
    game_server = stage.game_server
    for number in range(40):
        game_server.rename({f"p_passer_by_{number}": "Somebody"})
    stage.clock.advance(NAME_TTL_MS / 1000 + 1)
    await game_server.names.refresh((await ann.room()).table.list_named_people())
    assert len(game_server.names) == 2


async def test_an_old_entry_with_a_name_is_shown_with_the_present_name(stage: Stage) -> None:
    """Logs of the release before hold names: they are read, and what they say is not believed."""
    ann, bo = await stage.start_game("ann", "bo")
    async with begin(stage.store.database) as run:
        await run.execute(
            text("UPDATE log SET body = json_set(body, '$.name', 'Old Name') WHERE kind = 'seated'")
        )
        await run.execute(text("UPDATE seats SET name = 'Old Name' WHERE person IS NOT NULL"))
    await erase(stage, bo, with_news=False)
    other = GameServer(
        stage.store,
        stage.game_server.bus,
        stage.clock,
        stage.game_server.context.bots,
        stage.metrics,
        fetch_names=stage.people.read_names,
    )
    room = await other.rooms.get(ann.game)
    assert room is not None
    assert [seat.display_name(other.names) for seat in room.table.seats] == ["ann", None]
    rows = await stage.store.lists.list_games_of(("p_ann",), unfinished=True, limit=5)
    assert rows[0].summary is not None
    assert [seat.name for seat in rows[0].summary.seats] == ["ann", None]


async def test_log_entries_contain_no_names_of_people(stage: Stage) -> None:
    ann = stage.guest("ann")
    await ann.enter(await stage.open_table(ann, players=3, bots=["sailor"]))
    await ann.sit()
    created, sat = await stage.store.log.read_entries(ann.game)
    assert "name" not in sat.body
    assert created.body["kept"][0]["name"]
