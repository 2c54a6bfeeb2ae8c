"""Places in messages use phrases with "at", "from" and "to", never the bare name of a label.

"von Gefängnis auf Schaluppe" and "à le sloop" came of sentences that brought the preposition and were given a name.
"""

from __future__ import annotations

import re

import pytest

from app.paths import LOCALES, STATIC
from app.web.i18n import LANGUAGES, Languages
from tools.i18n_extract import find_all

# Prepositions that the inserted phrase already contains; before a placeholder they would be duplicated.
PREPOSITIONS = {
    "en": "at|from|in|into|of|on|onto|to|aboard",
    "sv": "av|från|i|på|till|vid|ombord på",
    "nb": "av|fra|i|på|til|ved|om bord i",
    "nl": "aan|bij|in|naar|op|uit|van",
    "de": "an|am|auf|aus|bei|bis|im|in|ins|nach|vom|von|zum|zur|zu",
    "fr": "à|au|chez|dans|de|du|en|jusqu’à|sur|vers",
    "es": "a|al|de|del|desde|en|hacia|hasta",
    "it": "a|al|alla|da|dal|dalla|di|del|della|in|nella|per|su|sulla|verso",
}
PLACE_PLACEHOLDER = re.compile(r"\{(from|to|at)\}")
BARE_PLACE_NAME = re.compile(r"place(Name|Label)\(")


def messages_with_places() -> set[str]:
    return {found.one for found in find_all() if PLACE_PLACEHOLDER.search(found.one)}


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_message_adds_a_preposition_before_a_place_phrase(code: str) -> None:
    words = Languages(LOCALES).catalogue(code)
    doubled = re.compile(
        rf"(?<!\w)({PREPOSITIONS[code]}) (la |le |el |il |de |den |das |the )?\{{(from|to|at)\}}", re.I
    )
    sentences = messages_with_places()
    assert len(sentences) > 12
    assert [words.t(source) for source in sentences if doubled.search(words.t(source))] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_place_has_three_phrases_that_differ_from_its_name(code: str) -> None:
    words = Languages(LOCALES).catalogue(code)
    script = (STATIC / "js" / "core" / "names.js").read_text()
    table = re.findall(r'\b(name|at|from|to): N_\("([^"]+)"\)', script)
    assert len(table) == 20
    for at in range(0, 20, 4):
        name, *phrases = (words.t(source) for _, source in table[at : at + 4])
        assert name not in phrases
        assert all(phrase.count("{n}") == name.count("{n}") for phrase in phrases)
        assert phrases[0] != phrases[1] != phrases[2]


def test_bare_place_names_are_used_only_on_labels() -> None:
    """Sentences use placeAt or road."""
    users = {path.name for path in (STATIC / "js").rglob("*.js") if BARE_PLACE_NAME.search(path.read_text())}
    assert users <= {"names.js", "board.js", "explanations.js", "pieces.js"}
    placeholders = {found.one for found in find_all() if "{place}" in found.one}
    assert placeholders == set()
