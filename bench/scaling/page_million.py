"""A million players at once, on paper: every figure is a measured one times an assumption that is written down."""

# ruff: noqa: E501 - a paragraph of the page is a line, as in the other pages

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

__all__ = ["Measured", "million"]

PLAYERS = 1_000_000
SEATS = 4
SECONDS = 5  # between two actions at a table: people think
ENTRIES = 100  # of a game
ROWS = SEATS + 3  # that strangers see of a game: made, each seat taken, begun, over
LOOKS = (
    2 * SEATS + 2
)  # announcements of a game: each player comes to the lobby and leaves it, the room is taken and let go
WATCHING = 0.1  # spectators for each player
DAY_SHARE = 1 / 3  # of a day's mean load in the load of its best hour
BUSY = 0.6  # of a core that may be used before latency suffers
CORES = 16  # of a machine
SOCKETS_A_PROCESS = 10_000
FRAME_HEAD, TCP_IP = 4, 52  # bytes around a frame on the wire
HEADS_EVERY = 1.5  # seconds between two comparisons of a room's head (app/play/sync.py)


@dataclass(frozen=True)
class Measured:
    """The figures of §1 that are needed."""

    worker: float
    spread: float
    postgres: float
    messages: float
    actor: float
    player: float
    log: float
    wal: float
    batch: float
    rate: float
    spectator: float
    socket_kb: float
    most_sockets: float
    base_mb: float
    room_kb: float
    heads_us: float
    back_ms: float
    row_bytes: float
    row_us: float
    row_redis: float
    row_arrival: float
    look_bytes: float
    look_us: float
    look_redis: float
    look_arrival: float
    entry_redis: float
    entry_arrival: float

    @classmethod
    def of(cls, **found: Any) -> Measured:
        return cls(**{field.name: float(found[field.name]) for field in fields(cls)})


def million(m: Measured) -> str:
    tables = PLAYERS // SEATS
    actions = tables / SECONDS
    games = actions / ENTRIES
    sockets = PLAYERS * (1 + WATCHING)
    watchers = PLAYERS * WATCHING / tables
    worker_us = m.worker + watchers * m.spectator
    acting = actions * worker_us / 1e6
    by_sockets = sockets / SOCKETS_A_PROCESS
    hearing = games * (ROWS * m.row_us + LOOKS * m.look_us) / 1e6  # of a core, in every worker
    by_cpu = acting / BUSY if hearing >= BUSY else acting / (BUSY - hearing)
    processes = max(by_cpu, by_sockets)
    a_process = actions / processes
    out = actions * (m.actor + (SEATS - 1 + watchers) * m.player + (SEATS + watchers) * (FRAME_HEAD + TCP_IP))
    pg_cores = actions * m.postgres / 1e6 / BUSY
    rows_day = actions * 86_400 * DAY_SHARE
    told = games * (ROWS + LOOKS)
    redis_entries = actions * m.messages * (m.entry_redis + m.entry_arrival) / 1e6
    redis_all = (
        games
        * (
            ROWS * (m.row_redis + processes * m.row_arrival)
            + LOOKS * (m.look_redis + processes * m.look_arrival)
        )
        / 1e6
    )
    redis_bytes = games * processes * (ROWS * m.row_bytes + LOOKS * m.look_bytes)
    redis_players = PLAYERS / (redis_all + redis_entries)
    hearing_players = PLAYERS * BUSY / hearing
    heads = tables / HEADS_EVERY
    commit_s = 2 * m.batch / m.rate  # two workers, each with one commit under way
    batch = max(1.0, a_process * commit_s)
    commits = actions / batch
    per_pg = CORES * BUSY * 1e6 / m.postgres
    shards = max(2, round(pg_cores / CORES + 0.5) * 2)
    lost, rest = sockets / processes * CORES, max(1.0, processes - CORES)
    return f"""## 2. A million players at once, on paper

Assumed, and to be changed by whoever knows better: {SEATS} seats a table, an action every {SECONDS} seconds at each, games of {ENTRIES} entries, every player in the lobby once before each, {ROWS} rows of a game that strangers see (made, each seat taken, begun, over), one spectator for ten players, a day's mean of a third of its best hour, cores used to {BUSY:.0%}, machines of {CORES} cores as fast as the one measured, a balancer that sends a table's sockets to one worker. Everything else below is a figure of §1.

| what | derivation | figure |
|---|---|---|
| tables | {PLAYERS:,} ÷ {SEATS} | {tables:,} |
| actions a second | {tables:,} ÷ {SECONDS} s | **{actions:,.0f}/s** |
| games begun a second | {actions:,.0f} ÷ {ENTRIES} | {games:,.0f}/s |
| CPU of workers, actions | {actions:,.0f} × ({m.worker:.0f} + {watchers:.1f} × {m.spectator:.2f}) µs | **{acting:,.1f} cores** (with every table spread over two workers: {actions * m.spread / 1e6:,.1f}) |
| CPU of workers, hearing | {games:,.0f} games/s × ({ROWS} rows × {m.row_us:.0f} µs + {LOOKS} announcements × {m.look_us:.0f} µs), in **every** worker | {100 * hearing:,.0f} % of a core each |
| sockets | {PLAYERS:,} × 1.1 | {sockets:,.0f} |
| memory of sockets | {sockets:,.0f} × {m.socket_kb:.1f} KB | {sockets * m.socket_kb / 2**20:,.1f} GB |
| processes | {_by_cpu(acting, hearing, by_cpu)}, {by_sockets:,.0f} for {SOCKETS_A_PROCESS:,} sockets each (assumed; {m.most_sockets:,.0f} were measured; {m.base_mb:.0f} + {SOCKETS_A_PROCESS * m.socket_kb / 1024:,.0f} MB) | **{processes:,.0f}** on {processes / CORES:,.0f} machines; {sockets / processes:,.0f} sockets and {a_process:,.0f} actions/s each |
| rooms in memory | {tables:,} × {m.room_kb:.0f} KB: one copy, where its people are | {tables * m.room_kb / 2**20:,.0f} GB |
| bytes to people | {actions:,.0f} × ({m.actor:.0f} + {SEATS - 1 + watchers:.1f} × {m.player:.0f} + {SEATS + watchers:.1f} × {FRAME_HEAD + TCP_IP} of framing) | **{out / 1e6:,.0f} MB/s** ({8 * out / 1e9:,.2f} Gbit/s), {out / sockets:,.0f} bytes/s a socket |
| commits | one under way in each process; two workers made {m.rate:,.0f} actions/s in commits of {m.batch:.1f} entries, so one takes 2 × {m.batch:.1f} ÷ {m.rate:,.0f} s = {1000 * commit_s:.0f} ms and gathers {a_process:,.0f}/s × {1000 * commit_s:.0f} ms = {batch:.1f} entries | **{commits:,.0f} fsyncs/s** at most; PostgreSQL shares one among commits that wait together |
| CPU of PostgreSQL | {actions:,.0f} × {m.postgres:.0f} µs ÷ {BUSY} | {pg_cores:,.0f} cores |
| write-ahead log | {actions:,.0f} × {m.wal:,.0f} bytes | {actions * m.wal / 1e6:,.0f} MB/s |
| rows a day | {actions:,.0f} × 86,400 ÷ 3 | **{rows_day / 1e9:,.2f} billion** |
| storage | {rows_day / 1e9:,.2f} billion × {m.log:.0f} bytes | {rows_day * m.log / 1e12:,.2f} TB a day, {rows_day * m.log * 365 / 1e12:,.0f} TB a year |
| Redis, entries | {actions:,.0f} × {m.messages:.3f} messages × ({m.entry_redis:.1f} + {m.entry_arrival:.1f}) µs | {100 * redis_entries:,.1f} % of its core |
| Redis, rows and announcements | {told:,.0f}/s to {processes:,.0f} workers each: {told * processes:,.0f} arrivals/s at {m.look_arrival:.1f} (announcements) and {m.row_arrival:.1f} µs (rows) | **{redis_all:,.2f} cores** of a program that uses one; {redis_bytes / 1e6:,.0f} MB/s out |
| comparing heads | {tables:,} ÷ {HEADS_EVERY} s | {heads:,.0f} rows/s to look up; {heads * m.heads_us / 1e6:,.1f} cores of workers at {m.heads_us:.0f} µs |
| a machine lost | {lost:,.0f} people come back × {m.back_ms:.2f} ms, rooms included, on {rest:,.0f} other workers | {lost * m.back_ms / 1000 / rest:,.1f} s of each core |

### What breaks first, and what to put in its place

With the load at which each does, by the figures above; where those are upper bounds, it carries more.

1. **Redis as one process**: at {redis_players:,.0f} players its one core is full, of lobby rows and announcements of rooms, which go to all workers ({told * processes:,.0f} arrivals a second). Fewer messages help: rows of a fifth of a second in one message (as entries to one worker go already), and the lobby on a few workers of its own (the balancer can hash `/ws/lobby` by the visitor), so that the others need not hear rows at all. Announcements then fall away too where the balancer's hash says whose a table is: only who holds a room that is not its own must say so, and only to the one whose it is. Entries hardly reach it any more ({m.messages:.3f} messages an action); those that do can shard by worker over several Redis servers: each worker hears on a channel of its own, and nothing needs to be kept in step, as the bus only hurries.
2. **What every worker hears**: the same messages, so that another worker takes nothing off the others. At {hearing_players:,.0f} players they alone take {BUSY:.0%} of each core; one costs {min(m.look_us, m.row_us):.0f} to {max(m.look_us, m.row_us):.0f} µs to hear. The remedy is the same.
3. **One PostgreSQL**: {per_pg:,.0f} actions/s ({per_pg * SECONDS * SEATS:,.0f} players) fill a machine of {CORES} cores at {m.postgres:.0f} µs each; {actions:,.0f} need {pg_cores:,.0f} cores and {actions * m.wal / 1e6:,.0f} MB/s of log. **Partition by game**: `games`, `heads`, `seats`, `log`, `due`, `chat` and `mutes` all carry the game's id and no transaction touches two games, so hash it over {shards} servers ({actions / shards:,.0f} actions/s, {pg_cores / shards:,.1f} cores and {rows_day / shards / 1e6:,.0f} million rows a day each). In code that is one class before `SqlGameStore` that picks a store by id; the group commit is then one a shard. People, sessions and accounts stay on a server of their own: they are read once a connection. Lists across shards (the lobby, "my games") need an index by person beside them.
4. **Storage**: {rows_day * m.log / 1e12:,.2f} TB a day do not belong on the fast disks. A finished game never changes: after a month its record (docs/interchange.md) goes to an object store and its rows are dropped with their month's partition. A record has 88 bytes an action and 8 when compressed (zlib -9 over `tests/golden/jamaica.json`, `tortuga.json` and `complete.json`): {rows_day * 8 * 365 / 1e12:,.1f} TB a year instead of {rows_day * m.log * 365 / 1e12:,.0f}.
5. **Comparing heads**: {heads:,.0f} lookups a second, one for each room. It is the net under the bus; with affinity next to nothing falls into it, and a room that no other worker holds could be asked every minute instead of every {HEADS_EVERY} s.
6. **Sockets a machine**: {lost:,.0f} with {CORES} processes, {lost * m.socket_kb / 2**20:,.1f} GB. The kernel's limits (`fs.nr_open`, conntrack, ports between balancer and worker: 28,000 for each pair of addresses) want raising before memory does; give the balancer several addresses, or let sockets reach the workers directly by DNS.
7. **The sweeper**: bots and clocks are rows in `due`, claimed with SKIP LOCKED; they shard with their games.

Not an obstacle at this size: the length of games and the number of stored games (flat, §1), bytes ({8 * out / 1e9:,.2f} Gbit/s over {processes / CORES:,.0f} machines), people who come back at once (§1), spectators of one famous game ({m.spectator:.2f} µs each: {BUSY * 1e6 / m.spectator / (1 / SECONDS) / 1e6:,.1f} million on one core at an action every {SECONDS} s, if memory allowed; spread over workers each tells its own).
"""


def _by_cpu(acting: float, hearing: float, by_cpu: float) -> str:
    """How many processes the CPU asks for, in what hearing leaves of each."""
    if hearing >= BUSY:
        return f"{acting:,.1f} ÷ {BUSY} = {by_cpu:,.0f} for CPU, and hearing alone is more than each may use (see below)"
    return f"{acting:,.1f} ÷ ({BUSY} − {hearing:.2f}) = {by_cpu:,.0f} for CPU"
