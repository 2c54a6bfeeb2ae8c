"""The folders of static/js: allowed imports, and calls that occur in one file only."""

from __future__ import annotations

import re
from pathlib import Path

from app.web.pages.assets import strip_comments

SCRIPTS = Path(__file__).resolve().parents[2] / "static" / "js"
IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)\"""")
MAY_IMPORT = {
    "core": {"core"},
    "board": {"core", "board"},
    "table": {"core", "board", "table"},
    "pages": {"core", "board", "table", "pages"},
    "screen": {"core", "board", "table", "screen"},
}
HEADLESS = ["table/store.js", "table/room_state.js", "table/selection.js", "core/fold.js", "board/layout.js"]


def imports(name: str) -> list[str]:
    """Return the files that a script imports, statically or dynamically, as paths below static/js."""
    script = SCRIPTS / name
    code = strip_comments(name, script.read_bytes()).decode()  # types are imported in comments
    found = [(script.parent / path).resolve() for path in IMPORT.findall(code)]
    return [path.relative_to(SCRIPTS).as_posix() for path in found]


def scripts() -> list[str]:
    return sorted(path.relative_to(SCRIPTS).as_posix() for path in SCRIPTS.rglob("*.js"))


def scripts_matching(pattern: str) -> list[str]:
    return [name for name in scripts() if re.search(pattern, (SCRIPTS / name).read_text())]


def test_imports_exist_and_follow_the_order_of_folders():
    assert {Path(name).parts[0] for name in scripts()} == set(MAY_IMPORT)
    for name in scripts():
        for other in imports(name):
            assert (SCRIPTS / other).is_file(), f"{name} imports {other}"
            assert Path(other).parts[0] in MAY_IMPORT[Path(name).parts[0]], f"{name} imports {other}"


def test_state_of_the_table_uses_no_dom():
    reached, waiting = set(), list(HEADLESS)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting += [other for other in imports(name) if other not in reached]
    assert reached == set(HEADLESS)
    assert reached & set(scripts_matching(r"\b(document|window|location)\b\.|addEventListener")) == set()


def test_some_calls_occur_in_one_file_only():
    assert scripts_matching(r"\bcreateElement") == ["core/dom.js"]
    assert scripts_matching(r"\bgetRandomValues\b") == ["core/random.js"]
    assert scripts_matching(r"\bnew WebSocket\b") == ["core/reconnecting_socket.js", "core/socket.js"]
    assert scripts_matching(r"\b4010\b") == ["core/close_codes.js"]


def test_every_script_starts_with_a_comment():
    assert [name for name in scripts() if not (SCRIPTS / name).read_text().startswith("// ")] == []


def uses_export(text: str, name: str, export: str) -> bool:
    """Return whether a file refers to the script and uses its export.

    By `{export}`, by `(await …).export`, or in a test by `m.export`: there `m` is the module.
    """
    is_named = re.search(rf"[\"/]{re.escape(Path(name).name)}\"", text)
    return bool(is_named and re.search(rf"(?:[{{,]\s*|\)\.|\bm\.){export}\b", text))


def test_property_of_the_same_name_does_not_count_as_use_of_an_export():
    assert uses_export('import { draw } from "./board.js";', "board/board.js", "draw")
    assert uses_export('(await import("./board.js")).draw()', "board/board.js", "draw")
    assert not uses_export('import { Board } from "./board.js"; board.draw()', "board/board.js", "draw")
    assert not uses_export('import { draw } from "./hand.js";', "board/board.js", "draw")


def test_every_export_is_imported_by_another_script_or_by_a_test():
    here = Path(__file__).parent
    others = {name: (SCRIPTS / name).read_text() for name in scripts()}
    others |= {
        path.name: path.read_text() for path in [*here.glob("*.py"), *here.parent.glob("browser/**/*.py")]
    }
    unused = [
        f"{name}: {export}"
        for name in scripts()
        for export in re.findall(
            r"^export (?:async )?(?:const|function|class) (\w+)", others[name], re.MULTILINE
        )
        if not any(uses_export(text, name, export) for other, text in others.items() if other != name)
    ]
    assert unused == []
