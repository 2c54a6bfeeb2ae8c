"""Databases that older releases wrote: opened, migrated, logged into, and every game played to its end.

The files in `fixtures/` are kept as the release wrote them (`tools/make_database_fixture.py` tells how), with
running games of every preset and module, some in the middle of an answer that is owed, and an account.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from app import rules
from tests.sockets.client import Client, Clients, good_choice
from tests.sockets.running_server import RunningServer, in_process

FIXTURES = Path(__file__).parent / "fixtures"
RELEASES = sorted(file.name.removesuffix(".json") for file in FIXTURES.glob("*.json"))
# The file grows old while it lies here: nobody has been away too long for a test.
PATIENT: dict[str, Any] = {"dead_room_days": 0, "guest_days": 0, "session_days": 36_500}
PATIENCE = 240.0  # seconds for all games together, on a machine that is busy


@dataclass
class Old:
    """A server of today on a copy of the file, and what is known of the people in it."""

    server: RunningServer
    told: dict[str, Any]
    clients: Clients

    def person(self, name: str) -> Client:
        """Somebody with the cookie that the old release gave."""
        known = self.told["people"][name]
        http = httpx.AsyncClient(
            base_url=self.server.base,
            headers={"Origin": self.server.base},
            cookies={"cartagena": known["cookie"]},
            timeout=30,
        )
        client = Client(self.server, http, known["id"], name)
        self.clients.everyone.append(client)
        return client

    async def joined(self, name: str) -> list[Client]:
        """Everybody at this table."""
        game = self.told["games"][name]
        password = "open sesame" if name == "locked" else None
        return [await self.person(each).join(game["id"], password=password) for each in game["people"]]

    def names(self, status: str) -> list[str]:
        return [name for name, game in self.told["games"].items() if game["status"] == status]


@pytest.fixture(params=RELEASES)
async def old(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Old]:
    async with _opened(request.param, tmp_path) as old:
        yield old


@asynccontextmanager
async def _opened(release: str, folder: Path) -> AsyncIterator[Old]:
    told = json.loads((FIXTURES / f"{release}.json").read_text())
    file = folder / "cartagena.db"
    file.write_bytes(gzip.decompress((FIXTURES / f"{release}.sqlite.gz").read_bytes()))
    async with in_process(f"sqlite+aiosqlite:///{file}", secret=told["secret"], **PATIENT) as server:
        clients = Clients(server)
        try:
            yield Old(server, told, clients)
        finally:
            await clients.close()


async def _end(people: list[Client]) -> None:
    """Played to the end, by whoever may act; bots and the server's own moves come by themselves."""
    async with asyncio.timeout(PATIENCE):
        while people[0].table["status"] == "running":
            actor = next((each for each in people if each.choices), None)
            if actor is None:
                await asyncio.sleep(0.005)  # a bot thinks
                continue
            await actor.act(good_choice(actor))
            for each in people:
                await each.reaches(actor.seq)
    for each in people:
        await each.sees("status", "finished")
        await each.leave()


@pytest.mark.parametrize("release", ["0.1.0.dev1", "0.1.0"])  # before and after seats were sealed
def test_there_is_a_file_and_it_has_every_preset(release: str) -> None:
    told = json.loads((FIXTURES / f"{release}.json").read_text())
    running = {name for name, game in told["games"].items() if game["status"] == "running"}
    assert running >= {"jamaica", "tortuga", "hispaniola", "first-escape", "dungeon", "jungle", "complete"}


async def test_every_running_game_of_an_older_release_is_played_to_its_end(old: Old) -> None:
    names = old.names("running")
    assert len(names) > 15
    await asyncio.gather(*(_played(old, name) for name in names))


async def _played(old: Old, name: str) -> None:
    people = await old.joined(name)
    assert all(each.seat is not None for each in people), name
    if people[0].table["paused"]:
        for each in people:
            await each.command("consent", to="continue", yes=True)
    await _end(people)
    await _assert_chance_holds(people[0])


async def _assert_chance_holds(person: Client) -> None:
    """The record of a game that began before verifies as it did then."""
    asked = {"X-Room-Password": "open sesame"}
    answer = await person.http.get(f"/api/v1/games/{person.game}/record", headers=asked)
    record = rules.record_from_json(answer.json())
    last = rules.verify(record, scheme=person.table["scheme"])
    assert record.reason in ("goal", "resigned")
    assert last.winner is not None


async def test_a_table_that_had_not_begun_begins_and_is_played(old: Old) -> None:
    people = await old.joined("not begun, both there")
    for each in people:
        assert each.seat is not None
        await each.command("ready", ready=True)
    await people[0].command("start")
    for each in people:
        await each.sees("status", "running")
    await _end(people)
    await _assert_chance_holds(people[0])


async def test_somebody_new_sits_down_at_a_table_that_was_opened_before(old: Old) -> None:
    (anne,) = await old.joined("not begun, a free seat")
    new = await (await old.clients.person()).join(anne.game)
    await new.command("sit")  # as the table was opened, so it begins: with seals or without
    for each in (anne, new):
        await each.command("ready", ready=True)
    await anne.command("start")
    for each in (anne, new):
        await each.sees("status", "running")
    await _end([anne, new])
    await _assert_chance_holds(anne)


async def test_what_was_finished_is_there_and_verifies(old: Old) -> None:
    for name in old.names("finished"):
        (anne, *_) = await old.joined(name)
        assert anne.table["status"] == "finished"
        await _assert_chance_holds(anne)


async def test_the_account_is_entered_by_cookie_password_and_token(old: Old) -> None:
    known = old.told["account"]
    anne = old.person(known["name"])
    mine = (await anne.http.get("/api/v1/me")).json()
    assert (mine["person"]["id"], mine["person"]["name"]) == (anne.person, known["name"])

    async with httpx.AsyncClient(base_url=old.server.base, headers={"Origin": old.server.base}) as phone:
        wrong = {"name": known["name"], "password": "not this one"}
        assert (await phone.post("/api/v1/account/login", json=wrong)).status_code == 401
        right = {"name": known["name"], "password": known["password"]}
        assert (await phone.post("/api/v1/account/login", json=right)).status_code == 200
        assert (await phone.get("/api/v1/me")).json()["person"]["id"] == anne.person
        unfinished = (await phone.get("/api/v1/me/games?status=unfinished")).json()["games"]
        still = {old.told["games"][name]["id"] for name in (*old.names("running"), *old.names("open"))}
        assert {row["id"] for row in unfinished} == still

    bearer = {"Authorization": f"Bearer {known['token']}"}
    async with httpx.AsyncClient(base_url=old.server.base, headers=bearer) as program:
        assert (await program.get("/api/v1/me")).json()["person"]["id"] == anne.person
        game = old.told["games"]["jamaica"]["id"]
        state = (await program.get(f"/api/v1/games/{game}")).json()
        assert state["you"]["seat"] is not None
        assert {seat["name"] for seat in state["table"]["seats"]} == set(old.told["people"])
