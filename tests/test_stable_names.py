"""Names in the log, on the wire, in the database and in settings are those of release 0.1.0, or new."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tools.external_names import ROOT

RELEASED: dict[str, list[str]] = json.loads(Path(__file__).with_name("stable_names.json").read_text())
"""Written by tools/external_names.py in a checkout of 0.1.0 (a33f698)."""

_UNSEALED = "0.1.0 could open tables without seals, for rolling updates from builds before it"
REMOVED = {
    "client messages": {"sit.nonce": _UNSEALED},
    "log entries": {"created.nonce": _UNSEALED, "seated.nonce": _UNSEALED},
}
"""Names removed on purpose since 0.1.0, with the reason."""


@pytest.fixture(scope="module")
def present() -> dict[str, list[str]]:
    # In a process of its own: test modules define messages, too.
    command = [sys.executable, "tools/external_names.py"]
    names: dict[str, list[str]] = json.loads(subprocess.check_output(command, cwd=ROOT))
    return names


@pytest.mark.parametrize("category", RELEASED)
def test_no_name_is_missing_or_renamed(category: str, present: dict[str, list[str]]) -> None:
    missing = Counter(RELEASED[category]) - Counter(present[category])
    assert sorted(missing.elements()) == sorted(REMOVED.get(category, {}))


def test_every_category_has_names(present: dict[str, list[str]]) -> None:
    assert present.keys() == RELEASED.keys()
    for category, example in {
        "settings": "CARTAGENA_DATABASE",
        "database": "log.body",
        "client messages": "act.action",
        "server frames": "state.table.seats.person",
        "log entries": "seated.person",
    }.items():
        assert example in RELEASED[category]
