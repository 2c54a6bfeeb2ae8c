"""The layers: no upward imports, no cycles, and app/rules needs only the standard library.

app/rules <- app/bots, app/ratings <- app/play <- app/store, app/bus <- app/notify <- app/web <- app/main.py
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

APP = Path(__file__).resolve().parent.parent / "app"

# What each part of app/ may import besides itself. A new part must be added here.
FOUNDATION = {"admission", "paths", "settings"}
MAY_IMPORT: dict[str, set[str]] = {
    "rules": set(),
    "bots": {"rules"},
    "ratings": set(),
    "play": {"rules", "bots", "ratings", "admission"},
    "store": {"rules", "bots", "ratings", "play", *FOUNDATION},
    "bus": {"play", *FOUNDATION},
    "notify": {"store", *FOUNDATION},
    "web": {"rules", "bots", "ratings", "play", "store", "bus", "notify", *FOUNDATION},
    # Beside the server: programs on files and pipes, and a client that knows the server from outside.
    "engine_lines": {"rules", "bots"},
    "commands": {"rules", "bots", "engine_lines"},
    "client": {"rules", "bots"},
    "research": {"rules", "bots"},
    "admission": set(),
    "paths": set(),
    "settings": {"rules", "paths"},
}
# Any other file directly in app/ (main.py, cli.py …) is the top: it may import all, nothing may import it.

STANDARD_LIBRARY_ONLY = {"rules", "bots"}
SQL = {"sqlalchemy", "alembic", "sqlite3", "asyncpg"}
HTTP = {"fastapi", "starlette", "uvicorn", "websockets", "httptools", "httpx", "aiosmtplib", "jinja2"}
FORBIDDEN_PACKAGES: dict[str, set[str]] = {
    "ratings": SQL | HTTP | {"redis"},
    "play": SQL | HTTP | {"redis"},
    "store": HTTP | {"redis"},
    "bus": SQL | HTTP,
    "notify": SQL | {"redis"},
    "web": SQL | {"redis"},
}


def imports_of(file: Path, package: list[str]) -> Iterator[tuple[int, str]]:
    """Yield line and dotted name of every import of a file, including relative imports and names in strings."""
    for node in ast.walk(ast.parse(file.read_text(), str(file))):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = package[: len(package) - level + 1] if level else []
                full = ".".join([*base, *([module] if module else [])])
                yield from ((node.lineno, f"{full}.{alias.name}") for alias in names)
            case ast.Call(
                func=ast.Name(id="__import__" | "import_module"), args=[ast.Constant(value=str(name)), *_]
            ):
                yield node.lineno, name
            case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=str(name)), *_]):
                yield node.lineno, name
            case _:
                pass


def part_of(dotted: str) -> str:
    """`app.play.room` belongs to play; `app` alone and its own `__version__` to __init__."""
    pieces = dotted.split(".")
    return pieces[1] if len(pieces) > 1 and not pieces[1].startswith("__") else "__init__"


def find_violations(app: Path) -> list[str]:
    """Return every import that violates the layers, as a sentence with file, line and rule."""
    found = []
    for file in sorted(app.rglob("*.py")):
        inside = file.relative_to(app)
        part = inside.parts[0].removesuffix(".py")
        if part not in MAY_IMPORT:
            if len(inside.parts) > 1:
                found.append(f"app/{inside}: MAY_IMPORT does not list app/{part}")
            continue
        package = ["app", *inside.parts[:-1]]
        for line, name in imports_of(file, package):
            problem = find_violation(part, name)
            if problem:
                found.append(f"app/{inside}:{line}: {problem}")
    return found


def find_violation(part: str, name: str) -> str | None:
    root = name.split(".")[0]
    if root == "app":
        target = part_of(name)
        # `from app import something`: the package itself holds the version and nothing else
        allowed = MAY_IMPORT[part] | {part, "__init__"}
        return None if target in allowed else f"app/{part} may not import app/{target} ({name})"
    if part in STANDARD_LIBRARY_ONLY and root not in sys.stdlib_module_names:
        return f"app/{part} uses the standard library only, not {root}"
    if root in FORBIDDEN_PACKAGES.get(part, set()):
        return f"app/{part} knows nothing of {root}"
    return None


def test_no_import_violates_the_layers() -> None:
    assert find_violations(APP) == []


@pytest.mark.parametrize(
    ("file", "line", "says"),
    [
        ("rules/engine.py", "import msgspec", "standard library only, not msgspec"),
        ("rules/modules/morgan.py", "from app.play.room.room import Room", "may not import app/play"),
        ("rules/modules/morgan.py", "from ...play import room", "may not import app/play"),
        ("rules/engine.py", "def f():\n    import app.web.pages.routes", "may not import app/web"),
        (
            "rules/engine.py",
            "import importlib\nimportlib.import_module('app.bots')",
            "may not import app/bots",
        ),
        ("rules/engine.py", "__import__('numpy')", "not numpy"),
        ("bots/greedy.py", "import numpy as np", "standard library only, not numpy"),
        ("bots/greedy.py", "from app import play", "may not import app/play"),
        ("play/room.py", "if TYPE_CHECKING:\n    from app.store import games", "may not import app/store"),
        ("play/room.py", "from sqlalchemy import select", "knows nothing of sqlalchemy"),
        ("ratings/replay.py", "from app.play.log.table import Table", "may not import app/play"),
        ("ratings/replay.py", "import sqlalchemy", "knows nothing of sqlalchemy"),
        ("play/room.py", "from app.settings import Settings", "may not import app/settings"),
        ("store/games/store.py", "from app.web import errors", "may not import app/web"),
        ("store/games/store.py", "from app.bus import local", "may not import app/bus"),
        ("store/people/outbox.py", "from app.notify import push", "may not import app/notify"),
        ("notify/push.py", "from sqlalchemy import select", "knows nothing of sqlalchemy"),
        ("store/games/store.py", "from starlette.websockets import WebSocket", "knows nothing of starlette"),
        ("bus/redis_bus.py", "from app.rules import apply", "may not import app/rules"),
        ("web/pages/routes.py", "from sqlalchemy import text", "knows nothing of sqlalchemy"),
        ("web/pages/routes.py", "from app import main", "may not import app/main"),
        ("web/pages/routes.py", "from ...cli import main", "may not import app/cli"),
        ("web/pages/routes.py", "from app.rule_commands import replay", "may not import app/rule_commands"),
        ("helpers/strings.py", "x = 1", "MAY_IMPORT does not list"),
    ],
)
def test_a_planted_import_is_found(tmp_path: Path, file: str, line: str, says: str) -> None:
    planted = tmp_path / "app" / file
    planted.parent.mkdir(parents=True)
    planted.write_text(line + "\n")
    found = find_violations(tmp_path / "app")
    assert len(found) == 1
    assert says in found[0]
    assert found[0].startswith(f"app/{file}")


@pytest.mark.parametrize(
    ("file", "line"),
    [
        (
            "rules/engine.py",
            "import random\nfrom . import board\nfrom app.rules import cards",
        ),
        ("bots/greedy.py", "from app import rules"),
        ("play/room.py", "from app.bots import choose\nimport asyncio\nimport orjson"),
        ("store/games/store.py", "from app.play.ports import GameStore\nfrom sqlalchemy import select"),
        (
            "web/pages/routes.py",
            "from app.store import people\nfrom fastapi import APIRouter\nfrom app import __version__",
        ),
        ("main.py", "from app.web.pages import routes\nfrom sqlalchemy import text"),
        ("rule_commands.py", "from app import rules, cli"),
    ],
)
def test_import_along_the_layers_is_allowed(tmp_path: Path, file: str, line: str) -> None:
    allowed = tmp_path / "app" / file
    allowed.parent.mkdir(parents=True)
    allowed.write_text(line + "\n")
    assert find_violations(tmp_path / "app") == []


@pytest.mark.parametrize(("part", "other"), [("games", "people"), ("people", "games")])
def test_store_games_and_people_import_only_shared_modules(part: str, other: str) -> None:
    files = sorted((APP / "store" / part).glob("*.py"))
    assert files
    found = [name for file in files for _, name in imports_of(file, ["app", "store", part])]
    assert [name for name in found if name.startswith(f"app.store.{other}")] == []


def find_private_imports(app: Path) -> list[str]:
    """Return the private names that one file of app/ imports from another."""
    return [
        f"app/{file.relative_to(app)}:{line}: {name}"
        for file in sorted(app.rglob("*.py"))
        for line, name in imports_of(file, ["app", *file.relative_to(app).parts[:-1]])
        if name.startswith("app.") and re.match("_(?!_)", name.rpartition(".")[2])
    ]


def test_private_names_are_not_imported_from_other_files(tmp_path: Path) -> None:
    assert find_private_imports(APP) == []
    planted = tmp_path / "app" / "play" / "server.py"
    planted.parent.mkdir(parents=True)
    planted.write_text("from app.play.log.fold import _FOLDS\nfrom app import __version__\n")
    assert find_private_imports(tmp_path / "app") == ["app/play/server.py:1: app.play.log.fold._FOLDS"]


# -- no import cycles ------------------------------------------------------------------------------------


def module_graph(app: Path) -> dict[str, set[str]]:
    """Return what each module of app/ imports from its own layer, including imports for types or in functions."""
    files = {_dotted(app, file): file for file in app.rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for module, file in files.items():
        package = ["app", *file.relative_to(app).parts[:-1]]
        found = graph.setdefault(module, set())
        for _, name in imports_of(file, package):
            target = name if name in files else name.rpartition(".")[0]
            if target in files and target != module and part_of(target) == part_of(module):
                found.add(target)
    return graph


def _dotted(app: Path, file: Path) -> str:
    parts = ["app", *file.relative_to(app).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def find_cycles(app: Path) -> list[str]:
    """Return the import cycles, each as a sentence: one is found and cut before the next search."""
    graph, found = module_graph(app), []
    while True:
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as circle:
            modules = circle.args[1][::-1]
            found.append(" imports ".join(modules))
            graph[modules[0]].discard(modules[1])
        else:
            return found


def test_there_are_no_import_cycles_even_for_types() -> None:
    assert find_cycles(APP) == []


def test_planted_import_cycle_is_found(tmp_path: Path) -> None:
    play = tmp_path / "app" / "play"
    (play / "room").mkdir(parents=True)
    (play / "server.py").write_text("from app.play.room.room import Room\n")
    (play / "room" / "room.py").write_text("if TYPE_CHECKING:\n    from app.play.server import GameServer\n")
    (play / "lobby.py").write_text("from app.play import server\n")
    (found,) = find_cycles(tmp_path / "app")
    assert "app.play.room.room imports app.play.server" in found
    (play / "room" / "room.py").write_text("def f():\n    from ..server import GameServer\n")
    assert len(find_cycles(tmp_path / "app")) == 1
    (play / "room" / "room.py").write_text("from app.play.ports import Actor\n")
    assert find_cycles(tmp_path / "app") == []


# -- the folders of app/play -----------------------------------------------------------------------

PLAY_FOLDERS = ("log", "commands", "schedule", "room", "sweep")


def find_upward_imports(app: Path) -> list[str]:
    """Return the modules of app/play that import, directly or indirectly, from a higher folder."""
    graph, found = module_graph(app), []
    ranks = {f"app.play.{folder}.": rank for rank, folder in enumerate(PLAY_FOLDERS)}

    def rank_of(module: str) -> int:
        return next((rank for prefix, rank in ranks.items() if module.startswith(prefix)), -1)

    for module in sorted(graph):
        if rank_of(module) < 0:
            continue
        reached, waiting = {module}, [module]
        while waiting:
            new = graph.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        found += [f"{module} reaches {each}" for each in sorted(reached) if rank_of(each) > rank_of(module)]
    return found


def test_folders_of_play_import_downwards_only() -> None:
    assert find_upward_imports(APP) == []


def test_planted_indirect_upward_import_is_found(tmp_path: Path) -> None:
    play = tmp_path / "app" / "play"
    for folder in ("commands", "room"):
        (play / folder).mkdir(parents=True)
    (play / "room" / "room.py").write_text("from app.play.commands.act import act\n")
    (play / "commands" / "act.py").write_text("from app.play.context import Context\n")
    (play / "context.py").write_text("import asyncio\n")
    assert find_upward_imports(tmp_path / "app") == []
    (play / "context.py").write_text("if TYPE_CHECKING:\n    from app.play.room import chat\n")
    (play / "room" / "chat.py").write_text("")
    assert find_upward_imports(tmp_path / "app") == ["app.play.commands.act reaches app.play.room.chat"]
