"""The catalogue of the table is small and has every message of the table's own scripts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.paths import LOCALES
from app.web.i18n import LANGUAGES, NON_TABLE_SCRIPTS, Languages
from app.web.pages.assets import strip_comments
from tools.i18n_extract import find_all

TRANSLATED_LANGUAGES = [code for code in LANGUAGES if code != "en"]


@pytest.mark.parametrize("code", TRANSLATED_LANGUAGES)
def test_table_catalogue_has_only_messages_of_the_table(code: str):
    words = Languages(LOCALES).catalogue(code)
    wanted = {
        found.one
        for found in find_all()
        if found.place.startswith("static/") and not found.place.startswith(NON_TABLE_SCRIPTS)
    }
    assert words.table_part.script_keys == wanted
    assert words.table_part.script_keys < words.script_keys
    assert len(words.table_part.script_gzip) < 0.8 * len(words.script_gzip)
    assert words.table_part.t("End turn") == words.t("End turn")


STATIC = LOCALES.parent.parent / "static" / "js"
IMPORTED = re.compile(r'(?:from|^import) "(\.{1,2}/[^"]+)"', re.M)
DYNAMIC_IMPORT = re.compile(
    r'(withWholeCatalogue\(\s*(?:Promise\.all\(\[)?)?(?:import\("[^"]+"\), )*import\("(\.{1,2}/[^"]+)"\)'
)


def code_of(script: Path) -> str:
    """The script as it is served; types are imported in comments."""
    return strip_comments(script.name, script.read_bytes()).decode()


def loaded_with(script: Path) -> set[Path]:
    """The script, and all that is loaded with it at once."""
    found: set[Path] = set()
    todo = [script]
    while todo:
        at = todo.pop()
        if at not in found:
            found.add(at)
            todo += [(at.parent / name).resolve() for name in IMPORTED.findall(code_of(at))]
    return found


def test_messages_left_out_are_loaded_with_the_full_catalogue():
    """A script whose sentences are missing at the table is not loaded with it, and nowhere without asking for them."""
    at_once = loaded_with((STATIC / "table" / "main.js").resolve())
    assert len(at_once) > 30
    without = {STATIC.parent.parent.resolve() / name for name in NON_TABLE_SCRIPTS if name.endswith(".js")}
    assert {path for path in without if not path.is_file()} == set()
    assert without & at_once == set()
    careless = [
        f"{script.name}: {name}"
        for script in at_once
        for is_whole, name in DYNAMIC_IMPORT.findall(code_of(script))
        if (script.parent / name).resolve() in without and not is_whole
    ]
    assert careless == []
