"""The server's components as CycloneDX 1.6 JSON: every package needed to run it (`make sbom`).

The checkers of scripts and styles (tools/js) are listed with the scope `excluded`, since they are not delivered.

It reads the installed packages, so it needs no network: names, versions, licences and dependencies.
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
NPM_LOCK = ROOT / "tools" / "js" / "package-lock.json"


def normal(name: str) -> str:
    """Return the normalised project name, as package indexes compare names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needs(found: Distribution, extras: set[str]) -> dict[str, set[str]]:
    """Return the packages that this package needs here, with the extras they are needed with."""
    wanted: dict[str, set[str]] = {}
    for line in found.requires or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            wanted.setdefault(normal(requirement.name), set()).update(requirement.extras)
    return wanted


def closure() -> dict[str, tuple[Distribution, set[str]]]:
    """Return every package needed to run the server with its dependencies; test packages are not included."""
    found: dict[str, tuple[Distribution, set[str]]] = {}
    waiting: list[tuple[str, set[str]]] = [(NAME, set())]
    while waiting:
        name, extras = waiting.pop()
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue  # for another platform
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


def npm_bill() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the components and dependencies of tools/js/package-lock.json."""
    packages: dict[str, Any] = json.loads(NPM_LOCK.read_text())["packages"]
    del packages[""]  # tools/js itself
    components, dependencies = [], []
    for where, package in sorted(packages.items()):
        purl = npm_purl(where, package)
        name = where.rpartition("node_modules/")[2]
        component = {"type": "library", "bom-ref": purl, "name": name, "version": package["version"]}
        licence = {"licenses": [{"expression": package["license"]}]}
        components.append({**component, "purl": purl, "scope": "excluded", **licence})
        wanted = {**package.get("dependencies", {}), **package.get("optionalDependencies", {})}
        found = sorted(npm_purl(at, packages[at]) for at in (f"node_modules/{each}" for each in wanted))
        dependencies.append({"ref": purl, "dependsOn": found})
    return components, dependencies


def npm_purl(where: str, package: dict[str, Any]) -> str:
    name = where.rpartition("node_modules/")[2]
    return f"pkg:npm/{name.replace('@', '%40')}@{package['version']}"


def bill() -> dict[str, Any]:
    found = closure()
    refs = {name: f"{name}@{package.version}" for name, (package, _) in found.items()}
    npm, npm_dependencies = npm_bill()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
            "component": component(NAME, found[NAME][0]),
        },
        "components": [*(component(name, found[name][0]) for name in sorted(found) if name != NAME), *npm],
        "dependencies": [
            {"ref": refs[name], "dependsOn": sorted(refs[each] for each in wanted if each in refs)}
            for name, (_, wanted) in sorted(found.items())
        ]
        + npm_dependencies,
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
