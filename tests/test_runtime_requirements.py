"""The server runs with its declared requirements alone, without test dependencies."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

from packaging.requirements import Requirement

from tools.lock import normal

ROOT = Path(__file__).resolve().parent.parent

# Imports every module of the app and runs a server from start to stop, with all other packages blocked.
ISOLATED_RUN = """
import asyncio, importlib, pkgutil, sys
from importlib.abc import MetaPathFinder

class ImportBlocker(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in OUTSIDE:
            raise ModuleNotFoundError(f"{name} is here only for the tests", name=name)
        return None

OUTSIDE = set(sys.argv[1].split(","))
sys.meta_path.insert(0, ImportBlocker())

import app
for module in pkgutil.walk_packages(app.__path__, "app."):
    # app.research is an extra of its own, which nothing of the server may import (tests/test_layers.py).
    if not module.name.endswith("__main__") and not module.name.startswith("app.research"):
        importlib.import_module(module.name)

from app.main import create_app
from app.settings import read_settings
from app.store.database import open_database
from app.store.migrate import upgrade

async def live():
    settings = read_settings({}, {"database": "sqlite:///" + sys.argv[2]})
    database = open_database(settings.database_url)
    await upgrade(database)
    await database.close()
    server = create_app(settings)
    async with server.router.lifespan_context(server):
        pass

asyncio.run(live())
print("lived")
"""


def collect_requirements(name: str, extras: frozenset[str], found: set[str]) -> set[str]:
    """`name` and everything it requires, as installed here."""
    found.add(normal(name))
    for text in distribution(name).requires or []:
        wanted = Requirement(text)
        markers = [{"extra": extra} for extra in extras] or [{"extra": ""}]
        if wanted.marker is not None and not any(wanted.marker.evaluate(each) for each in markers):
            continue
        if normal(wanted.name) not in found or wanted.extras:
            collect_requirements(wanted.name, frozenset(wanted.extras), found)
    return found


def test_server_runs_without_test_dependencies(tmp_path: Path) -> None:
    ours = collect_requirements("cartagena", frozenset(), set())
    assert "greenlet" in ours, "SQLAlchemy brings greenlet only when asked for with [asyncio]"
    outside = {
        module
        for module, owners in packages_distributions().items()
        if not {normal(owner) for owner in owners} & ours and not module.startswith("_")
    }
    assert {"pytest", "hypothesis", "playwright"} <= outside
    command = [sys.executable, "-c", ISOLATED_RUN, ",".join(sorted(outside)), str(tmp_path / "alone.db")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout.strip().splitlines()[-1:], done.returncode) == (["lived"], 0), done.stderr[-2000:]
