"""Databases of older releases can be migrated and logged into, and every game can be finished.

The files in `fixtures/` were written by the releases (`tools/make_database_fixture.py`). They contain an account and
running games of every preset and module, some of which wait for an answer.
`0.1.0-unsealed` was written by 0.1.0 with CARTAGENA_NEW_TABLES=1: tables of version 1, whose seats are not sealed.
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
# The fixture grows old: sessions and guests must not expire during a test.
PATIENT: dict[str, Any] = {"dead_room_days": 0, "guest_days": 0, "session_days": 36_500}
PLAY_TIMEOUT_SECONDS = 240.0  # for all games together, on a busy machine


@dataclass
class OldServer:
    """The current server on a copy of the fixture, with the known data of its people."""

    server: RunningServer
    told: dict[str, Any]
    clients: Clients

    def person(self, name: str) -> Client:
        """Return a client with the cookie of the old release."""
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
        """Return clients of all players at this table."""
        game = self.told["games"][name]
        password = "open sesame" if name == "locked" else None
        return [await self.person(name).join(game["id"], password=password) for name in game["people"]]

    def names(self, status: str) -> list[str]:
        return [name for name, game in self.told["games"].items() if game["status"] == status]


@pytest.fixture(params=RELEASES)
async def old(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[OldServer]:
    async with _opened(request.param, tmp_path) as old:
        yield old


@pytest.fixture
async def sealed(tmp_path: Path) -> AsyncIterator[OldServer]:
    async with _opened("0.1.0", tmp_path) as old:
        yield old


@pytest.fixture
async def unsealed(tmp_path: Path) -> AsyncIterator[OldServer]:
    async with _opened("0.1.0-unsealed", tmp_path) as old:
        yield old


@asynccontextmanager
async def _opened(release: str, folder: Path) -> AsyncIterator[OldServer]:
    told = json.loads((FIXTURES / f"{release}.json").read_text())
    file = folder / "cartagena.db"
    file.write_bytes(gzip.decompress((FIXTURES / f"{release}.sqlite.gz").read_bytes()))
    async with in_process(f"sqlite:///{file}", secret=told["secret"], **PATIENT) as server:
        clients = Clients(server)
        try:
            yield OldServer(server, told, clients)
        finally:
            await clients.close()


async def _end(people: list[Client]) -> None:
    """Play the game to its end; bots and the server make their own moves."""
    async with asyncio.timeout(PLAY_TIMEOUT_SECONDS):
        while people[0].table["status"] == "running":
            actor = next((client for client in people if client.choices), None)
            if actor is None:
                await asyncio.sleep(0.005)  # a bot is thinking
                continue
            await actor.act(good_choice(actor))
            for client in people:
                await client.reaches(actor.seq)
    for client in people:
        await client.sees("status", "finished")
        await client.leave()


@pytest.mark.parametrize("release", ["0.1.0", "0.1.0-unsealed"])
def test_fixture_exists_and_has_every_preset(release: str) -> None:
    told = json.loads((FIXTURES / f"{release}.json").read_text())
    running = {name for name, game in told["games"].items() if game["status"] == "running"}
    assert running >= {"jamaica", "tortuga", "hispaniola", "first-escape", "dungeon", "jungle", "complete"}


async def test_every_running_game_of_an_older_release_can_be_finished(old: OldServer) -> None:
    names = old.names("running")
    assert len(names) > 15
    await asyncio.gather(*(_played(old, name) for name in names))


async def _played(old: OldServer, name: str) -> None:
    people = await old.joined(name)
    assert all(client.seat is not None for client in people), name
    if people[0].table["paused"]:
        for client in people:
            await client.command("consent", to="continue", yes=True)
    await _end(people)
    await _assert_chance_holds(people[0])


async def _assert_chance_holds(person: Client) -> None:
    """Check that the record of a game started by the old release still verifies."""
    asked = {"X-Room-Password": "open sesame"}
    answer = await person.http.get(f"/api/v1/games/{person.game}/record", headers=asked)
    record = rules.record_from_json(answer.json())
    last = rules.verify(record, scheme=person.table["scheme"])
    assert record.reason in ("goal", "resigned")
    assert last.winner is not None


async def test_table_that_had_not_started_can_be_started_and_played(sealed: OldServer) -> None:
    people = await sealed.joined("not begun, both there")
    for client in people:
        assert client.seat is not None
        await client.command("ready", ready=True)
    await people[0].command("start")
    for client in people:
        await client.sees("status", "running")
    await _end(people)
    await _assert_chance_holds(people[0])


async def test_new_player_can_sit_down_at_a_table_of_an_older_release(sealed: OldServer) -> None:
    (anne,) = await sealed.joined("not begun, a free seat")
    new = await (await sealed.clients.person()).join(anne.game)
    await new.command("sit")
    for client in (anne, new):
        await client.command("ready", ready=True)
    await anne.command("start")
    for client in (anne, new):
        await client.sees("status", "running")
    await _end([anne, new])
    await _assert_chance_holds(anne)


async def test_unstarted_table_without_seals_can_only_be_left_or_closed(unsealed: OldServer) -> None:
    (anne,) = await unsealed.joined("not begun, a free seat")
    assert (anne.seat, anne.table["scheme"], anne.table["nonces"]) == (0, 1, [None, None])
    for do in ("sit", "ready", "start"):
        fields = {"ready": True} if do == "ready" else {}
        assert await anne.refused(do, **fields) == "no_seals"
    await anne.command("stand")
    assert anne.seat is None
    await anne.command("close")
    await anne.sees("status", "closed")


async def test_records_match_those_of_the_release_and_verify(old: OldServer) -> None:
    for name, record in old.told["records"].items():
        (anne, *_) = await old.joined(name)
        answer = await anne.http.get(f"/api/v1/games/{anne.game}/record")
        assert answer.json() == record
        assert rules.verify(rules.record_from_json(record), scheme=anne.table["scheme"]).winner is not None


async def test_finished_games_are_kept_and_verify(old: OldServer) -> None:
    for name in old.names("finished"):
        (anne, *_) = await old.joined(name)
        assert anne.table["status"] == "finished"
        await _assert_chance_holds(anne)


async def test_account_can_be_used_by_cookie_password_and_token(old: OldServer) -> None:
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
