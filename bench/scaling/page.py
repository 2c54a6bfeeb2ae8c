"""docs/scale.md, written from what was measured: tables, then every figure for a million players derived from them."""

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

What one process carries, what it costs to grow, and what a site with a million players at once would need. `make bench-scale` measures all of it again and writes this page, its plots and [numbers.json](scale/numbers.json); the second half is arithmetic on the first.

Measured on a machine with two cores that **all parts share**: workers, PostgreSQL, Redis and the load generator. So two workers cannot be twice as fast here; CPU per action is the figure to plan with, actions a second are what was left over for the server. Everything is on: sessions, limits (raised, because all load comes from one address), hidden hands, durable commits (`synchronous=FULL`, `fsync` and `synchronous_commit` on), metrics.
"""

_WORKERS = f"""### Workers

{TABLES} tables of {PLAYERS}, {ACTIONS} actions each and round, one in flight a table. All four setups are up at once and play in turn, so that a ratio compares two stretches of the same seconds. With affinity every person of a table is at the same worker, as the balancer sends them; a game is made by whichever worker is asked, which for half of them is the other one. Spread is the worst case: seats of every table at both, every action crosses the bus. Latency runs from sending an action until the last player has it. The last column is at {PACE:.0f} actions a second.
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
    """How busy the machine was with other things: beyond a little of it the figures are upper bounds."""
    parts = ", ".join(
        f"{part} {busy['load_before']:.1f} and {busy['others']:.0%}" for part, busy in load.items()
    )
    verdict = (
        "Other work held the cores then: times and latencies are upper bounds, actions a second a lower one, and single "
        "points stray; ratios within a round suffer less. Bytes, rows, messages and memory do not depend on it."
        if max(busy["others"] for busy in load.values()) > 0.15
        else "The machine was otherwise quiet."
    )
    return (
        "Load average of the machine before each part, and the share of its cores that was busy with what is not ours "
        f"while it ran: {parts}. {verdict}\n"
    )


def _workers(numbers: dict[str, Any]) -> list[str]:
    rows = [
        _WORKERS,
        "| on | actions/s | p50 ms | p99 ms | worker µs/action | PostgreSQL µs | Redis µs | entries a commit | Redis messages/action | paced p50 / p99 ms |",
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
            f"Medians of {len(near)} rounds. An update is {_of(near, 'frame_bytes', 'player'):.0f} bytes to a seat "
            f"that is not to act, {_of(near, 'frame_bytes', 'actor'):.0f} with the list of choices to the one that is. "
            f"An entry takes {_of(near, 'log_bytes_an_entry'):.0f} bytes in PostgreSQL's log table with its indexes and "
            f"{_of(near, 'wal_bytes_an_entry'):.0f} bytes of write-ahead log (heads, due rows and full pages included). "
            f"Messages an action, by the workers' own count: with affinity {_of(near, 'bus', 'sent'):.3f} sent and "
            f"{_of(near, 'bus', 'delivered'):.3f} delivered, {_of(near, 'bus', 'input_bytes'):.0f} bytes into Redis and "
            f"{_of(near, 'bus', 'output_bytes'):.0f} out (its own measuring included); spread {_of(spread, 'bus', 'sent'):.2f} and {_of(spread, 'bus', 'delivered'):.2f}, "
            f"{_of(spread, 'bus', 'input_bytes'):.0f} and {_of(spread, 'bus', 'output_bytes'):.0f} bytes. "
            f"To hear a message costs a worker {word['entry']['hear_us']:.0f} µs when it is one entry ({word['entry']['bytes']:.0f} bytes), "
            f"{word['batch']['hear_us']:.0f} µs when it is {BATCH} of them, {word['lobby']['hear_us']:.0f} µs when it is a lobby row ({word['lobby']['bytes']:.0f} bytes) and "
            f"{word['holding']['hear_us']:.0f} µs when a room is announced; Redis {word['entry']['redis_us']:.1f} µs to take an entry and "
            f"{word['entry']['redis_arrival_us']:.1f} µs for each worker that gets it."
        ),
        "",
    ]
    return rows


def _returns(numbers: dict[str, Any]) -> list[str]:
    new, back, gone = numbers["comeback"]["new"], numbers["comeback"]["back"], numbers["killed"]
    return [
        "### Coming back",
        "",
        (
            f"{new['people']:,} people at {new['people'] // comeback.PLAYERS:,} tables of two, SQLite, {comeback.ENTRIES} actions into their "
            f"games. The server is started again, and all come at once with the cookies they have: session, seat, hello, the whole "
            f"state, as a page that is loaded again. That is **{_of(back, 'cpu_ms'):.2f} ms** of the server's CPU a person, rooms included, and "
            f"{_of(back, 'seconds'):.1f} s for all of them. Somebody new (a guest's session, half a table, hello, a sealed seat, "
            f"ready, the start and its opening) is {new['cpu_ms']:.2f} ms."
        ),
        "",
        (
            f"**A worker is killed** (SIGKILL): PostgreSQL + Redis, two workers, {gone[0]['sockets']:,} people at tables of two at the one, and "
            f"{killed.BESIDE} tables of four at the other, playing {killed.RATE:.0f} actions a second. Those who lost their socket come to the other worker, "
            f"which has one core, by the page's own rule (first after at most 90 ms, then a few times a second): the last of them has the state after "
            f"{_of(gone, 'seconds'):.1f} s (half of them after {_of(gone, 'median_s'):.1f} s), {_of(gone, 'cpu_ms'):.2f} ms of CPU each. "
            f"The tables that play on wait {_of(gone, 'quiet', 'p50_ms'):.1f} ms (p99 {_of(gone, 'quiet', 'p99_ms'):.1f}) in the {killed.QUIET:.0f} s before, "
            f"{_of(gone, 'meanwhile', 'p50_ms'):.1f} ms (p99 {_of(gone, 'meanwhile', 'p99_ms'):.1f}) meanwhile."
            + _own_lateness(gone)
        ),
        "",
    ]


def _own_lateness(gone: list[dict[str, Any]]) -> str:
    """What of it is the generator's; earlier runs did not ask."""
    if not all("crowd_is_last" in each for each in gone):
        return ""
    order = "gives way to" if all(each["crowd_is_last"] for each in gone) else "runs beside"
    return (
        f" The process that plays the crowd {order} those who play on, PostgreSQL and Redis on their core; a timer in "
        f"the process of those who play on was late by {_of(gone, 'quiet', 'own_p99_ms'):.1f} ms (p99) before and "
        f"{_of(gone, 'meanwhile', 'own_p99_ms'):.1f} ms meanwhile."
    )


def _length(numbers: dict[str, Any]) -> list[str]:
    free, steady = numbers["lengths"]["free"], numbers["lengths"]["steady"]

    def halves(pairs: list[dict[str, Any]], key: str) -> tuple[float, float]:
        return _of(pairs, "first", key), _of(pairs, "second", key)

    (early, late), (few, many) = halves(free, "cpu_us"), halves(free, "choices")
    (calm_early, calm_late), (calm_few, calm_many) = halves(steady, "cpu_us"), halves(steady, "choices")
    return [
        "### The length of a game",
        "",
        (
            f"{LONG_TABLES} tables of two, SQLite, games of {LONGEST} entries; a group of tables in its first half and one in its second play in "
            f"turn. Where everybody chooses anything, hands grow as long as nobody wants to win, and an action's list of choices from {few:.1f} to "
            f"{many:.1f}: {early:.0f} µs an action in the first half, {late:.0f} µs in the second. Where people keep their hands as they are "
            f"({calm_few:.1f} and {calm_many:.1f} choices): {calm_early:.0f} and {calm_late:.0f} µs. A room holds its position and moves on from it; nothing "
            f"is replayed, and nothing that an action touches grows with the log."
        ),
        "",
        "![CPU an action against the length of the game](scale/length.svg)",
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
            f"{without:.0f} µs + **{per_watcher:.2f} µs a spectator** an action. One frame is encoded for all of them; "
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
            f"**{1024 * per_socket:.1f} KB a socket** that has joined a table and is idle."
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
        look_bytes=word["holding"]["bytes"],
        look_us=word["holding"]["hear_us"],
        look_redis=word["holding"]["redis_us"],
        look_arrival=word["holding"]["redis_arrival_us"],
        entry_redis=word["entry"]["redis_us"],
        entry_arrival=word["entry"]["redis_arrival_us"],
    )
    lines = [
        _HEAD,
        _conditions(numbers["machine"]),
        "## 1. Measured",
        "",
        "### Against the goals",
        "",
        goals_table(numbers),
        "",
        'Every row is the median of rounds whose two sides ran within the same seconds; "other work" is the share of the cores that was busy with what is not ours.',
        "",
        *_workers(numbers),
        *_returns(numbers),
        *_length(numbers),
        *_growth(numbers),
        *_stored(numbers),
    ]
    return "\n".join(lines) + "\n" + million(measured)
