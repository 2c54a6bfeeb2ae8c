"""How many files and value objects of app/ one operation passes through: it may become fewer, not more."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools.services import Postgres

ROOT = Path(__file__).resolve().parent.parent
# Files and value objects outside app/rules, measured by `python -m tools.trace_action`; the highest of several runs,
# for a value that idle work happens to use as well is left out of a run.
BOUNDS = {
    "action on SQLite": (26, 10),
    "action on PostgreSQL": (25, 10),
    "bot's move": (38, 11),
    "return after a restart": (61, 17),
    "push": (27, 13),
}


Traces = dict[str, dict[str, list[str]]]


@pytest.fixture(scope="module")
def traces(postgres: Postgres) -> Traces:
    """The smallest trace of each operation: background work of a busy machine falls into some windows."""
    smallest: Traces = {}
    for _ in range(3):
        for name, trace in _trace(postgres).items():
            if name not in smallest or _size(trace) < _size(smallest[name]):
                smallest[name] = trace
        if all(_is_within(smallest[name], *bounds) for name, bounds in BOUNDS.items()):
            break
    return smallest


def _trace(postgres: Postgres) -> Traces:
    command = [sys.executable, "-m", "tools.trace_action", "--json", "--postgres"]
    url = postgres.url(postgres.create_database()).replace("+asyncpg", "")
    run = subprocess.run([*command, url], cwd=ROOT, capture_output=True, text=True, timeout=200, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    found: Traces = json.loads(run.stdout.splitlines()[-1])
    return found


def _size(trace: dict[str, list[str]]) -> int:
    return len(trace["files"]) + len(trace["values"])


def _is_within(trace: dict[str, list[str]], files: int, values: int) -> bool:
    return len(trace["files"]) <= files and len(trace["values"]) <= values


def test_no_operation_passes_through_more_files_or_values(traces: Traces) -> None:
    assert traces.keys() == BOUNDS.keys()
    for name, (files, values) in BOUNDS.items():
        trace = traces[name]
        assert len(trace["files"]) <= files, f"{name}: {', '.join(trace['files'])}"
        assert len(trace["values"]) <= values, f"{name}: {', '.join(trace['values'])}"


@pytest.mark.parametrize(
    ("operation", "layers"),
    [
        ("action on SQLite", {"play", "store", "web"}),
        ("action on PostgreSQL", {"play", "store", "web"}),
        ("bot's move", {"bots", "play", "store", "web"}),
        ("return after a restart", {"play", "store", "web"}),
        ("push", {"notify", "store"}),
    ],
)
def test_a_trace_reaches_every_layer_of_its_operation(
    traces: Traces, operation: str, layers: set[str]
) -> None:
    """Otherwise the bounds would hold because nothing was traced."""
    assert {file.partition("/")[0] for file in traces[operation]["files"]} >= layers
