"""The table's catalogue is small, and holds every sentence that the table's own scripts say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.paths import LOCALES
from app.web.i18n import LANGUAGES, NOT_AT_TABLE, Languages
from tools.i18n_extract import find_all

OTHERS = [code for code in LANGUAGES if code != "en"]


@pytest.mark.parametrize("code", OTHERS)
def test_the_table_gets_its_sentences_and_those_of_no_other_page(code: str):
    words = Languages(LOCALES).catalogue(code)
    wanted = {
        found.one
        for found in find_all()
        if found.place.startswith("static/") and not found.place.startswith(NOT_AT_TABLE)
    }
    assert words.at_table.script_keys == wanted
    assert words.at_table.script_keys < words.script_keys
    assert len(words.at_table.script_gzip) < 0.8 * len(words.script_gzip)
    assert words.at_table.t("End turn") == words.t("End turn")


STATIC = LOCALES.parent.parent / "static" / "js"
IMPORTED = re.compile(r'(?:from|^import) "(\.{1,2}/[^"]+)"', re.M)
LATER = re.compile(r'(rare\((?:Promise\.all\(\[)?)?(?:import\("[^"]+"\), )*import\("(\.{1,2}/[^"]+)"\)')


def loaded_with(script: Path) -> set[Path]:
    """The script, and all that is loaded with it at once."""
    found: set[Path] = set()
    todo = [script]
    while todo:
        at = todo.pop()
        if at not in found:
            found.add(at)
            todo += [(at.parent / name).resolve() for name in IMPORTED.findall(at.read_text())]
    return found


def test_what_the_catalogue_goes_without_is_loaded_with_the_whole_one():
    """A script whose sentences are missing at the table is not loaded with it, and nowhere without asking for them."""
    at_once = loaded_with((STATIC / "table" / "main.js").resolve())
    assert len(at_once) > 30
    without = {STATIC.parent.parent.resolve() / name for name in NOT_AT_TABLE if name.endswith(".js")}
    assert {path for path in without if not path.is_file()} == set()
    assert without & at_once == set()
    careless = [
        f"{script.name}: {name}"
        for script in at_once
        for rare, name in LATER.findall(script.read_text())
        if (script.parent / name).resolve() in without and not rare
    ]
    assert careless == []
