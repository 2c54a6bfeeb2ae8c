"""Network faults during play: what a client saw is always a prefix of the log, and it resumes at once."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tools.soak.fork_server import ForkServer, serving
from tools.soak.ledger import Tally, reading
from tools.soak.proxy import Proxy, proxied
from tools.soak.table_group import TableGroup

KINDS = ("cut", "cut_in_frame", "half_open", "refuse", "hang", "slow", "double")
_AWAY = 0.3  # duration of a fault that lasts, in seconds


@dataclass
class NetworkRun:
    """Number of faults by kind, and how long clients took to recover."""

    seed: int
    faults: Counter[str] = field(default_factory=Counter)
    back_in: list[float] = field(default_factory=list)
    """seconds from the network's return until a disconnected client was up to date"""
    cut: int = 0
    doubled: int = 0
    tally: Tally = field(default_factory=Tally)

    def p50(self) -> float:
        return self._share(0.5)

    def p95(self) -> float:
        return self._share(0.95)

    def _share(self, share: float) -> float:
        return sorted(self.back_in)[int(share * len(self.back_in))] if self.back_in else 0.0

    def __str__(self) -> str:
        kinds = ", ".join(f"{name} {count}" for name, count in sorted(self.faults.items()))
        return (
            f"{sum(self.faults.values())} faults ({kinds}), {self.cut} connections cut, {self.doubled} doubled, "
            f"{len(self.back_in)} resumes, back within {1000 * self.p50():.0f} ms (p50) and {1000 * self.p95():.0f} ms "
            f"(p95); {self.tally} (seed {self.seed})"
        )


async def disturb(
    fork_server: ForkServer,
    database_url: str,
    folder: Path,
    *,
    faults: int,
    seed: int,
    tables: int = 3,
    minutes: float = float("inf"),
) -> NetworkRun:
    """Inject this many network faults one after the other, and check everything after each."""
    run = NetworkRun(seed)
    until = time.monotonic() + 60 * minutes
    rng = Random(seed)
    async with (
        serving(fork_server, database_url, folder) as server,
        reading(database_url) as store,
        proxied(server.port, seed) as proxy,
    ):
        # Clients use the proxy's address as their origin, as a page would.
        group = TableGroup([proxy.base], store, seed)
        run.tally = group.tally
        try:
            await group.launch(tables, as_pages=True)
            for number in range(faults):
                await _one(proxy, group, run, rng, KINDS[number % len(KINDS)])
                if run.tally.wrong or time.monotonic() > until:
                    break
                await group.renew()
        finally:
            await group.close()
        run.doubled = proxy.doubled
    run.tally.wrong += server.tracebacks()
    return run


async def _one(proxy: Proxy, group: TableGroup, run: NetworkRun, rng: Random, kind: str) -> None:
    run.faults[kind] += 1
    await group.go_on()
    await group.moves(2)
    await asyncio.sleep(rng.uniform(0, 0.1))
    share = rng.uniform(0.3, 1.0)
    match kind:
        case "cut":
            run.cut += proxy.cut(share)
        case "cut_in_frame":
            run.cut += proxy.cut_in_frame(share)
            await group.moves(2)
        case "half_open":
            run.cut += proxy.half_open(share)
        case "refuse":
            run.cut += len(group.everybody)
            await proxy.refuses()
            await asyncio.sleep(_AWAY)
        case "hang":
            await proxy.hangs()
            await asyncio.sleep(_AWAY)
        case "slow":
            await proxy.slows(0.05)
            await group.moves(6)
        case "double":
            proxy.is_doubling = True
            run.cut += proxy.cut()
            await asyncio.gather(*(client.until(lambda client: client.greeted) for client in group.everybody))
            await group.moves(6)
            proxy.is_doubling = False
            run.cut += proxy.cut()
    await proxy.passes()
    returned = time.monotonic()
    lost = [client for client in group.everybody if not client.greeted]
    await asyncio.gather(*(client.until(lambda client: client.greeted) for client in lost))
    if lost and kind != "double":
        run.back_in += [max(0.0, client.greeted_at - returned) for client in lost]
    await group.rest()
    await group.check(views=True)
