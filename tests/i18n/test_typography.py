"""Typography of each language, and consistent terms."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from app.paths import LOCALES, STATIC
from app.web.i18n import Languages
from tools.i18n_extract import find_all
from tools.i18n_house import other_words, typeset


def every_text(code: str) -> Iterator[tuple[str, str]]:
    words = Languages(LOCALES).catalogue(code)
    yield from words.singles.items()
    for source, forms in words.plurals.items():
        for form in forms:
            yield source, form


def test_french_punctuation_has_no_break_before_it() -> None:
    torn = re.compile(r"\S [;:!?»]|« |[^\s;!?/][;!?](?=\s|$)|[^\s](?<!https):(?=\s|$)")
    assert [text for _, text in every_text("fr") if torn.search(text)] == []


@pytest.mark.parametrize("code", ["fr", "it"])
def test_apostrophes_are_typographic(code: str) -> None:
    assert [text for _, text in every_text(code) if re.search(r"\w'\w", text)] == []


@pytest.mark.parametrize("code", ["fr", "es", "it", "nl"])
def test_ellipsis_follows_its_word_without_a_space(code: str) -> None:
    assert [text for _, text in every_text(code) if re.search(r"\s…", text)] == []


def test_messages_contain_no_percent_sign_or_optional_plural() -> None:
    """No sign of per cent stands in a sentence, and nothing is "(s)"."""
    texts = [found.one + found.many for found in find_all()]
    assert [text for text in texts if "%" in text or re.search(r"\(e?s\)", text)] == []
    scripts = {
        path.name for path in (STATIC / "js").rglob("*.js") if re.search(r"\} ?%[`\"]", path.read_text())
    }
    assert scripts == set()


@pytest.mark.parametrize(
    ("code", "typed", "kept"),
    [
        ("fr", "Ohé ! « Fin » : oui ; non ?", "Ohé\u00a0! «\u00a0Fin\u00a0»\u00a0: oui\u00a0; non\u00a0?"),
        ("fr", "Vérification …", "Vérification…"),
        ("it", "l'ultima", "l’ultima"),
        ("it", "lettere e - ' . _", "lettere e - ' . _"),
        ("de", "Prüfe …", "Prüfe\u00a0…"),
        ("nl", "Verbinden …", "Verbinden…"),
    ],
)
def test_plain_typing_is_normalised_to_the_typography_of_the_language(
    code: str, typed: str, kept: str
) -> None:
    assert typeset(code, typed) == kept
    assert typeset(code, kept) == kept


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "{name} is in turn"),
        ("sv", "{name} är i tur"),
        ("nb", "til slupen"),
        ("nl", "naar vak {n}"),
        ("de", "sechs Tafeln"),
        ("fr", "voguer à le sloop"),
        ("es", "abrir un registro"),
        ("it", "ritirarsi"),
    ],
)
def test_inconsistent_term_is_found(code: str, text: str) -> None:
    """That no catalogue has one is part of `problems`, which test_catalogues.py wants empty."""
    assert other_words(code, text)
