"""The table's catalogue is small, and holds every sentence that the table's own scripts say."""

from __future__ import annotations

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
