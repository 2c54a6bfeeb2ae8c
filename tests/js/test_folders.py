"""The folders of static/js: what may import what, and things that only one file does."""

from __future__ import annotations

import re
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "static" / "js"
IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)\"""")
MAY_IMPORT = {
    "core": {"core"},
    "board": {"core", "board"},
    "table": {"core", "board", "table"},
    "pages": {"core", "board", "table", "pages"},
    "screen": {"core", "board", "table", "screen"},
}
HEADLESS = ["table/store.js", "table/room.js", "table/selection.js", "core/fold.js", "board/layout.js"]


def imports(name: str) -> list[str]:
    """The files a script imports, at once or later, as paths below static/js."""
    script = SCRIPTS / name
    found = [(script.parent / path).resolve() for path in IMPORT.findall(script.read_text())]
    return [path.relative_to(SCRIPTS).as_posix() for path in found]


def scripts() -> list[str]:
    return sorted(path.relative_to(SCRIPTS).as_posix() for path in SCRIPTS.rglob("*.js"))


def those_with(pattern: str) -> list[str]:
    return [name for name in scripts() if re.search(pattern, (SCRIPTS / name).read_text())]


def test_every_import_exists_and_goes_down():
    assert {Path(name).parts[0] for name in scripts()} == set(MAY_IMPORT)
    for name in scripts():
        for other in imports(name):
            assert (SCRIPTS / other).is_file(), f"{name} imports {other}"
            assert Path(other).parts[0] in MAY_IMPORT[Path(name).parts[0]], f"{name} imports {other}"


def test_the_state_of_the_table_is_headless():
    reached, waiting = set(), list(HEADLESS)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting += [other for other in imports(name) if other not in reached]
    assert reached == set(HEADLESS)
    assert reached & set(those_with(r"\b(document|window|location)\b\.|addEventListener")) == set()


def test_some_things_are_done_in_one_place():
    assert those_with(r"\bcreateElement") == ["core/dom.js"]
    assert those_with(r"\bgetRandomValues\b") == ["core/random.js"]
    assert those_with(r"\bnew WebSocket\b") == ["core/lobby_socket.js", "core/socket.js"]
    assert those_with(r"\b4010\b") == ["core/close_codes.js"]


def test_every_script_says_first_what_it_is():
    assert [name for name in scripts() if not (SCRIPTS / name).read_text().startswith("// ")] == []
