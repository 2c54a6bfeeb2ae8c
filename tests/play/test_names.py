"""Rooms hold ids and ask for names where they are shown: a deleted person does not come back, a new name is seen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from sqlalchemy import select, text

from app.bus.local import Hub
from app.play.create import new_game_id, new_rematch
from app.play.frames import Frame
from app.play.lobby import LobbySubscriber
from app.play.log.reading import record_of
from app.play.names import LIFE
from app.play.server import GameServer
from app.store.games.tables import chat, log, seats
from app.store.people.data import DataStore
from app.web.auth.names import named
from tests.play.commands.test_play import advance_of
from tests.play.stage import Ear, Guest, Stage, open_stage


@pytest.fixture
async def shared_stage(tmp_path: Any) -> AsyncIterator[Stage]:
    async with open_stage(f"sqlite+aiosqlite:///{tmp_path}/games.db", hub=Hub()) as stage:
        yield stage


class Counting:
    """The people's side, and how often it was asked."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.asked: list[list[str]] = []

    async def __call__(self, people: Sequence[str]) -> dict[str, str]:
        self.asked.append(sorted(people))
        return await self.stage.people.names(people)


class LobbyEar(Ear):
    """Somebody in the lobby who waits for a row to change."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = asyncio.Event()

    def tell(self, frame: Frame) -> None:
        super().tell(frame)
        if self.last["t"] == "room":
            self.changed.set()


async def erase(stage: Stage, guest: Guest, *, told: bool = True) -> None:
    """As the site does it; not `told`: the news of it was lost."""
    await DataStore(stage.store.engine).erase(guest.actor.ids, stage.clock.now() // 1000)
    if told:
        stage.game_server.rename(dict.fromkeys(guest.actor.ids))


async def written(stage: Stage) -> str:
    """Everything that games have on disk about people."""
    found = []
    async with stage.store.engine.connect() as run:
        for column in (log.c.body, seats.c.name, chat.c.name):
            found += [str(row[0]) for row in await run.execute(select(column))]
        found += [str(row[0]) for row in await run.execute(text("SELECT terms FROM games"))]
    return "\n".join(found)


def names_told(ear: Ear) -> list[str | None]:
    table = next(message["table"] for message in reversed(ear.heard) if "table" in message)
    return [seat["name"] for seat in table["seats"]]


async def test_the_log_the_lists_and_the_chat_hold_no_name_of_a_person(stage: Stage) -> None:
    ann, bo = await stage.game("ann-named", "bo-named")
    await bo.send("chat", text="hello")
    await ann.act({"type": "resign"})
    await ann.send("rematch")
    kept = await written(stage)
    assert "p_bo-named" in kept
    assert '"bo-named' not in kept
    assert "\nbo-named" not in kept
    assert names_told(bo.ear) == ["ann-named", "bo-named"]
    assert bo.ear.of("chat")[0]["name"] == "bo-named"


@pytest.mark.parametrize("told", [True, False])
async def test_a_deleted_name_does_not_come_back_with_the_next_entry(stage: Stage, told: bool) -> None:
    """It used to be written into `seats` again by the next entry of a room that had been loaded before."""
    ann, bo = await stage.game("ann", "Bartholomew")
    await erase(stage, bo, told=told)
    await ann.send("consent", to="pause", yes=True)
    await ann.send("consent", to="pause", yes=False)
    await ann.act({"type": "resign"})
    await ann.send("rematch")
    assert "Bartholomew" not in (await written(stage)).replace("p_Bartholomew", "")
    mine = await stage.game_server.lobby.mine(ann.actor)
    games = await stage.store.games_of(ann.actor.ids, unfinished=False, limit=5)
    shown = [row["names"] for row in mine]
    assert "Bartholomew" not in str(shown).replace("p_Bartholomew", "")
    assert games[0].summary is not None
    assert [seat.name for seat in games[0].summary.seats] == ["ann", None]


async def test_whoever_is_deleted_loses_the_name_in_open_rooms_and_lobbies_at_once(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", title="bo was here")
    assert names_told(ann.ear) == ["ann", "bo"]
    await erase(stage, bo)
    assert ann.ear.last["t"] == "state"
    assert names_told(ann.ear) == ["ann", None]
    assert ann.ear.last["choices"]
    await ann.act(advance_of(ann))
    record_names = [seat.name_in(stage.game_server.names) for seat in (await ann.room()).table.seats]
    assert record_names == ["ann", None]


async def test_a_lobby_shows_tables_that_nobody_has_loaded_without_a_deleted_name(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann)
    await ann.come(game)
    await ann.sit()
    await ann.go()
    stage.clock.pass_seconds(1000)
    stage.game_server.rooms.evict(stage.clock.now())
    assert stage.game_server.rooms.loaded(game) is None
    ear = LobbyEar()
    subscriber = LobbySubscriber(stage.guest("bo").actor, ear)
    stage.game_server.lobby.enter(subscriber)
    await stage.game_server.lobby.tell_lists(subscriber)
    assert [row["names"] for row in ear.last["open"]] == [["ann"]]
    await erase(stage, ann)
    async with asyncio.timeout(10):
        await ear.changed.wait()
    assert [(told["list"], told["room"]["names"]) for told in ear.of("room")] == [("open", [None])]
    await stage.game_server.lobby.tell_lists(subscriber)
    assert [row["names"] for row in ear.last["open"]] == [[None]]


async def test_a_new_name_is_shown_at_once_and_the_record_has_the_name_of_its_export(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo")
    await stage.people.rename("p_bo", named("Bonny"), 1)
    stage.game_server.rename({"p_bo": "Bonny"})
    assert names_told(ann.ear) == ["ann", "Bonny"]
    await bo.send("chat", text="it is me")
    assert ann.ear.of("chat")[-1]["name"] == "Bonny"
    await bo.act({"type": "resign"})
    room = await ann.room()
    entries = await stage.store.entries(ann.game)
    assert record_of(room.row, entries, stage.game_server.names)["players"][1] == {
        "name": "Bonny",
        "bot": None,
    }
    await erase(stage, bo)
    assert record_of(room.row, entries, stage.game_server.names)["players"][1] == {"name": "", "bot": None}


async def test_names_of_bots_stay_when_people_go(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", bots=["sailor"])
    before = names_told(ann.ear)
    await erase(stage, bo)
    assert names_told(ann.ear) == [before[0], None, before[2]]
    assert before[2]


async def test_a_title_goes_with_the_person_who_wrote_it(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", title="Ann of Cartagena")
    assert ann.ear.last["table"]["title"] == "Ann of Cartagena"
    await ann.act({"type": "resign"})
    await erase(stage, ann)
    room = await bo.room()
    assert bo.ear.of("state")[-1]["table"]["title"] == ""
    row, entry = new_rematch(
        room.table, bo.actor, stage.clock.now(), stage.game_server.new_tables, new_game_id()
    )
    assert row.terms["title"] == ""
    assert row.creator == "p_bo"
    assert [kept["person"] for kept in entry.body["kept"]] == ["p_bo"]  # nobody waits for whoever is gone


async def test_a_room_is_loaded_with_one_question_for_all_its_names(shared_stage: Stage) -> None:
    ann, _, _ = await shared_stage.game("ann", "bo", "cy")
    ask = Counting(shared_stage)
    game_server = GameServer(
        shared_stage.store,
        shared_stage.game_server.bus,
        shared_stage.clock,
        shared_stage.game_server.context.bots,
        shared_stage.counts,
        names=ask,
    )
    room = await game_server.rooms.get(ann.game)
    assert room is not None
    assert [seat.name_in(game_server.names) for seat in room.table.seats] == ["ann", "bo", "cy"]
    assert len(ask.asked) <= 1
    await game_server.rooms.get(ann.game)
    await game_server.names.learn(room.table.named())
    assert len(ask.asked) <= 1


async def test_other_workers_see_who_is_renamed_and_who_is_gone(shared_stage: Stage) -> None:
    ann = shared_stage.guest("ann")
    game = await shared_stage.open_table(ann)
    await ann.come(game)
    await ann.sit()
    bo = await shared_stage.guest("bo", await shared_stage.another_worker()).come(game)
    await bo.sit()
    assert names_told(ann.ear) == names_told(bo.ear) == ["ann", "bo"]
    shared_stage.game_server.rename({"p_bo": "Bonny"})
    assert names_told(bo.ear) == ["ann", "Bonny"]
    shared_stage.game_server.rename({"p_ann": None})
    assert names_told(bo.ear) == [None, "Bonny"]


async def test_a_worker_that_heard_nothing_asks_again_after_a_while(shared_stage: Stage) -> None:
    assert shared_stage.hub is not None
    ann, bo = await shared_stage.game("ann", "bo")
    shared_stage.hub.is_down = True
    await erase(shared_stage, bo, told=False)
    assert names_told(ann.ear) == ["ann", "bo"]
    game_server = shared_stage.game_server
    assert not await game_server.names.keep(game_server.rooms.named())  # not yet
    shared_stage.clock.pass_seconds(LIFE / 1000 + 1)
    game_server.resend_state(await game_server.names.keep(game_server.rooms.named()))
    assert names_told(ann.ear) == ["ann", None]


async def test_what_changed_is_found_by_its_time_even_if_no_news_came(stage: Stage) -> None:
    await stage.game("ann", "bo")
    now = stage.clock.now() // 1000
    assert await stage.people.changed(now) == {}
    await stage.people.rename("p_ann", named("Anne"), now)
    await DataStore(stage.store.engine).erase(("p_bo",), now)
    assert await stage.people.changed(now) == {"p_ann": "Anne", "p_bo": None}


async def test_names_that_no_room_needs_are_forgotten(stage: Stage) -> None:
    ann, _ = await stage.game("ann", "bo")
    game_server = stage.game_server
    for number in range(40):
        game_server.rename({f"p_passer_by_{number}": "Somebody"})
    stage.clock.pass_seconds(LIFE / 1000 + 1)
    await game_server.names.keep((await ann.room()).table.named())
    assert len(game_server.names) == 2


async def test_an_older_entry_with_a_name_is_shown_with_the_present_one(stage: Stage) -> None:
    """Logs of the release before hold names: they are read, and what they say is not believed."""
    ann, bo = await stage.game("ann", "bo")
    async with stage.store.engine.begin() as run:
        await run.execute(
            text("UPDATE log SET body = json_set(body, '$.name', 'Old Name') WHERE kind = 'seated'")
        )
        await run.execute(text("UPDATE seats SET name = 'Old Name' WHERE person IS NOT NULL"))
    await erase(stage, bo, told=False)
    other = GameServer(
        stage.store,
        stage.game_server.bus,
        stage.clock,
        stage.game_server.context.bots,
        stage.counts,
        names=stage.people.names,
    )
    room = await other.rooms.get(ann.game)
    assert room is not None
    assert [seat.name_in(other.names) for seat in room.table.seats] == ["ann", None]
    rows = await stage.store.games_of(("p_ann",), unfinished=True, limit=5)
    assert rows[0].summary is not None
    assert [seat.name for seat in rows[0].summary.seats] == ["ann", None]


async def test_tables_of_version_1_keep_an_empty_name_for_older_workers(stage: Stage) -> None:
    """They fold `body["name"]` of every seated entry, and of every seat a rematch keeps."""
    stage.game_server.new_tables = 1
    ann, _ = await stage.game("ann", "bo")
    await ann.act({"type": "resign"})
    await ann.send("rematch")
    room = await ann.room()
    assert room.table.next_game is not None
    sat = [entry for entry in await stage.store.entries(ann.game) if entry.kind == "seated"]
    assert [entry.body["name"] for entry in sat] == ["", ""]
    (created,) = await stage.store.entries(room.table.next_game)
    assert [kept["name"] for kept in created.body["kept"]] == ["", ""]


async def test_tables_of_version_2_have_no_name_of_a_person(stage: Stage) -> None:
    stage.game_server.new_tables = 2
    ann = stage.guest("ann")
    await ann.come(await stage.open_table(ann, players=3, bots=["sailor"]))
    await ann.sit()
    created, sat = await stage.store.entries(ann.game)
    assert "name" not in sat.body
    assert created.body["kept"][0]["name"]
