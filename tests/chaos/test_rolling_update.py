"""Workers of release 0.1.0 and of this tree on one log. Long form: `make soak PART=rolling`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import httpx

from tests.notify.pushing import play_turn
from tests.notify.test_webhooks import Receiver, receiving
from tests.web.running_site import BROWSER
from tests.web.tables import begin, open_table, sit
from tools.services import Postgres, RedisServer
from tools.soak.fork_server import ForkServer, Server
from tools.soak.rolling import UNKNOWN_RULES, roll, unpack


async def test_games_that_began_under_the_old_release_end_under_the_new(
    fork_server: ForkServer, postgres: Postgres, tmp_path: Path
) -> None:
    run = await roll(fork_server, postgres, tmp_path, seed=11, tables=1)
    print(run)
    assert run.tally.wrong == []
    assert run.began == {"old": 2, "new": 2, "new, deal": 1}
    assert (run.ended, run.verified) == (5, 4), "all but the deal have a record today"
    assert run.updates == {"new after SIGTERM": 2}
    assert run.closes[UNKNOWN_RULES] > 0, "the old worker closed the socket at a game it does not know"
    assert run.tally.acknowledged > 0


# A worker claims a person, calls the webhook, and then records the call. Release 0.1.0 has no lease: only the interval
# keeps it from calling for the same turn while another worker's call is in progress.
INTERVAL_MINUTES = 0.05


class _Person:
    """A guest with a browser connected to each worker, and a webhook."""

    def __init__(self, bases: Sequence[str]) -> None:
        self.browsers = [
            httpx.AsyncClient(base_url=base, headers={**BROWSER, "origin": base}, timeout=60)
            for base in bases
        ]

    async def enter(self, name: str, hook: str) -> None:
        first = self.browsers[0]
        assert (await first.post("/api/v1/me", json={"name": name})).status_code == 200
        assert (await first.put("/api/v1/me/notices", json={"webhook": hook})).status_code == 200
        for other in self.browsers[1:]:
            other.cookies.update(first.cookies)

    async def close(self) -> None:
        for browser in self.browsers:
            await browser.aclose()


async def test_every_turn_is_notified_once_while_old_and_new_workers_run(
    fork_server: ForkServer, postgres: Postgres, tmp_path: Path
) -> None:
    url = postgres.url(postgres.create_database())
    often = {
        "webhook_private": "yes",
        "notify_seconds": 0.2,
        "digest_minutes": INTERVAL_MINUTES,
        "secret": "k" * 40,
    }
    with ForkServer(await asyncio.to_thread(unpack, tmp_path)) as before, RedisServer() as redis:
        old = Server(before, url, tmp_path / "old", redis=redis.url, **often)
        new = Server(fork_server, url, tmp_path / "new", redis=redis.url, **often)
        people = [_Person([old.base, new.base]) for _ in range(2)]
        try:
            await old.start(public_url=old.base)
            async with receiving() as receiver:
                for number, person in enumerate(people):
                    await person.enter(f"Sailor {'AB'[number]}", f"http://127.0.0.1:{receiver.port}/{number}")
                first, second = (person.browsers[0] for person in people)
                room = await open_table(first, clock={"kind": "days", "days": 3})
                for browser in (first, second):
                    await sit(browser, room)
                await begin(room, first, second)
                await _called(receiver, 1)
                await new.start(public_url=new.base)
                for turn in range(6):
                    where = turn % 2  # alternately through the old and the new worker
                    await _play(room, [person.browsers[where] for person in people])
                    await _called(receiver, turn + 2)
                await asyncio.sleep(2)  # many rounds of both workers
        finally:
            for person in people:
                await person.close()
            for server in (old, new):
                await server.stop()
                server.close()
    deadlines = _deadlines(receiver)
    assert len(deadlines) == len(set(deadlines)) == 7, "one call per turn"


def _deadlines(receiver: Receiver) -> list[int]:
    """Return the deadlines of the turns that webhooks were called for.

    Between the start and the players' openings, a worker may also call for the opening.
    """
    games = [json.loads(body)["games"][0] for _, body in receiver.posted]
    return [game["deadline"] for game in games if game["waits_for"] == "move"]


async def _called(receiver: Receiver, times: int) -> None:
    """Wait until webhooks were called for this many turns; fail if a worker misses a turn."""
    async with asyncio.timeout(90):
        while len(_deadlines(receiver)) < times:
            await receiver.next_call()


async def _play(room: str, browsers: Sequence[httpx.AsyncClient]) -> None:
    """Let the player to move play a whole turn."""
    async with asyncio.timeout(60):
        while True:
            for browser in browsers:
                if (await browser.get(f"/api/v1/games/{room}")).json().get("choices"):
                    return await play_turn(browser, room)
            await asyncio.sleep(0.1)
