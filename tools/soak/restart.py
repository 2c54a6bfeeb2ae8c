"""A graceful restart under load: everybody is told to resume, nobody is refused, and the pause is short."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from tools.soak.fleet import Fleet
from tools.soak.ledger import Tally, reading
from tools.soak.nursery import Nursery, Server


@dataclass
class RestartRun:
    """Every pause is a client's: from its last word before the stop to its greeting after it."""

    seed: int
    restarts: int = 0
    pauses: list[float] = field(default_factory=list)
    codes: dict[int, int] = field(default_factory=dict)
    byes: dict[str, int] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    def __str__(self) -> str:
        ordered = sorted(self.pauses) or [0.0]
        return (
            f"{self.restarts} restarts, {len(self.pauses)} resumes, pause {1000 * ordered[len(ordered) // 2]:.0f} ms "
            f"(p50), {1000 * ordered[-1]:.0f} ms (longest); closed with {self.codes}, told {self.byes}, "
            f"refused {self.refusals}; {self.tally} (seed {self.seed})"
        )


async def restart_under_load(
    nursery: Nursery, database_url: str, folder: Path, *, restarts: int, seed: int, tables: int = 6
) -> RestartRun:
    run = RestartRun(seed)
    server = Server(nursery, database_url, folder)
    await server.start()
    try:
        async with reading(database_url) as store:
            fleet = Fleet([server.base], store, seed)
            run.tally = fleet.tally
            try:
                await fleet.launch(tables)
                for _ in range(restarts):
                    await _one(server, fleet, run)
                    await fleet.renew()
            finally:
                await fleet.close()
    finally:
        await server.stop()
        server.close()
    run.tally.wrong += server.tracebacks()
    return run


async def _one(server: Server, fleet: Fleet, run: RestartRun) -> None:
    await fleet.go_on()
    await fleet.moves(3)
    for hand in fleet.everybody:
        hand.closed_with.clear()
        hand.byes.clear()
    known = {hand: set(hand.noted.refused) for hand in fleet.everybody}
    began = time.monotonic()
    await server.stop()
    await server.start()
    run.restarts += 1
    for hand in fleet.everybody:
        await hand.until(lambda hand: hand.greeted and hand.greeted_at > began)
        run.pauses.append(hand.greeted_at - began)
        for code in hand.closed_with[:1]:
            run.codes[code] = run.codes.get(code, 0) + 1
        for word in hand.byes:
            run.byes[word] = run.byes.get(word, 0) + 1
        codes = [code for command, code in hand.noted.refused.items() if command not in known[hand]]
        run.refusals += [code for code in codes if code != "stale"]  # a move that was too late is no fault
    await fleet.moves(2)
    await fleet.rest()
    await fleet.check(views=True, fresh=True)
