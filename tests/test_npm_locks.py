"""npm lock files of the peers and of tools/js: `npm ci` accepts them, and no package script is needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = [
    ROOT / "tools" / "js" / "package.json",
    *sorted((ROOT / "bench" / "peers").glob("*/package.json")),
]


def find_missing(packages: dict[str, Any]) -> list[str]:
    """Return dependencies without an entry in the package's folder or one above; npm ci refuses such a lock file."""
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


@pytest.mark.parametrize("package_file", PACKAGES, ids=lambda path: path.parent.name)
def test_lock_file_matches_its_package_file(package_file: Path) -> None:
    asked = json.loads(package_file.read_text())
    packages = json.loads(package_file.with_name("package-lock.json").read_text())["packages"]
    kind = "devDependencies" if "devDependencies" in asked else "dependencies"
    assert packages[""][kind] == asked[kind]
    assert find_missing(packages) == []
    assert "node" not in asked[kind], "Node comes as a wheel: npm's brings it by a script"


@pytest.mark.parametrize("package_file", PACKAGES, ids=lambda path: path.parent.name)
def test_lock_file_has_hashes_and_no_registry_urls(package_file: Path) -> None:
    packages = json.loads(package_file.with_name("package-lock.json").read_text())["packages"]
    assert [name for name, package in packages.items() if "resolved" in package] == []
    assert [name for name, package in packages.items() if name and "integrity" not in package] == []


def test_missing_optional_package_of_another_platform_is_found() -> None:
    packages = {
        "": {"dependencies": {"sloop": "1"}},
        "node_modules/sloop": {"optionalDependencies": {"sloop-arm": "1", "sloop-x64": "1"}},
        "node_modules/sloop/node_modules/sloop-x64": {},
    }
    assert find_missing(packages) == ["sloop-arm"]
