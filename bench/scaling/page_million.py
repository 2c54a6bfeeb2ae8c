"""Estimate for a million concurrent players: measured figures times stated assumptions."""

# ruff: noqa: E501 - a paragraph of the page is a line, as in the other pages

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

__all__ = ["Measured", "million"]

PLAYERS = 1_000_000
SEATS = 4
SECONDS = 5  # between two actions at a table
ENTRIES = 100  # per game
ROWS = SEATS + 3  # lobby rows per game: created, each seat taken, started, over
# Per game: each player enters and leaves the lobby, a worker loads and unloads the room.
ANNOUNCEMENTS = 2 * SEATS + 2
WATCHING = 0.1  # spectators per player
DAY_SHARE = 1 / 3  # mean load of a day ÷ load of its busiest hour
BUSY = 0.6  # share of a core that may be used before latency suffers
CORES = 16  # per machine
SOCKETS_A_PROCESS = 10_000
FRAME_HEAD, TCP_IP = 4, 52  # bytes around a frame on the wire
HEADS_EVERY = 1.5  # seconds between two comparisons of a room's head (app/play/sync.py)


@dataclass(frozen=True)
class Measured:
    """The figures of §1 that the estimate needs."""

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
    announcement_bytes: float
    announcement_us: float
    announcement_redis: float
    announcement_arrival: float
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
    receiving = games * (ROWS * m.row_us + ANNOUNCEMENTS * m.announcement_us) / 1e6  # cores/worker
    by_cpu = acting / BUSY if receiving >= BUSY else acting / (BUSY - receiving)
    processes = max(by_cpu, by_sockets)
    a_process = actions / processes
    out = actions * (m.actor + (SEATS - 1 + watchers) * m.player + (SEATS + watchers) * (FRAME_HEAD + TCP_IP))
    pg_cores = actions * m.postgres / 1e6 / BUSY
    rows_day = actions * 86_400 * DAY_SHARE
    broadcasts = games * (ROWS + ANNOUNCEMENTS)
    redis_entries = actions * m.messages * (m.entry_redis + m.entry_arrival) / 1e6
    redis_all = (
        games
        * (
            ROWS * (m.row_redis + processes * m.row_arrival)
            + ANNOUNCEMENTS * (m.announcement_redis + processes * m.announcement_arrival)
        )
        / 1e6
    )
    redis_bytes = games * processes * (ROWS * m.row_bytes + ANNOUNCEMENTS * m.announcement_bytes)
    redis_players = PLAYERS / (redis_all + redis_entries)
    receiving_players = PLAYERS * BUSY / receiving
    heads = tables / HEADS_EVERY
    commit_s = 2 * m.batch / m.rate  # two workers, one commit at a time each
    batch = max(1.0, a_process * commit_s)
    commits = actions / batch
    per_pg = CORES * BUSY * 1e6 / m.postgres
    shards = max(2, round(pg_cores / CORES + 0.5) * 2)
    lost, rest = sockets / processes * CORES, max(1.0, processes - CORES)
    return f"""## 2. A million concurrent players (estimate)

Assumptions (constants in `bench/scaling/page_million.py`); all other figures are from §1:

- {SEATS} seats per table, an action every {SECONDS} seconds at each table, games of {ENTRIES} entries;
- every player visits the lobby once before each game, which has {ROWS} public lobby rows (created, each seat taken, started, over);
- one spectator per ten players; the mean load of a day is a third of its busiest hour;
- cores used to {BUSY:.0%}, machines of {CORES} cores as fast as the measured ones, and a balancer with affinity.

| what | derivation | figure |
|---|---|---|
| tables | {PLAYERS:,} ÷ {SEATS} | {tables:,} |
| actions per second | {tables:,} ÷ {SECONDS} s | **{actions:,.0f}/s** |
| games started per second | {actions:,.0f} ÷ {ENTRIES} | {games:,.0f}/s |
| worker CPU, actions | {actions:,.0f} × ({m.worker:.0f} + {watchers:.1f} × {m.spectator:.2f}) µs | **{acting:,.1f} cores** (with every table spread over two workers: {actions * m.spread / 1e6:,.1f}) |
| worker CPU, receiving | {games:,.0f} games/s × ({ROWS} rows × {m.row_us:.0f} µs + {ANNOUNCEMENTS} announcements × {m.announcement_us:.0f} µs), on **every** worker | {100 * receiving:,.0f} % of a core each |
| sockets | {PLAYERS:,} × 1.1 | {sockets:,.0f} |
| memory of sockets | {sockets:,.0f} × {m.socket_kb:.1f} KB | {sockets * m.socket_kb / 2**20:,.1f} GB |
| processes | {_by_cpu(acting, receiving, by_cpu)}, {by_sockets:,.0f} for {SOCKETS_A_PROCESS:,} sockets each (assumed; {m.most_sockets:,.0f} were measured; {m.base_mb:.0f} + {SOCKETS_A_PROCESS * m.socket_kb / 1024:,.0f} MB) | **{processes:,.0f}** on {processes / CORES:,.0f} machines; {sockets / processes:,.0f} sockets and {a_process:,.0f} actions/s each |
| rooms in memory | {tables:,} × {m.room_kb:.0f} KB, one copy each | {tables * m.room_kb / 2**20:,.0f} GB |
| bytes to clients | {actions:,.0f} × ({m.actor:.0f} + {SEATS - 1 + watchers:.1f} × {m.player:.0f} + {SEATS + watchers:.1f} × {FRAME_HEAD + TCP_IP} of framing) | **{out / 1e6:,.0f} MB/s** ({8 * out / 1e9:,.2f} Gbit/s), {out / sockets:,.0f} bytes/s per socket |
| commits | one at a time per process; two workers made {m.rate:,.0f} actions/s in commits of {m.batch:.1f} entries, so one takes 2 × {m.batch:.1f} ÷ {m.rate:,.0f} s = {1000 * commit_s:.0f} ms and collects {a_process:,.0f}/s × {1000 * commit_s:.0f} ms = {batch:.1f} entries | **{commits:,.0f} fsyncs/s** at most; PostgreSQL shares one among waiting commits |
| PostgreSQL CPU | {actions:,.0f} × {m.postgres:.0f} µs ÷ {BUSY} | {pg_cores:,.0f} cores |
| write-ahead log | {actions:,.0f} × {m.wal:,.0f} bytes | {actions * m.wal / 1e6:,.0f} MB/s |
| rows per day | {actions:,.0f} × 86,400 ÷ 3 | **{rows_day / 1e9:,.2f} billion** |
| storage | {rows_day / 1e9:,.2f} billion × {m.log:.0f} bytes | {rows_day * m.log / 1e12:,.2f} TB a day, {rows_day * m.log * 365 / 1e12:,.0f} TB a year |
| Redis, entries | {actions:,.0f} × {m.messages:.3f} messages × ({m.entry_redis:.1f} + {m.entry_arrival:.1f}) µs | {100 * redis_entries:,.1f} % of its core |
| Redis, rows and announcements | {broadcasts:,.0f}/s to {processes:,.0f} workers each: {broadcasts * processes:,.0f} arrivals/s at {m.announcement_arrival:.1f} (announcements) and {m.row_arrival:.1f} µs (rows) | **{redis_all:,.2f} cores** (Redis uses one); {redis_bytes / 1e6:,.0f} MB/s out |
| comparing heads | {tables:,} ÷ {HEADS_EVERY} s | {heads:,.0f} lookups/s; {heads * m.heads_us / 1e6:,.1f} worker cores at {m.heads_us:.0f} µs |
| loss of a machine | {lost:,.0f} people reconnect × {m.back_ms:.2f} ms, rooms included, on {rest:,.0f} other workers | {lost * m.back_ms / 1000 / rest:,.1f} s of each core |

### What breaks first

Loads follow from the figures above; where those are upper bounds, the part carries more.

1. **Redis as one process.** At {redis_players:,.0f} players its one core is full of lobby rows and room announcements, which go to all workers ({broadcasts * processes:,.0f} arrivals per second).
   - Batch the lobby rows of a fifth of a second into one message, as entries to one worker already are.
   - Serve the lobby from a few dedicated workers (the balancer can hash `/ws/lobby` by visitor); the others then need no rows.
   - Let the balancer's hash define each table's owner: only a worker that holds another owner's room announces it, and only to that owner.
   - Shard the few remaining entries ({m.messages:.3f} messages per action) by receiving worker over several Redis servers. That needs no coordination: each worker has its own channel, and the bus only speeds delivery up.
2. **Messages to every worker.** Adding workers does not reduce them. At {receiving_players:,.0f} players they take {BUSY:.0%} of each core, at {min(m.announcement_us, m.row_us):.0f} to {max(m.announcement_us, m.row_us):.0f} µs per message. The remedies are the same.
3. **One PostgreSQL.** {per_pg:,.0f} actions/s ({per_pg * SECONDS * SEATS:,.0f} players) fill a machine of {CORES} cores at {m.postgres:.0f} µs each; {actions:,.0f} need {pg_cores:,.0f} cores and {actions * m.wal / 1e6:,.0f} MB/s of write-ahead log.
   - **Partition by game**: `games`, `heads`, `seats`, `log`, `due`, `chat` and `mutes` all carry the game's id, and no command touches two games. Hash the id over {shards} servers ({actions / shards:,.0f} actions/s, {pg_cores / shards:,.1f} cores and {rows_day / shards / 1e6:,.0f} million rows a day each).
   - In code: one class in front of `SqlGameStore` that picks a store by id, and one group commit per shard.
   - People, sessions and accounts stay on their own server: they are read once per connection. Lists across shards (the lobby, "my games") need an index by person.
4. **Storage.** {rows_day * m.log / 1e12:,.2f} TB a day do not belong on fast disks. A finished game never changes: after a month, move its record ([interchange.md](interchange.md)) to an object store and drop its rows with the month's partition. A record has 88 bytes per action, 8 when compressed (zlib -9 over `tests/golden/jamaica.json`, `tortuga.json` and `complete.json`): {rows_day * 8 * 365 / 1e12:,.1f} TB a year instead of {rows_day * m.log * 365 / 1e12:,.0f}.
5. **Comparing heads.** {heads:,.0f} lookups per second, one per room, as the safety net of the bus. With affinity it finds almost nothing; a room that no other worker holds could be compared every minute instead of every {HEADS_EVERY} s.
6. **Sockets per machine.** {lost:,.0f} with {CORES} processes, {lost * m.socket_kb / 2**20:,.1f} GB. Kernel limits come before memory: `fs.nr_open`, conntrack, and ports between balancer and worker (28,000 per pair of addresses). Give the balancer several addresses, or route sockets to the workers by DNS.
7. **The sweeper.** Bots and clocks are rows in `due`, claimed with SKIP LOCKED; they shard with their games.

Not a problem at this size:

- the length of games, the number of stored games and mass reconnects (§1);
- bandwidth: {8 * out / 1e9:,.2f} Gbit/s over {processes / CORES:,.0f} machines;
- spectators of one famous game: at {m.spectator:.2f} µs each and an action every {SECONDS} s, one core serves {BUSY * 1e6 / m.spectator / (1 / SECONDS) / 1e6:,.1f} million (memory aside), and each worker sends to its own.
"""


def _by_cpu(acting: float, receiving: float, by_cpu: float) -> str:
    """Return the number of processes needed for CPU, after what receiving takes of each."""
    if receiving >= BUSY:
        return f"{acting:,.1f} ÷ {BUSY} = {by_cpu:,.0f} for CPU, and receiving alone exceeds the limit (see below)"
    return f"{acting:,.1f} ÷ ({BUSY} − {receiving:.2f}) = {by_cpu:,.0f} for CPU"
