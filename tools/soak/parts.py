"""The parts of `make soak`, each with its length; a part returns what was wrong, which should be nothing."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path

from tools.services import Postgres
from tools.soak.kills import kill_under_play
from tools.soak.long import play_long, plot
from tools.soak.nursery import Nursery


@dataclass
class Ship:
    """What a part works with."""

    nursery: Nursery
    postgres: Postgres
    folder: Path
    seed: int
    scale: float
    plot: Path | None

    def sqlite(self, name: str) -> str:
        return f"sqlite+aiosqlite:///{self.folder / name}.db"

    def postgresql(self) -> str:
        return self.postgres.url(self.postgres.create_database())

    def times(self, whole: int) -> int:
        return max(1, round(whole * self.scale))


@dataclass(frozen=True)
class Part:
    says: str
    minutes: float
    run: Callable[[Ship], Coroutine[None, None, list[str]]]


async def _kill(ship: Ship) -> list[str]:
    wrong: list[str] = []
    for name, url in (("sqlite", ship.sqlite("kill")), ("postgresql", ship.postgresql())):
        run = await kill_under_play(
            ship.nursery, url, ship.folder / name, kills=ship.times(500), seed=ship.seed, say=True
        )
        print(f"{name}: {run}")
        wrong += run.tally.wrong
    return wrong


async def _long(ship: Ship) -> list[str]:
    seconds = 2700 * ship.scale
    run = await play_long(
        ship.nursery,
        ship.sqlite("long"),
        ship.folder / "long",
        seconds=seconds,
        tables=12,
        seed=ship.seed,
        say=print,
    )
    print(run)
    if ship.plot is not None:
        plot(run, ship.plot)
    grown = [
        f"{name} grew by {run.growth(name):.2f}"
        for name in ("memory", "handles", "tasks", "rooms")
        if run.growth(name) > 1.15
    ]
    return run.tally.wrong + grown


PARTS: dict[str, Part] = {
    "kill": Part("kill -9 under play, on SQLite and PostgreSQL", 35, _kill),
    "long": Part("games by programs; memory, tasks and handles stay flat", 45, _long),
}
