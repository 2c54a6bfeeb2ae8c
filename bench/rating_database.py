"""Ratings on a database: a streaming rebuild of many games, and what a long history costs.

    python -m bench.rating_database rebuild                    1,000,000 games on SQLite: some ten minutes with filling
    python -m bench.rating_database rebuild --games 20000      less
    python -m bench.rating_database profile                    a person with 10,000 games

Prints seconds, CPU seconds and the peak of resident memory of the process that rebuilds, which only rebuilds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy import Connection, insert, text

from app.ratings.model import INITIAL
from app.ratings.ranks import rank_people
from app.store.database import open_database
from app.store.migrate import upgrade
from app.store.ratings.projection import RatingProjection
from app.store.ratings.reading import RatingReader
from app.store.ratings.rebuild import Rebuild
from app.store.tables.games import games, seats
from app.store.tables.ratings import rating_changes, ratings

PLAYERS = 20_000
START_MS = 1_700_000_000_000
GAP_MS = 60_000  # a game a minute: a million in two years
_BATCH = 5_000
_PROFILE_GAMES = 10_000
_ROUNDS = 20


def make_rows(first: int, count: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return rows of finished rated games of two to five people, and of their seats."""
    made, seated = [], []
    for number in range(first, first + count):
        chance = Random(number)
        players = chance.choice((2, 2, 3, 4, 5))
        people = [f"p{person:07}" for person in chance.sample(range(PLAYERS), players)]
        places = chance.sample(range(1, players + 1), players)
        hands = chance.choice(("open", "hidden"))
        result = {"winner": places.index(1), "places": places, "reason": "goal"}
        result["ranks"] = rank_people(places, range(players), ())
        ended_at = START_MS + number * GAP_MS
        game = f"g{number:09}"
        made.append(
            {
                "id": game, "rules_version": 4, "preset": "jamaica", "founded": "{}",
                "options": json.dumps({"preset": "jamaica", "players": players, "hands": hands}),
                "terms": '{"clock":{"kind":"none"}}', "is_listed": True, "is_watchable": True, "server_seed": "",
                "commitment": "", "creator": people[0], "created_at": ended_at, "status": "finished",
                "players": players, "taken": players, "bots": 0, "host": people[0], "started_at": ended_at,
                "ended_at": ended_at, "result": json.dumps(result), "is_rated": True,
            }
        )  # fmt: skip
        seated += [
            {"game": game, "seat": seat, "person": person, "name": "", "colour": "red", "place": places[seat]}
            for seat, person in enumerate(people)
        ]
    return made, seated


async def fill(url: str, count: int) -> None:
    """Write the games, as if they had been played over years."""
    database = open_database(url)
    await upgrade(database)

    def write(conn: Connection, first: int) -> None:
        made, seated = make_rows(first, min(_BATCH, count - first))
        conn.execute(insert(games), made)
        conn.execute(insert(seats), seated)

    for first in range(0, count, _BATCH):
        await database.migrate(lambda conn: write(conn, first))  # noqa: B023
    await database.close()


async def rebuild(url: str, *, writes: bool) -> dict[str, float]:
    """Run one rebuild or check in this process."""
    database = open_database(url)
    began, cpu = time.monotonic(), time.process_time()

    async def read_result(game: str) -> dict[str, Any]:
        raise AssertionError(f"{game} has ranks")

    run = Rebuild(
        RatingProjection(database, "bench", is_command=True),
        read_result,
        lambda: time.time_ns() // 1_000_000,
        writes=writes,
    )
    report = await run.run()
    found = {
        "games": report.games,
        "different": report.different,
        "seconds": time.monotonic() - began,
        "cpu": time.process_time() - cpu,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    await database.close()
    return found


def measure_rebuild(count: int, folder: str) -> Iterator[str]:
    """Yield a table: a rebuild into empty tables, one that finds nothing to write, and a check."""
    url = f"sqlite:///{folder}/ratings.db"
    began = time.monotonic()
    asyncio.run(fill(url, count))
    size = Path(folder, "ratings.db").stat().st_size / 1e6
    yield f"{count:,} games of {PLAYERS:,} people; filling took {time.monotonic() - began:.0f} s, {size:.0f} MB"
    yield ""
    yield "| run | seconds | CPU seconds | games a second | peak memory, MB |"
    yield "|---|---|---|---|---|"
    for name, deed in (
        ("into empty tables", "write"),
        ("again, nothing differs", "write"),
        ("check", "check"),
    ):
        command = [sys.executable, "-m", "bench.rating_database", "one", "--url", url, "--deed", deed]
        found = json.loads(subprocess.check_output(command))
        assert found["games"] == count
        yield (
            f"| {name} | {found['seconds']:.0f} | {found['cpu']:.0f} | {count / found['seconds']:,.0f} | "
            f"{found['peak_mb']:.0f} |"
        )


async def measure_profile(folder: str) -> list[str]:
    """Return what the queries of a profile cost for a person with a long history, threads included."""
    database = open_database(f"sqlite:///{folder}/profile.db")
    await upgrade(database)
    person, pool = "p_long", "duel-hidden"
    change = {
        "person": person, "seat": 0, "pool": pool, "company": "c", "rank": 1, "timed_out": False, "weight": 1.0,
        "mu_before": INITIAL.mu, "sigma_before": 3.0, "mu": INITIAL.mu, "sigma": 3.0,
    }  # fmt: skip

    def write(conn: Connection) -> None:
        made, _ = make_rows(0, _PROFILE_GAMES)
        conn.execute(insert(games), [{**row, "players": 2} for row in made])
        taken = [
            {"game": row["id"], "seat": seat, "person": (person, None)[seat], "name": "", "colour": "red",
             "bot": (None, "mate")[seat], "place": seat + 1}
            for row in made for seat in (0, 1)
        ]  # fmt: skip
        conn.execute(insert(seats), taken)
        conn.execute(
            insert(rating_changes),
            [
                {**change, "game": row["id"], "ended_at": row["ended_at"], "games": number}
                for number, row in enumerate(made, 1)
            ],
        )
        row = {"person": person, "pool": pool, "mu": 25.0, "sigma": 3.0, "games": _PROFILE_GAMES}
        conn.execute(insert(ratings).values(**row, best=1500, last_at=made[-1]["ended_at"]))
        conn.execute(
            text(
                "INSERT INTO players (id, name, skeleton, is_account, is_bot, made_at, seen_at) "
                "VALUES ('p_long', 'Long', 'long', 1, 0, 1, 1)"
            )
        )

    await database.migrate(write)
    reader = RatingReader(database)
    now = START_MS + _PROFILE_GAMES * GAP_MS
    lines = [f"| a person with {_PROFILE_GAMES:,} games | CPU ms, mean of {_ROUNDS} |", "|---|---|"]
    for name, query in (
        ("figures and places", lambda: reader.read_person(person, now)),
        ("history, at most 400 points", lambda: reader.read_history(person, "duel-hidden")),
        ("results against bots, 500 games", lambda: reader.read_bot_games([person])),
    ):
        await query()
        began = time.process_time()
        for _ in range(_ROUNDS):
            await query()
        lines.append(f"| {name} | {1000 * (time.process_time() - began) / _ROUNDS:.1f} |")
    await database.close()
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=("rebuild", "profile", "one"))
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--deed", choices=("write", "check"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part == "one":
        print(json.dumps(asyncio.run(rebuild(arguments.url, writes=arguments.deed == "write"))))
        return
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        if arguments.part == "rebuild":
            for line in measure_rebuild(arguments.games, folder):
                print(line, flush=True)
        else:
            print("\n".join(asyncio.run(measure_profile(folder))))


if __name__ == "__main__":
    main()
