"""A million players at once, on paper: every figure is a measured one times an assumption that is written down."""

# ruff: noqa: E501 - a paragraph of the page is a line, as in the other pages

from __future__ import annotations

__all__ = ["million"]

PLAYERS = 1_000_000
SEATS = 4
SECONDS = 5  # between two actions at a table: people think
ACTIONS_A_TURN = 3
WATCHING = 0.1  # spectators for each player
DAY_SHARE = 1 / 3  # of a day's mean load in the load of its best hour
BUSY = 0.6  # of a core that may be used before latency suffers
CORES = 16  # of a machine
SOCKETS_A_PROCESS = 10_000
FRAME_HEAD, TCP_IP = 4, 52  # bytes around a frame on the wire


def million(m: dict[str, float]) -> str:
    tables = PLAYERS // SEATS
    actions = tables / SECONDS
    turns = actions / ACTIONS_A_TURN
    sockets = PLAYERS * (1 + WATCHING)
    watchers = PLAYERS * WATCHING / tables
    worker_us = m["worker"] + watchers * m["spectator"]
    worker_cores = actions * worker_us / 1e6 / BUSY
    by_sockets = sockets / SOCKETS_A_PROCESS
    processes = max(worker_cores, by_sockets)
    a_process = actions / processes
    out = actions * (
        m["actor"] + (SEATS - 1 + watchers) * m["player"] + (SEATS + watchers) * (FRAME_HEAD + TCP_IP)
    )
    pg_cores = actions * m["postgres"] / 1e6 / BUSY
    redis_cores = actions * m["redis"] / 1e6
    rows_day = actions * 86_400 * DAY_SHARE
    lobby_in = turns * m["lobby_read"] / 1e6
    copies = min(SEATS + watchers, processes)
    heads = tables * copies / 1.5
    commit_s = 2 * m["batch"] / m["rate"]  # two workers, each with one commit under way
    batch = max(1.0, a_process * commit_s)
    commits = actions / batch
    per_pg = CORES * BUSY * 1e6 / m["postgres"]
    shards = max(2, round(pg_cores / CORES + 0.5) * 2)
    return f"""## 2. A million players at once, on paper

Assumed, and to be changed by whoever knows better: {SEATS} seats a table, an action every {SECONDS} seconds at each, {ACTIONS_A_TURN} actions a turn, one spectator for ten players, a day's mean of a third of its best hour, cores used to {BUSY:.0%}, machines of {CORES} cores as fast as the one measured. Everything else below is a figure of §1.

| what | derivation | figure |
|---|---|---|
| tables | {PLAYERS:,} ÷ {SEATS} | {tables:,} |
| actions a second | {tables:,} ÷ {SECONDS} s | **{actions:,.0f}/s** |
| CPU of workers | {actions:,.0f} × ({m["worker"]:.0f} + {watchers:.1f} × {m["spectator"]:.2f}) µs ÷ {BUSY} | **{worker_cores:,.0f} cores**, {worker_cores / CORES:,.0f} machines |
| sockets | {PLAYERS:,} × 1.1 | {sockets:,.0f} |
| memory of sockets | {sockets:,.0f} × {m["socket_kb"]:.1f} KB | {sockets * m["socket_kb"] / 2**20:,.1f} GB |
| processes | {worker_cores:,.0f} for CPU, {by_sockets:,.0f} for {SOCKETS_A_PROCESS:,} sockets each (assumed; {m["most_sockets"]:,.0f} were measured; {m["base_mb"]:.0f} + {SOCKETS_A_PROCESS * m["socket_kb"] / 1024:,.0f} MB) | {processes:,.0f}, {sockets / processes:,.0f} sockets and {a_process:,.0f} actions/s each |
| rooms in memory | {tables:,} × {copies:.1f} copies × {m["room_kb"]:.0f} KB: sockets of a table land anywhere | {tables * copies * m["room_kb"] / 2**20:,.0f} GB |
| bytes to people | {actions:,.0f} × ({m["actor"]:.0f} + {SEATS - 1 + watchers:.1f} × {m["player"]:.0f} + {SEATS + watchers:.1f} × {FRAME_HEAD + TCP_IP} of framing) | **{out / 1e6:,.0f} MB/s** ({8 * out / 1e9:,.2f} Gbit/s), {out / sockets:,.0f} bytes/s a socket |
| commits | one under way in each process; two workers made {m["rate"]:,.0f} actions/s in commits of {m["batch"]:.1f} entries, so one takes 2 × {m["batch"]:.1f} ÷ {m["rate"]:,.0f} s = {1000 * commit_s:.0f} ms and gathers {a_process:,.0f}/s × {1000 * commit_s:.0f} ms = {batch:.1f} entries | **{commits:,.0f} fsyncs/s** at most; PostgreSQL shares one among commits that wait together |
| CPU of PostgreSQL | {actions:,.0f} × {m["postgres"]:.0f} µs ÷ {BUSY} | {pg_cores:,.0f} cores |
| write-ahead log | {actions:,.0f} × {m["wal"]:,.0f} bytes | {actions * m["wal"] / 1e6:,.0f} MB/s |
| rows a day | {actions:,.0f} × 86,400 ÷ 3 | **{rows_day / 1e9:,.2f} billion** |
| storage | {rows_day / 1e9:,.2f} billion × {m["log"]:.0f} bytes | {rows_day * m["log"] / 1e12:,.2f} TB a day, {rows_day * m["log"] * 365 / 1e12:,.0f} TB a year |
| Redis, entries | {actions:,.0f} × {m["redis"]:.0f} µs | {redis_cores:,.1f} cores of a program that uses one |
| Redis, lobby rows | {turns:,.0f} turns/s × {m["lobby_bytes"]:.0f} bytes × {processes:,.0f} workers | {turns * m["lobby_bytes"] * processes / 1e9:,.1f} GB/s |
| reading lobby rows | {turns:,.0f} × {m["lobby_read"]:.1f} µs, in every worker | {100 * lobby_in:,.1f} % of each |
| comparing heads | {tables:,} × {copies:.1f} copies ÷ 1.5 s | {heads:,.0f} rows/s to look up; {heads * m["heads_us"] / 1e6:,.0f} cores of workers at {m["heads_us"]:.0f} µs |
| a machine lost | {sockets / processes * CORES:,.0f} sockets come back; {tables / processes * CORES:,.0f} rooms to load × {m["load_ms"]:.1f} ms on the rest | {tables / processes * CORES * m["load_ms"] / 1000 / max(1.0, processes - CORES):,.1f} s of each other core |

### What breaks first, and what to put in its place

With the load at which each does, by the figures above; where those are upper bounds, it carries more.

1. **Redis as one process**: at {1e6 / m["redis"]:,.0f} actions/s ({1e6 / m["redis"] * SECONDS * SEATS:,.0f} players) its one core is full. First the lobby must stop telling every worker of every turn: that is most of what Redis carries ({turns * m["lobby_bytes"] * processes / 1e9:,.1f} GB/s above). The row of a running game need not be told to strangers, and "your turn" only to the workers where that person looks at the lobby: a channel a person instead of one for all. Entries then shard by game over several Redis servers (`_channel` in `app/bus/redis_bus.py` is the one place that names a channel); nothing needs to be kept in step, as the bus only hurries.
2. **Comparing heads**: {heads:,.0f} lookups a second, because a table's sockets land on {copies:.1f} workers. A balancer that hashes the game's id in `/ws/game/{{id}}` onto workers (Caddy `lb_policy uri_hash`, HAProxy `balance uri`) puts a table on one worker: heads, copies of rooms and words about entries fall by that factor. It is a matter of speed only: a socket that lands elsewhere is still served.
3. **One PostgreSQL**: {per_pg:,.0f} actions/s ({per_pg * SECONDS * SEATS:,.0f} players) fill a machine of {CORES} cores at {m["postgres"]:.0f} µs each; {actions:,.0f} need {pg_cores:,.0f} cores and {actions * m["wal"] / 1e6:,.0f} MB/s of log. **Partition by game**: `games`, `heads`, `seats`, `log`, `due`, `chat` and `mutes` all carry the game's id and no transaction touches two games, so hash it over {shards} servers ({actions / shards:,.0f} actions/s, {pg_cores / shards:,.1f} cores and {rows_day / shards / 1e6:,.0f} million rows a day each). In code that is one class before `SqlGameStore` that picks a store by id; the group commit is then one a shard. People, sessions and accounts stay on a server of their own: they are read once a connection. Lists across shards (the lobby, "my games") need an index by person beside them.
4. **Storage**: {rows_day * m["log"] / 1e12:,.2f} TB a day do not belong on the fast disks. A finished game never changes: after a month its record (docs/interchange.md) goes to an object store and its rows are dropped with their month's partition. A record has 88 bytes an action and 8 when compressed (zlib -9 over `tests/golden/jamaica.json`, `tortuga.json` and `complete.json`): {rows_day * 8 * 365 / 1e12:,.1f} TB a year instead of {rows_day * m["log"] * 365 / 1e12:,.0f}.
5. **Sockets a machine**: {sockets / processes * CORES:,.0f} with {CORES} processes, {sockets / processes * CORES * m["socket_kb"] / 2**20:,.1f} GB. The kernel's limits (`fs.nr_open`, conntrack, ports between balancer and worker: 28,000 for each pair of addresses) want raising before memory does; give the balancer several addresses, or let sockets reach the workers directly by DNS.
6. **The sweeper**: bots and clocks are rows in `due`, claimed with SKIP LOCKED; they shard with their games.

Not an obstacle at this size: the length of games and the number of stored games (flat, §1), bytes ({8 * out / 1e9:,.2f} Gbit/s over {worker_cores / CORES:,.0f} machines), spectators of one famous game ({m["spectator"]:.2f} µs each: {BUSY * 1e6 / m["spectator"] / (1 / SECONDS) / 1e6:,.1f} million on one core at an action every {SECONDS} s, if memory allowed; spread over workers each tells its own).
"""
