"""docs/scale.md, written from what was measured: tables, then every figure for a million players derived from them."""

# ruff: noqa: E501 - a paragraph of the page is a line, as in the other pages

from __future__ import annotations

from statistics import median
from typing import Any

from bench.scaling.load import ACTIONS, PACE, PLAYERS, TABLES
from bench.scaling.page_million import million
from bench.scaling.stored import ENTRIES

__all__ = ["page"]

_HEAD = f"""# Scale

What one process carries, what it costs to grow, and what a site with a million players at once would need. `make bench-scale` measures all of it again and writes this page, its plots and [numbers.json](scale/numbers.json); the second half is arithmetic on the first.

Measured on a machine with two cores that **all parts share**: workers, PostgreSQL, Redis and the load generator. So two workers cannot be twice as fast here; CPU per action is the figure to plan with, actions a second are what was left over for the server. Everything is on: sessions, limits (raised, because all load comes from one address), hidden hands, durable commits (`synchronous=FULL`, `fsync` and `synchronous_commit` on), metrics.

## 1. Measured

### Workers

{TABLES} tables of {PLAYERS}, {ACTIONS} actions each, one in flight a table; with two workers the seats of every table are spread over both, the worst case: every action crosses the bus. Latency runs from sending an action until the last player has it. The last column is at {PACE:.0f} actions a second.
"""


def _of(runs: list[dict[str, Any]], *path: str) -> float:
    values = []
    for run in runs:
        found: Any = run
        for key in path:
            found = found.get(key, 0.0)
        values.append(float(found))
    return median(values)


def _conditions(numbers: dict[str, Any]) -> str:
    """How busy the machine was with other things: above the number of cores the figures are upper bounds."""
    parts = ", ".join(f"{part} {busy:.0f}" for part, busy in numbers["load_average"].items())
    verdict = (
        "Other work held both cores then: CPU per action, times and latencies are upper bounds, actions a second a lower "
        "one, and single points stray. Bytes, rows and memory do not depend on it. Measure again on a quiet machine."
        if max(numbers["load_average"].values()) > 3
        else "The machine was otherwise quiet."
    )
    return f"Load average of the machine while it was measured: {parts}. {verdict}\n"


def _load(numbers: dict[str, Any]) -> list[str]:
    rows = [
        "| on | actions/s | p50 ms | p99 ms | worker µs/action | PostgreSQL µs | Redis µs | entries a commit | paced p50 / p99 ms |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    names = {"sqlite": "SQLite, 1 process", "1": "PostgreSQL + Redis, 1 worker", "2": "the same, 2 workers"}
    for key, name in names.items():
        runs = numbers["load"][key]
        rows.append(
            f"| {name} | {_of(runs, 'per_second'):,.0f} | {_of(runs, 'p50_ms'):.1f} | {_of(runs, 'p99_ms'):.1f} | "
            f"{_of(runs, 'cpu_us', 'workers'):.0f} | {_of(runs, 'cpu_us', 'postgres'):.0f} | "
            f"{_of(runs, 'cpu_us', 'redis'):.0f} | {_of(runs, 'entries_a_commit'):.1f} | "
            f"{_of(runs, 'paced_p50_ms'):.1f} / {_of(runs, 'paced_p99_ms'):.1f} |"
        )
    two = numbers["load"]["2"]
    counts = ", ".join(f"{name}: {len(numbers['load'][key])}" for key, name in names.items())
    rows += [
        "",
        (
            f"Medians of interleaved rounds ({counts}). An update is {_of(two, 'frame_bytes', 'player'):.0f} bytes to a seat "
            f"that is not to act, {_of(two, 'frame_bytes', 'actor'):.0f} with the list of choices to the one that is. "
            f"An entry takes {_of(two, 'log_bytes_an_entry'):.0f} bytes in PostgreSQL's log table with its indexes and "
            f"{_of(two, 'wal_bytes_an_entry'):.0f} bytes of write-ahead log (heads, due rows and full pages included). Through Redis go "
            f"{_of(two, 'redis_bytes_an_entry', 'input'):.0f} bytes in and {_of(two, 'redis_bytes_an_entry', 'output'):.0f} out an entry, "
            f"to two workers. A word about an entry is {numbers['news']['entry']['bytes']:.0f} bytes and costs "
            f"{numbers['news']['entry']['write_us']:.1f} µs to write and {numbers['news']['entry']['read_us']:.1f} µs to read; one about a lobby row "
            f"{numbers['news']['lobby']['bytes']:.0f} bytes, {numbers['news']['lobby']['write_us']:.1f} and {numbers['news']['lobby']['read_us']:.1f} µs."
        ),
        "",
    ]
    return rows


def _growth(numbers: dict[str, Any]) -> list[str]:
    lengths = numbers["lengths"]
    costs = [each["cpu_us"] for each in lengths]
    crowd, socket = numbers["crowds_fit"], numbers["sockets_fit"]
    half = len(costs) // 2
    return [
        "### The length of a game",
        "",
        (
            f"40 tables of two in step, SQLite: {costs[0]:.0f} µs an action in the first thirty entries, "
            f"{costs[-1]:.0f} µs in the last ({lengths[-1]['entries']:.0f}); an action in the second half of the game costs "
            f"{100 * (sum(costs[half:]) / len(costs[half:]) / (sum(costs[:half]) / half) - 1):+.0f} % against the first. "
            "A room holds its position and moves on from it; nothing is replayed."
        ),
        "",
        "![CPU an action against the length of the game](scale/length.svg)",
        "",
        "### Spectators",
        "",
        (
            f"Four tables of two with 0 to {numbers['crowds'][-1]['spectators']} spectators each: "
            f"{crowd['base']:.0f} µs + **{crowd['slope']:.2f} µs a spectator** an action. One frame is encoded for all of them; "
            "what is left is one write to each socket."
        ),
        "",
        "![CPU an action against spectators](scale/crowds.svg)",
        "",
        "### Sockets",
        "",
        (
            f"{numbers['sockets'][0]['mb']:.0f} MB with {numbers['sockets'][0]['sockets']} sockets, "
            f"{numbers['sockets'][-1]['mb']:.0f} MB with {numbers['sockets'][-1]['sockets']:,}: "
            f"**{1024 * socket['slope']:.1f} KB a socket** that has joined a table and is idle."
        ),
        "",
        "![Memory against idle sockets](scale/sockets.svg)",
        "",
    ]


def _stored(numbers: dict[str, Any]) -> list[str]:
    rows = [
        "### Rooms",
        "",
        (
            f"Games of {ENTRIES} entries read from SQLite and put away again. Reading is replaying: it costs with the length, "
            "once; a room that nobody uses is put away after a minute."
        ),
        "",
        "| rooms | load, ms a room | KB a room | evict, µs a room | compare heads, µs a room | MB loaded | MB after |",
        "|---|---|---|---|---|---|---|",
    ]
    rows += [
        f"| {each['rooms']:,} | {each['load_ms_a_room']:.2f} | {each['kb_a_room']:.1f} | {each['evict_us_a_room']:.1f} | "
        f"{each['heads_us_a_room']:.1f} | {each['mb_loaded']:.0f} | {each['mb_after']:.0f} |"
        for each in numbers["rooms"]
    ]
    rows += ["", "![Memory against rooms loaded](scale/rooms.svg)", "", "### Start", ""]
    by: dict[int, list[dict[str, Any]]] = {}
    for each in numbers["startup"]:
        by.setdefault(each["games"], []).append(each)
    rows += [
        "| stored games | ready after s | MB | first look at a game, ms | second, ms | list of games, ms |",
        "|---|---|---|---|---|---|",
    ]
    rows += [
        f"| {games:,} | {_of(runs, 'ready_s'):.2f} | {_of(runs, 'mb'):.0f} | {_of(runs, 'first_game_ms'):.0f} | "
        f"{_of(runs, 'second_game_ms'):.0f} | {_of(runs, 'list_ms'):.0f} |"
        for games, runs in by.items()
    ]
    full = by[max(by)][0]
    rows += [
        "",
        (
            f"The file with {max(by):,} games of {full['entries']} entries has {full['file_mb']:,.0f} MB. Nothing is read at the start but "
            "what is due: the number of stored games does not matter."
        ),
        "",
    ]
    return rows


def page(numbers: dict[str, Any]) -> str:
    """The whole page."""
    two = numbers["load"]["2"]
    measured = {
        "worker": _of(two, "cpu_us", "workers"),
        "postgres": _of(two, "cpu_us", "postgres"),
        "redis": _of(two, "cpu_us", "redis"),
        "actor": _of(two, "frame_bytes", "actor"),
        "player": _of(two, "frame_bytes", "player"),
        "log": _of(two, "log_bytes_an_entry"),
        "wal": _of(two, "wal_bytes_an_entry"),
        "batch": _of(two, "entries_a_commit"),
        "rate": _of(two, "per_second"),
        "spectator": numbers["crowds_fit"]["slope"],
        "socket_kb": 1024 * numbers["sockets_fit"]["slope"],
        "most_sockets": numbers["sockets"][-1]["sockets"],
        "base_mb": numbers["sockets_fit"]["base"],
        "room_kb": numbers["rooms"][-1]["kb_a_room"],
        "load_ms": numbers["rooms"][-1]["load_ms_a_room"],
        "heads_us": numbers["rooms"][-1]["heads_us_a_room"],
        "entry_read": numbers["news"]["entry"]["read_us"],
        "entry_bytes": numbers["news"]["entry"]["bytes"],
        "lobby_read": numbers["news"]["lobby"]["read_us"],
        "lobby_bytes": numbers["news"]["lobby"]["bytes"],
    }
    head, _, rest = _HEAD.partition("## 1. Measured")
    lines = [
        head + _conditions(numbers) + "\n## 1. Measured" + rest,
        *_load(numbers),
        *_growth(numbers),
        *_stored(numbers),
    ]
    return "\n".join(lines) + "\n" + million(measured)
