"""docs/scale.md, generated from the measured numbers: tables, then the figures for a million players derived from them."""

# ruff: noqa: E501 - a paragraph of the page is a line, as in the other pages

from __future__ import annotations

from statistics import median
from typing import Any

from bench.scaling import comeback, killed
from bench.scaling.goals import goals_table
from bench.scaling.length import LONGEST
from bench.scaling.length import TABLES as LONG_TABLES
from bench.scaling.news import BATCH
from bench.scaling.page_million import Measured, million
from bench.scaling.plots import fit
from bench.scaling.stored import ENTRIES
from bench.scaling.workers import ACTIONS, PACE, PLAYERS, TABLES

__all__ = ["page"]

_HEAD = """# Scale

What one process carries, how costs grow, and what a million concurrent players would need. `make bench-scale` repeats all measurements and writes this page, its plots and [numbers.json](scale/numbers.json); section 2 is computed from section 1.

- **Machine**: two cores **shared by** workers, PostgreSQL, Redis and the load generator, so two workers cannot be twice as fast as one. Plan with CPU per action, not actions per second.
- **Enabled**: sessions, limits (raised, because all load comes from one address), hidden hands, durable commits (`synchronous=FULL`, `fsync` and `synchronous_commit` on), metrics."""

_WORKERS = f"""### Workers

{TABLES} tables of {PLAYERS}, {ACTIONS} actions per table and round, one in flight per table. All four setups run at once and play alternately.

- **Affinity**: all players of a table are on one worker, as a balancer sends them. Half of the games were created on the other one.
- **Spread**: the worst case. Every table has seats on both workers, and every action crosses the bus.
- **Latency**: from sending an action until the last player has it. The last column is at {PACE:.0f} actions per second.
"""

_NAMES = {
    "sqlite": "SQLite, 1 process",
    "one": "PostgreSQL + Redis, 1 worker",
    "affinity": "the same, 2 workers with affinity",
    "spread": "the same, 2 workers, tables spread",
}


def _of(runs: list[dict[str, Any]], *path: str) -> float:
    values = []
    for run in runs:
        found: Any = run
        for key in path:
            found = found.get(key, {} if key != path[-1] else 0.0)
        values.append(float(found))
    return median(values)


def _conditions(load: dict[str, Any]) -> str:
    """Describe other load on the machine; above 15 % of its cores the figures are upper bounds."""
    parts = ", ".join(
        f"{part} {busy['load_before']:.1f} and {busy['others']:.0%}" for part, busy in load.items()
    )
    verdict = (
        "Other work used the cores: times and latencies are upper bounds, actions per second a lower bound, and single "
        "points scatter; ratios within a round are affected less. Bytes, rows, messages and memory are not affected."
        if max(busy["others"] for busy in load.values()) > 0.15
        else "The machine was otherwise quiet."
    )
    return (
        "- **Load** (average before each part, and the share of the cores used by other work during it): "
        f"{parts}. {verdict}\n"
    )


def _workers(numbers: dict[str, Any]) -> list[str]:
    rows = [
        _WORKERS,
        "| on | actions/s | p50 ms | p99 ms | worker µs/action | PostgreSQL µs | Redis µs | entries/commit | Redis messages/action | paced p50 / p99 ms |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for key, name in _NAMES.items():
        runs, paced = numbers["workers"][key]["rounds"], numbers["workers"][key]["paced"]
        messages = f"{_of(runs, 'bus', 'published'):.2f}" if "bus" in runs[0] else "–"
        rows.append(
            f"| {name} | {_of(runs, 'per_second'):,.0f} | {_of(runs, 'p50_ms'):.1f} | {_of(runs, 'p99_ms'):.1f} | "
            f"{_of(runs, 'cpu_us', 'workers'):.0f} | {_of(runs, 'cpu_us', 'postgres'):.0f} | "
            f"{_of(runs, 'cpu_us', 'redis'):.0f} | {_of(runs, 'entries_a_commit'):.1f} | {messages} | "
            f"{paced['p50_ms']:.1f} / {paced['p99_ms']:.1f} |"
        )
    near, spread, word = (
        numbers["workers"]["affinity"]["rounds"],
        numbers["workers"]["spread"]["rounds"],
        numbers["news"],
    )
    rows += [
        "",
        (
            f"Medians of {len(near)} rounds.\n\n"
            f"- **Frame of an action**: {_of(near, 'frame_bytes', 'player'):.0f} bytes, or "
            f"{_of(near, 'frame_bytes', 'actor'):.0f} with the list of choices for the seat to act.\n"
            f"- **Log entry in PostgreSQL**: {_of(near, 'log_bytes_an_entry'):.0f} bytes in the table with its indexes, "
            f"{_of(near, 'wal_bytes_an_entry'):.0f} bytes of write-ahead log (heads, due rows and full pages included).\n"
            f"- **Redis messages per action** (workers' count): with affinity {_of(near, 'bus', 'sent'):.3f} sent, "
            f"{_of(near, 'bus', 'delivered'):.3f} delivered, {_of(near, 'bus', 'input_bytes'):.0f} bytes in and "
            f"{_of(near, 'bus', 'output_bytes'):.0f} out (including the measurement); spread {_of(spread, 'bus', 'sent'):.2f} and {_of(spread, 'bus', 'delivered'):.2f}, "
            f"{_of(spread, 'bus', 'input_bytes'):.0f} and {_of(spread, 'bus', 'output_bytes'):.0f} bytes.\n"
            f"- **Receiving a message** costs a worker {word['entry']['hear_us']:.0f} µs for one entry ({word['entry']['bytes']:.0f} bytes), "
            f"{word['batch']['hear_us']:.0f} µs for {BATCH} entries, {word['lobby']['hear_us']:.0f} µs for a lobby row ({word['lobby']['bytes']:.0f} bytes), "
            f"{word['holding']['hear_us']:.0f} µs for a room announcement. Redis needs {word['entry']['redis_us']:.1f} µs per entry and "
            f"{word['entry']['redis_arrival_us']:.1f} µs per receiving worker."
        ),
        "",
    ]
    return rows


def _returns(numbers: dict[str, Any]) -> list[str]:
    new, back, gone = numbers["comeback"]["new"], numbers["comeback"]["back"], numbers["killed"]
    return [
        "### Reconnecting",
        "",
        (
            f"**The server restarts.** {new['people']:,} people at {new['people'] // comeback.PLAYERS:,} tables of two, SQLite, {comeback.ENTRIES} actions into their "
            f"games. All return at once with their cookies (session, seat, hello, whole state, like a reloaded page): "
            f"**{_of(back, 'cpu_ms'):.2f} ms** of server CPU per person, rooms included, and "
            f"{_of(back, 'seconds'):.1f} s for all. A new person (guest session, half a table, hello, a sealed seat, "
            f"ready, the start and its opening) costs {new['cpu_ms']:.2f} ms."
        ),
        "",
        (
            f"**A worker is killed** (SIGKILL). PostgreSQL + Redis; {gone[0]['sockets']:,} people at tables of two are on one worker, "
            f"{killed.BESIDE} tables of four play {killed.RATE:.0f} actions per second on the other, which has one core. "
            f"The {gone[0]['sockets']:,} reconnect to it like the page does (first after at most 90 ms, then a few times a second):\n\n"
            f"- The last has the state after {_of(gone, 'seconds'):.1f} s (half of them after {_of(gone, 'median_s'):.1f} s), at {_of(gone, 'cpu_ms'):.2f} ms of CPU each.\n"
            f"- Latency at the other tables is {_of(gone, 'quiet', 'p50_ms'):.1f} ms (p99 {_of(gone, 'quiet', 'p99_ms'):.1f}) in the {killed.QUIET:.0f} s before and "
            f"{_of(gone, 'meanwhile', 'p50_ms'):.1f} ms (p99 {_of(gone, 'meanwhile', 'p99_ms'):.1f}) during the reconnects."
            + _own_lateness(gone)
        ),
        "",
    ]


def _own_lateness(gone: list[dict[str, Any]]) -> str:
    """Return the load generator's share of the latency, or nothing for runs that did not measure it."""
    if not all("crowd_is_last" in each for each in gone):
        return ""
    order = "with lower priority than" if all(each["crowd_is_last"] for each in gone) else "beside"
    return (
        f"\n- Load generator: the reconnecting clients' process runs {order} the other tables' process, PostgreSQL and "
        f"Redis, which share its core. A timer in the other tables' process was late by {_of(gone, 'quiet', 'own_p99_ms'):.1f} ms (p99) before and "
        f"{_of(gone, 'meanwhile', 'own_p99_ms'):.1f} ms during the reconnects."
    )


def _length(numbers: dict[str, Any]) -> list[str]:
    free, steady = numbers["lengths"]["free"], numbers["lengths"]["steady"]

    def halves(pairs: list[dict[str, Any]], key: str) -> tuple[float, float]:
        return _of(pairs, "first", key), _of(pairs, "second", key)

    (early, late), (few, many) = halves(free, "cpu_us"), halves(free, "choices")
    (calm_early, calm_late), (calm_few, calm_many) = halves(steady, "cpu_us"), halves(steady, "choices")
    return [
        "### Length of a game",
        "",
        (
            f"{LONG_TABLES} tables of two, SQLite, games of {LONGEST} entries. Tables in the first and in the second half of their games play alternately. "
            f"A room keeps its position in memory: no action replays the log or costs more because of its length."
        ),
        "",
        "| players choose | choices, first half | second half | µs per action, first half | second half |",
        "|---|---|---|---|---|",
        f"| any action, so hands grow | {few:.1f} | {many:.1f} | {early:.0f} | {late:.0f} |",
        f"| actions that keep the hand size steady | {calm_few:.1f} | {calm_many:.1f} | {calm_early:.0f} | {calm_late:.0f} |",
        "",
        "![CPU per action against the length of the game](scale/length.svg)",
        "",
    ]


def _growth(numbers: dict[str, Any]) -> list[str]:
    per_watcher, without = fit([(each["spectators"], each["cpu_us"]) for each in numbers["crowds"]])
    per_socket, _ = fit([(each["sockets"], each["mb"]) for each in numbers["sockets"]])
    return [
        "### Spectators",
        "",
        (
            f"Four tables of two with 0 to {numbers['crowds'][-1]['spectators']} spectators each: "
            f"{without:.0f} µs + **{per_watcher:.2f} µs per spectator** and action. One frame is encoded for all spectators "
            "and written once to each socket."
        ),
        "",
        "![CPU per action against spectators](scale/crowds.svg)",
        "",
        "### Sockets",
        "",
        (
            f"{numbers['sockets'][0]['mb']:.0f} MB with {numbers['sockets'][0]['sockets']} sockets, "
            f"{numbers['sockets'][-1]['mb']:.0f} MB with {numbers['sockets'][-1]['sockets']:,}: "
            f"**{1024 * per_socket:.1f} KB per idle socket** that has joined a table."
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
            f"Games of {ENTRIES} entries are loaded from SQLite and unloaded again. Loading replays the log, so long games "
            "take longer. A room is unloaded after a minute without use."
        ),
        "",
        "| rooms | load, ms/room | KB/room | unload, µs/room | compare heads, µs/room | MB loaded | MB after |",
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
        "| stored games | ready after s | MB | first request for a game, ms | second, ms | list of games, ms |",
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
            f"The file with {max(by):,} games of {full['entries']} entries has {full['file_mb']:,.0f} MB. The start reads only due work, "
            "so the number of stored games does not matter."
        ),
        "",
    ]
    return rows


def page(numbers: dict[str, Any]) -> str:
    """Return the whole page."""
    near, word = numbers["workers"]["affinity"]["rounds"], numbers["news"]
    per_watcher, _ = fit([(each["spectators"], each["cpu_us"]) for each in numbers["crowds"]])
    per_socket, without = fit([(each["sockets"], each["mb"]) for each in numbers["sockets"]])
    measured = Measured.of(
        worker=_of(near, "cpu_us", "workers"),
        spread=_of(numbers["workers"]["spread"]["rounds"], "cpu_us", "workers"),
        postgres=_of(near, "cpu_us", "postgres"),
        messages=_of(near, "bus", "published"),
        actor=_of(near, "frame_bytes", "actor"),
        player=_of(near, "frame_bytes", "player"),
        log=_of(near, "log_bytes_an_entry"),
        wal=_of(near, "wal_bytes_an_entry"),
        batch=_of(near, "entries_a_commit"),
        rate=_of(near, "per_second"),
        spectator=per_watcher,
        socket_kb=1024 * per_socket,
        most_sockets=numbers["sockets"][-1]["sockets"],
        base_mb=without,
        room_kb=numbers["rooms"][-1]["kb_a_room"],
        heads_us=numbers["rooms"][-1]["heads_us_a_room"],
        back_ms=_of(numbers["killed"], "cpu_ms"),
        row_bytes=word["lobby"]["bytes"],
        row_us=word["lobby"]["hear_us"],
        row_redis=word["lobby"]["redis_us"],
        row_arrival=word["lobby"]["redis_arrival_us"],
        announcement_bytes=word["holding"]["bytes"],
        announcement_us=word["holding"]["hear_us"],
        announcement_redis=word["holding"]["redis_us"],
        announcement_arrival=word["holding"]["redis_arrival_us"],
        entry_redis=word["entry"]["redis_us"],
        entry_arrival=word["entry"]["redis_arrival_us"],
    )
    lines = [
        _HEAD,
        _conditions(numbers["machine"]),
        "## 1. Measured",
        "",
        "### Goals",
        "",
        goals_table(numbers),
        "",
        "Both sides of a ratio ran within the same seconds.",
        "",
        *_workers(numbers),
        *_returns(numbers),
        *_length(numbers),
        *_growth(numbers),
        *_stored(numbers),
    ]
    return "\n".join(lines) + "\n" + million(measured)
