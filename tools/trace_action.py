"""Trace which files and value objects of app/ the server uses for one action, bot move, return and push.

    python -m tools.trace_action              counts and names, on SQLite and on a PostgreSQL of its own
    python -m tools.trace_action --json

The server is `cartagena serve`, run in this process under a profile function; its clients run in a thread without
one. Each operation is repeated, and only what every repetition used counts: periodic work that happens to fall into
one of them does not. Functions that also run on an idle server are left out for the same reason.

- **Files** are those of app/ in which a function runs.
- **Value objects** are data classes of app/ (dataclass, msgspec Struct, named tuple) of which the operation makes an
  instance that is passed to a function or returned by one.

app/rules is listed but not counted: which of its files run depends on the card that is played.

The bot's own thought runs in a process of its own (`app/bots/worker.py`) and is not traced.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import partial
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from app import serve
from app.settings import Settings
from tests.notify.push_service import push_service
from tests.notify.pushing import open_waiting_table, play_turn, process, pushing_site
from tools.services import Postgres
from tools.services.processes import free_port
from tools.soak.client import SoakClient, new_client, open_table, plain_http
from tools.soak.fork_server import ROOMY
from tools.trace_recorder import Recorder, Trace, Window, profiled

REPETITIONS = 3
SETTLE_SECONDS = 0.3
"""Wait after an operation for what follows its acknowledgement: wake-ups, hints, notices."""
RESTART_SECONDS = 1.0
"""Time for the server to stop, and again for the tasks of its start."""
SETTLED_TURN_SECONDS = 20
"""A turn is pushed when it has waited for 15 seconds."""
CLOCK = {"kind": "bank", "seconds": 3600, "increment": 5}


class Site:
    """The server in the main thread; the scenario, in another, starts and stops it."""

    def __init__(self, database: str) -> None:
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self._settings = {
            **ROOMY,
            "database": database,
            "port": self.port,
            "log_level": "error",
        }
        self._is_over = threading.Event()
        self._may_start = threading.Event()

    def serve_in_main_thread(self) -> None:
        """Serve, and serve again after each stop, until `end` is called."""
        names = {setting.name: None for setting in fields(Settings)}
        given = {name: str(value) for name, value in self._settings.items()}
        while not self._is_over.is_set():
            self._may_start.clear()
            serve.run(argparse.Namespace(**{**names, **given}))
            self._may_start.wait()

    async def until_ready(self, http: httpx.AsyncClient) -> None:
        while True:
            try:
                if (await http.get(f"{self.base}/readyz")).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.05)

    def stop(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    def start(self) -> None:
        self._may_start.set()

    def end(self) -> None:
        self._is_over.set()
        self._may_start.set()
        self.stop()


class Scenario:
    """The clients of one run; a player is always at the table unless a trace says otherwise."""

    def __init__(self, site: Site, recorder: Recorder) -> None:
        self._site = site
        self._recorder = recorder
        self._chance = Random(25)
        self._http = plain_http()
        self._everyone: list[SoakClient] = []

    async def run(self, *, is_complete: bool) -> dict[str, Trace]:
        """Trace an action; with `is_complete` also a bot's move and a return after a restart."""
        await self._site.until_ready(self._http)
        try:
            traces = {}
            seated = await self._seat_two(clock=CLOCK)
            bots = await self._seat_with_bot() if is_complete else None
            for table in (seated, bots or []):
                for _ in range(
                    4 if table else 0
                ):  # warm up: every path has run once, every module is imported
                    await self._act(table, *await self._play_until_advance(table))
            await self._recorder.record_idle()
            traces["action"] = await self._trace_actions(seated)
            if bots is not None:
                traces["bot"] = await self._trace_bot(bots)
                traces["return"] = await self._trace_return(seated)
            return traces
        finally:
            for client in self._everyone:
                await client.leave()
            await self._http.aclose()

    # -- setting up --------------------------------------------------------------------------------

    async def _new_person(self) -> SoakClient:
        client = await new_client(self._site.base, self._chance, self._http)
        client.plays = False
        self._everyone.append(client)
        return client

    async def _seat(self, players: list[SoakClient], **terms: Any) -> list[SoakClient]:
        seats = len(players) + len(terms.get("bots", ()))
        options = {"preset": "jamaica", "players": seats, "first": 0}
        game = await open_table(players[0], self._http, options, absence=0, **terms)
        for client in players:
            client.join(game, plays=False)
            await client.until(lambda client: client.greeted)
            await client.command("sit", **client.keeper.sit_fields(client.table))
            await client.command("ready", ready=True)
        await players[0].command("start")
        for client in players:
            await client.until(lambda client: client.table["status"] == "running")
        return players

    async def _seat_two(self, **terms: Any) -> list[SoakClient]:
        return await self._seat([await self._new_person(), await self._new_person()], **terms)

    async def _seat_with_bot(self) -> list[SoakClient]:
        return await self._seat([await self._new_person()], clock=CLOCK, bots=["sailor"], pace=100)

    async def _play_until_advance(self, players: list[SoakClient]) -> tuple[SoakClient, dict[str, Any]]:
        """Play anything else until an advance can be played; return who may play it, and the action."""
        while True:
            if len(players) == 1:
                await players[0].until(lambda client: client.choices)
            actor = next(client for client in players if client.choices)
            action = self._pick(actor)
            if action["type"] == "advance":
                return actor, action
            await self._act(players, actor, action)

    @staticmethod
    def _pick(actor: SoakClient) -> dict[str, Any]:
        actions: dict[str, dict[str, Any]] = {c["action"]["type"]: c["action"] for c in actor.choices}
        return actions.get("advance") or actions.get("retreat") or actions["end"]

    async def _act(self, players: list[SoakClient], actor: SoakClient, action: dict[str, Any]) -> None:
        """Play an action and wait until everyone at the table has seen it."""
        refused = await actor.command("act", version=actor.seq, action=action)
        assert refused is None, refused
        for client in players:
            await client.until(lambda client: client.seq >= actor.seq)

    # -- traces ------------------------------------------------------------------------------------

    async def _trace(self, operation: Callable[[], Awaitable[None]]) -> Window:
        with self._recorder.recording() as window:
            await operation()
            await asyncio.sleep(SETTLE_SECONDS)
        return window

    async def _trace_actions(self, players: list[SoakClient]) -> Trace:
        windows = []
        for _ in range(REPETITIONS):
            actor, action = await self._play_until_advance(players)
            windows.append(await self._trace(partial(self._act, players, actor, action)))
        return self._recorder.trace_of(windows)

    async def _trace_bot(self, players: list[SoakClient]) -> Trace:
        """Trace from the end of the person's turn (not recorded) until it is the person's turn again."""
        (person,) = players
        windows = []
        for _ in range(REPETITIONS):
            await person.until(lambda client: client.choices)
            while person.choices:  # to the end of the person's turn
                await self._act(players, person, self._pick(person))
            windows.append(await self._trace(lambda: person.until(lambda client: client.choices)))
        return self._recorder.trace_of(windows)

    async def _trace_return(self, players: list[SoakClient]) -> Trace:
        """Trace a player's return to a restarted server, which loads the room."""
        windows = []
        for _ in range(REPETITIONS):
            for client in self._everyone:
                await client.leave()
            self._site.stop()
            self._site.start()
            await asyncio.sleep(RESTART_SECONDS)
            await self._site.until_ready(self._http)
            await asyncio.sleep(RESTART_SECONDS)

            windows.append(await self._trace(partial(self._come_back, players[0])))
        return self._recorder.trace_of(windows)

    @staticmethod
    async def _come_back(client: SoakClient) -> None:
        client.come_back()
        await client.until(lambda client: client.greeted)


async def _push_turns(database: str, recorder: Recorder) -> list[Window]:
    """Push each turn of a game over days, and record from the check of the game to the answer of the push service.

    The site of the tests about pushes stands in for the server: time passes there without waiting.
    """
    windows = []
    async with push_service() as service, pushing_site(database) as site:
        mover, other, room = await open_waiting_table(site, service)
        for _ in range(REPETITIONS):
            site.pass_time(SETTLED_TURN_SECONDS)
            sent = len(service.received)
            with recorder.recording() as window:
                await process(site, "notice_checks", "push")
            assert len(service.received) > sent, "no push was sent"
            windows.append(window)
            await play_turn(mover, room)
            mover, other = other, mover
    return windows


def trace_push(database: str) -> Trace:
    recorder = Recorder()
    with profiled(recorder):
        windows = asyncio.run(_push_turns(database, recorder))
    return recorder.trace_of(windows)


def trace_database(database: str, *, is_complete: bool) -> dict[str, Trace]:
    """Serve from this database in the main thread and trace what its clients cause."""
    gc.freeze = lambda: None  # frozen objects are hidden from gc.get_objects, so services would look new
    recorder, site = Recorder(), Site(database)

    def run_clients() -> dict[str, Trace]:
        sys.setprofile(None)
        try:
            return asyncio.run(Scenario(site, recorder).run(is_complete=is_complete))
        finally:
            site.end()

    with ThreadPoolExecutor(1) as clients, profiled(recorder):
        traces = clients.submit(run_clients)
        site.serve_in_main_thread()
    return traces.result()


def trace_all(postgres_url: str | None) -> dict[str, Trace]:
    """Return the traces by name; without a URL a PostgreSQL server is started for them."""
    with TemporaryDirectory() as folder:
        found = trace_database(f"sqlite:///{folder}/trace.db", is_complete=True)
        push = trace_push(f"sqlite:///{folder}/push.db")
    if postgres_url is not None:
        on_postgres = trace_database(postgres_url, is_complete=False)
    else:
        with Postgres() as server:
            url = server.url(server.create_database()).replace("+asyncpg", "")
            on_postgres = trace_database(url, is_complete=False)
    return {
        "action on SQLite": found["action"],
        "action on PostgreSQL": on_postgres["action"],
        "bot's move": found["bot"],
        "return after a restart": found["return"],
        "push": push,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")
    parser.add_argument("--postgres", metavar="URL", help="an empty database; without it a server is started")
    arguments = parser.parse_args()
    traces = trace_all(arguments.postgres)
    if arguments.json:
        print(json.dumps({name: vars(trace) for name, trace in traces.items()}))
        return 0
    for name, trace in traces.items():
        print(f"\n{name}: {len(trace.files)} files, {len(trace.values)} value objects")
        for kind, names in vars(trace).items():
            print(f"  {kind}: {', '.join(names)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
