"""The peers that ours is measured beside: `npm ci` takes their lock files, and no script of theirs is needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

PEERS = sorted((Path(__file__).resolve().parent.parent / "bench" / "peers").glob("*/package.json"))


def lacking(packages: dict[str, Any]) -> list[str]:
    """What some package of a lock file depends on without an entry in its folder or one above; npm ci refuses that."""
    return [
        name
        for where, package in packages.items()
        for name in {**package.get("dependencies", {}), **package.get("optionalDependencies", {})}
        if not any(f"{folder}/node_modules/{name}".lstrip("/") in packages for folder in _upwards(where))
    ]


def _upwards(where: str) -> list[str]:
    """node_modules/a/node_modules/b, node_modules/a, and the top."""
    steps = where.split("/node_modules/")
    return ["/node_modules/".join(steps[:end]) for end in range(len(steps), 0, -1)] + [""]


@pytest.mark.parametrize("peer", PEERS, ids=lambda path: path.parent.name)
def test_a_lock_file_is_in_step(peer: Path) -> None:
    asked = json.loads(peer.read_text())
    packages = json.loads(peer.with_name("package-lock.json").read_text())["packages"]
    assert packages[""]["dependencies"] == asked["dependencies"]
    assert lacking(packages) == []
    assert "node" not in asked["dependencies"], "Node comes as a wheel: npm's brings it by a script"


def test_a_package_for_other_systems_that_is_left_out_is_found() -> None:
    packages = {
        "": {"dependencies": {"sloop": "1"}},
        "node_modules/sloop": {"optionalDependencies": {"sloop-arm": "1", "sloop-x64": "1"}},
        "node_modules/sloop/node_modules/sloop-x64": {},
    }
    assert lacking(packages) == ["sloop-arm"]
