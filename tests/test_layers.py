"""The layers: no import goes upwards or in a circle, the rules need nothing but Python itself.

app/rules <- app/bots <- app/play <- app/notify <- app/store, app/bus <- app/web <- app/main.py and its like
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

# What each part of app/ may import besides itself. Whoever adds a part says here where it lives.
BEDROCK = {"paths", "settings"}
MAY_IMPORT: dict[str, set[str]] = {
    "rules": set(),
    "bots": {"rules"},
    "play": {"rules", "bots"},
    "store": {"rules", "bots", "play", "notify", *BEDROCK},
    "bus": {"play", *BEDROCK},
    "notify": {"rules", "play", *BEDROCK},
    "web": {"rules", "bots", "play", "store", "bus", "notify", *BEDROCK},
    # Beside the server: programs on files and pipes, and a client that knows the server from outside.
    "engine_lines": {"rules", "bots"},
    "commands": {"rules", "bots", "engine_lines"},
    "client": {"rules", "bots"},
    "research": {"rules", "bots"},
    "paths": set(),
    "settings": {"rules", "paths"},
}
# Any other file directly in app/ (main.py, cli.py …) is the top: it may import all, nothing may import it.

STANDARD_LIBRARY_ONLY = {"rules", "bots"}
SQL = {"sqlalchemy", "alembic", "aiosqlite", "sqlite3", "asyncpg"}
HTTP = {"fastapi", "starlette", "uvicorn", "websockets", "httptools", "httpx", "aiosmtplib", "jinja2"}
KNOWS_NOTHING_OF: dict[str, set[str]] = {
    "play": SQL | HTTP | {"redis"},
    "store": HTTP | {"redis"},
    "bus": SQL | HTTP,
    "web": SQL | {"redis"},
}


def imports_of(file: Path, package: list[str]) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of everything a file imports, relative and by name in a string too."""
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


def violations(app: Path) -> list[str]:
    """Every import against the layers, as a sentence that names file, line and rule."""
    found = []
    for file in sorted(app.rglob("*.py")):
        inside = file.relative_to(app)
        part = inside.parts[0].removesuffix(".py")
        if part not in MAY_IMPORT:
            if len(inside.parts) > 1:
                found.append(f"app/{inside}: nobody has said yet to which layer app/{part} belongs")
            continue
        package = ["app", *inside.parts[:-1]]
        for line, name in imports_of(file, package):
            problem = what_is_wrong(part, name)
            if problem:
                found.append(f"app/{inside}:{line}: {problem}")
    return found


def what_is_wrong(part: str, name: str) -> str | None:
    root = name.split(".")[0]
    if root == "app":
        target = part_of(name)
        # `from app import something`: the package itself holds the version and nothing else
        allowed = MAY_IMPORT[part] | {part, "__init__"}
        return None if target in allowed else f"app/{part} may not import app/{target} ({name})"
    if part in STANDARD_LIBRARY_ONLY and root not in sys.stdlib_module_names:
        return f"app/{part} uses the standard library only, not {root}"
    if root in KNOWS_NOTHING_OF.get(part, set()):
        return f"app/{part} knows nothing of {root}"
    return None


def test_no_import_goes_against_the_layers() -> None:
    assert violations(APP) == []


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
        ("play/room.py", "from app.settings import Settings", "may not import app/settings"),
        ("store/games/store.py", "from app.web import errors", "may not import app/web"),
        ("store/games/store.py", "from app.bus import local", "may not import app/bus"),
        ("store/games/store.py", "from starlette.websockets import WebSocket", "knows nothing of starlette"),
        ("bus/redis_bus.py", "from app.rules import apply", "may not import app/rules"),
        ("web/pages/routes.py", "from sqlalchemy import text", "knows nothing of sqlalchemy"),
        ("web/pages/routes.py", "from app import main", "may not import app/main"),
        ("web/pages/routes.py", "from ...cli import main", "may not import app/cli"),
        ("web/pages/routes.py", "from app.rule_commands import replay", "may not import app/rule_commands"),
        ("helpers/strings.py", "x = 1", "to which layer"),
    ],
)
def test_a_planted_import_is_found(tmp_path: Path, file: str, line: str, says: str) -> None:
    planted = tmp_path / "app" / file
    planted.parent.mkdir(parents=True)
    planted.write_text(line + "\n")
    found = violations(tmp_path / "app")
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
def test_an_import_along_the_layers_is_let_through(tmp_path: Path, file: str, line: str) -> None:
    allowed = tmp_path / "app" / file
    allowed.parent.mkdir(parents=True)
    allowed.write_text(line + "\n")
    assert violations(tmp_path / "app") == []


def kept_names_imported(app: Path) -> list[str]:
    """Names with an underscore that one file of app/ imports out of another."""
    return [
        f"app/{file.relative_to(app)}:{line}: {name}"
        for file in sorted(app.rglob("*.py"))
        for line, name in imports_of(file, ["app", *file.relative_to(app).parts[:-1]])
        if name.startswith("app.") and re.match("_(?!_)", name.rpartition(".")[2])
    ]


def test_what_begins_with_an_underscore_stays_in_its_file(tmp_path: Path) -> None:
    assert kept_names_imported(APP) == []
    planted = tmp_path / "app" / "play" / "server.py"
    planted.parent.mkdir(parents=True)
    planted.write_text("from app.play.log.fold import _FOLDS\nfrom app import __version__\n")
    assert kept_names_imported(tmp_path / "app") == ["app/play/server.py:1: app.play.log.fold._FOLDS"]


# -- no circles ------------------------------------------------------------------------------------


def module_graph(app: Path) -> dict[str, set[str]]:
    """What each module of app/ imports from its own layer, for types alone or inside a function too."""
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


def circles(app: Path) -> list[str]:
    """The circles of imports, each as a sentence: one is found, cut, and the next one looked for."""
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


def test_no_import_goes_in_a_circle_not_even_for_types_alone() -> None:
    assert circles(APP) == []


def test_a_planted_circle_is_found(tmp_path: Path) -> None:
    play = tmp_path / "app" / "play"
    (play / "room").mkdir(parents=True)
    (play / "server.py").write_text("from app.play.room.room import Room\n")
    (play / "room" / "room.py").write_text("if TYPE_CHECKING:\n    from app.play.server import GameServer\n")
    (play / "lobby.py").write_text("from app.play import server\n")
    (found,) = circles(tmp_path / "app")
    assert "app.play.room.room imports app.play.server" in found
    (play / "room" / "room.py").write_text("def f():\n    from ..server import GameServer\n")
    assert len(circles(tmp_path / "app")) == 1
    (play / "room" / "room.py").write_text("from app.play.ports import Actor\n")
    assert circles(tmp_path / "app") == []
