"""What the server is made of, as CycloneDX 1.6 JSON: every package that running it needs (`make sbom`).

Read from what is installed, so it needs no network: names, versions, licences, who needs whom.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from datetime import UTC, datetime
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
NAME = "cartagena"


def normal(name: str) -> str:
    """One spelling for each project, as package indexes compare names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needs(found: Distribution, extras: set[str]) -> dict[str, set[str]]:
    """What this package needs here, with the extras it asks for."""
    wanted: dict[str, set[str]] = {}
    for line in found.requires or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            wanted.setdefault(normal(requirement.name), set()).update(requirement.extras)
    return wanted


def closure() -> dict[str, tuple[Distribution, set[str]]]:
    """Every package that running the server needs, with what it needs itself; tests' packages are not in it."""
    found: dict[str, tuple[Distribution, set[str]]] = {}
    waiting: list[tuple[str, set[str]]] = [(NAME, set())]
    while waiting:
        name, extras = waiting.pop()
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue  # for another system
        wanted = needs(package, extras)
        known = found.get(name)
        if known is not None and set(wanted) <= known[1]:
            continue
        found[name] = (package, set(wanted) | (known[1] if known else set()))
        waiting += wanted.items()
    return found


def component(name: str, package: Distribution) -> dict[str, Any]:
    version = package.version
    made: dict[str, Any] = {
        "type": "application" if name == NAME else "library",
        "bom-ref": f"{name}@{version}",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name}@{version}",
    }
    told: dict[str, Any] = package.metadata.json
    expression = told.get("license_expression")
    named = [text.rsplit(" :: ", 1)[1] for text in told.get("classifier", []) if text.startswith("License")]
    if expression:
        made["licenses"] = [{"expression": expression}]
    elif named:
        made["licenses"] = [{"license": {"name": name}} for name in named]
    return made


def bill() -> dict[str, Any]:
    found = closure()
    refs = {name: f"{name}@{package.version}" for name, (package, _) in found.items()}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
            "component": component(NAME, found[NAME][0]),
        },
        "components": [component(name, found[name][0]) for name in sorted(found) if name != NAME],
        "dependencies": [
            {"ref": refs[name], "dependsOn": sorted(refs[each] for each in wanted if each in refs)}
            for name, (_, wanted) in sorted(found.items())
        ],
    }


def main() -> int:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist" / "sbom.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    made = bill()
    target.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(f"{len(made['components'])} packages in {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
