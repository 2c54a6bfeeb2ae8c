"""kill -9 under play: at random instants and at fault points; everybody resumes, the ledger finds nothing lost."""

from __future__ import annotations

import asyncio
import functools
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tools.soak.deckhand import Deckhand
from tools.soak.fleet import Crewed, Fleet
from tools.soak.ledger import Tally, reading
from tools.soak.nursery import Nursery, Server

POINTS = (
    "before_append",
    "before_commit",
    "after_commit",
    "after_ack",
    "loading",
    "evicting",
    "chatting",
)
_POINT_SECONDS = 1.5  # a point that is not passed by then is killed at, as a random instant


def long_plan(kills: int) -> list[str]:
    """Every second kill at a random instant, the others at the points in turn."""
    return [POINTS[number // 2 % len(POINTS)] if number % 2 else "random" for number in range(kills)]


@dataclass
class KillRun:
    """How many kills, where, and what the ledger says."""

    seed: int
    kills: Counter[str] = field(default_factory=Counter)
    tally: Tally = field(default_factory=Tally)
    restarts: list[float] = field(default_factory=list)
    resumed: int = 0
    at_rest: int = 0  # kills between moves, to start a server with a fault; not among the kills
    games: int = 0

    def __str__(self) -> str:
        points = ", ".join(f"{name} {count}" for name, count in sorted(self.kills.items()))
        return (
            f"{sum(self.kills.values())} kills ({points}), {self.resumed} resumes, {self.games} games; "
            f"{self.tally} (seed {self.seed})"
        )


async def kill_under_play(
    nursery: Nursery,
    database_url: str,
    folder: Path,
    *,
    plan: Sequence[str],
    seed: int,
    tables: int = 4,
    say: bool = False,
    **terms: Any,
) -> KillRun:
    """A kill for each item of the plan: a fault point, or `random`; after each, everything is checked.

    Stops at the first thing that is wrong.
    """
    run = KillRun(seed)
    rng = Random(seed)
    server = Server(nursery, database_url, folder, idle_seconds=0.5)
    await server.start()
    try:
        async with reading(database_url) as store:
            fleet = Fleet([server.base], store, seed)
            try:
                await fleet.launch(tables, **terms)
                for number, point in enumerate(plan):
                    await _one(server, fleet, run, rng, point)
                    if run.tally.wrong:
                        break
                    await fleet.renew()
                    if say and (number + 1) % 25 == 0:
                        print(f"  {run}", flush=True)
                run.games = fleet.finished + len(fleet.tables)
                run.resumed = sum(hand.resumed for hand in fleet.everybody)
            finally:
                await fleet.close()
    finally:
        await server.stop()
        server.close()
    run.tally = fleet.tally
    if "Traceback" in server.said():
        run.tally.wrong.append("the server's log has a traceback:\n" + server.said()[-2000:])
    return run


async def _one(server: Server, fleet: Fleet, run: KillRun, rng: Random, point: str) -> None:
    """One kill: at a fault point of a server started with it, or at a random instant."""
    if point != "random":
        # The point lies in the life after this kill: restart with it, let everybody come back into it.
        await server.kill()
        run.at_rest += 1
        await server.start(fault=f"{point}:{rng.randint(1, 1 if point in ('evicting', 'loading') else 6)}")
        for hand in fleet.everybody:
            hand.chatty = 0.3 if point == "chatting" else 0.03
        idle = fleet.tables[rng.randrange(len(fleet.tables))] if point == "evicting" else None
        if idle is not None:
            await _go_away(idle)
        await fleet.go_on()
        if not await server.gone(_POINT_SECONDS + 3 * (point == "evicting")):
            point = "random"
            await server.kill()
        if idle is not None:
            _come_back(idle)
    else:
        await fleet.go_on()
        await asyncio.sleep(rng.uniform(0.0, 0.4))
        await server.kill()
    server.pid = 0
    died = int(time.time() * 1000)
    run.kills[point] += 1
    # Before the server is back: nothing may have been shown that the log does not have.
    run.tally = fleet.tally
    await fleet.check(views=False)
    began = time.monotonic()
    born = int(time.time() * 1000)
    await server.start()
    run.restarts.append(time.monotonic() - began)
    await _somebody_moves(fleet)
    await fleet.rest()
    await fleet.check(views=True, fresh=rng.random() < 0.1)
    for crewed in fleet.tables:
        _check_credit(crewed, died, born, fleet.tally)


async def _somebody_moves(fleet: Fleet) -> None:
    """At every table that still plays: clocks are only credited when somebody looks at them."""
    await fleet.go_on()
    for crewed in fleet.tables:
        hand = crewed.players[0]
        before = len(crewed.book.entries)
        await hand.until(functools.partial(_has_moved, before))


def _has_moved(before: int, hand: Deckhand) -> bool:
    return hand.is_over or (hand.seq or 0) > before + 1


def _check_credit(crewed: Crewed, died: int, born: int, tally: Tally) -> None:
    """The time without a server counts for nobody: the log says so for all of it."""
    table = crewed.book.table
    if table is None or table.is_over:
        return
    spans = [(e.body["began"], e.body["ended"]) for e in crewed.book.entries if e.kind == "credited"]
    if not any(began <= died and ended >= born for began, ended in spans):
        tally.wrong.append(f"{crewed.book.game}: dead from {died} to {born}, credited {spans[-3:]}")


async def _go_away(crewed: Crewed) -> None:
    for hand in crewed.hands:
        await hand.leave()


def _come_back(crewed: Crewed) -> None:
    for hand in crewed.hands:
        hand.come_back()
