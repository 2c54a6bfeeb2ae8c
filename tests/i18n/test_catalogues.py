"""Every message is translated into every language, and no translation is unused."""

from __future__ import annotations

import re

import pytest

from app.paths import LOCALES
from app.play.refusals import SENTENCES
from app.web.api.deal import TOO_MANY_TRIES
from app.web.i18n import (
    LANGUAGES,
    SCRIPT_SOURCES,
    Catalogue,
    Languages,
    choose_language,
    fill,
    parse_accept_language,
)
from tools.i18n_extract import Found, find_all, fresh_catalogue, problems, unquoted

TRANSLATED_LANGUAGES = [code for code in LANGUAGES if code != "en"]

# Reviewed: these read the same in the language, or are names.
SAME_AS_ENGLISH = {
    "Account", "Actions", "Cartagena", "Chat", "Filter", "Hint", "Hint: {reason}", "Hints",
    "Hispaniola", "Jamaica", "Jungle", "Legend",
    "Modules", "Morgan", "Name", "Notifications", "Par", "Passage", "Password", "Password:", "Pause", "Pirates",
    "Pistol", "Rating", "Ratings", "Replay", "Rum", "Scenario", "Send", "Sorry!", "Table", "Tortuga",
    "bot: {level}", "e-mail", "normal", "offline", "online", "pistol",
    "rum", "violet", "webhook",
}  # fmt: skip


@pytest.fixture(scope="module")
def languages() -> Languages:
    return Languages(LOCALES)


def test_nothing_is_missing_unused_or_broken():
    assert problems() == []


@pytest.mark.parametrize("code", TRANSLATED_LANGUAGES)
def test_translations_equal_to_english_are_reviewed(languages: Languages, code: str):
    words = languages.catalogue(code)
    same = {source for source, text in words.singles.items() if source == text} - SAME_AS_ENGLISH
    # Only what holds a word can be English: "{card}: {place}" is the same everywhere.
    assert {text for text in same if re.search(r"[A-Za-z]{3}", re.sub(r"\{\w+\}", "", text))} == set()


@pytest.mark.parametrize("code", TRANSLATED_LANGUAGES)
def test_no_message_is_split_or_concatenated(languages: Languages, code: str):
    for source, text in languages.catalogue(code).singles.items():
        assert text == text.strip(), source
        ends = source[-1] in ".!?:"
        assert not ends or text[-1] in ".!?:_…»“”)" or text.endswith("}"), (source, text)


def test_plural_form_depends_on_the_number(languages: Languages):
    swedish, french = languages.catalogue("sv"), languages.catalogue("fr")
    assert swedish.tn("{n} vote so far.", "{n} votes so far.", 1) == "1 röst hittills."
    assert swedish.tn("{n} vote so far.", "{n} votes so far.", 0) == "0 röster hittills."
    assert french.tn("{n} player", "{n} players", 0) == "0 joueur"
    assert french.tn("{n} player", "{n} players", 2) == "2 joueurs"


def test_unknown_message_stays_readable():
    assert Catalogue("sv").t("Hello {name}", name="Ann") == "Hello Ann"
    assert fill("{a} and {b}", {"a": 1}) == "1 and {b}"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("sv-SE,sv;q=0.9,en;q=0.5", "sv"),
        ("no", "nb"),
        ("nn-NO, en;q=0.1", "nb"),
        ("de;q=0.2, fr;q=0.9", "fr"),
        ("ja, zh;q=0.5", "en"),
        ("ja, it;q=0.3", "it"),
        ("", "en"),
        (";;;q=x,,", "en"),
    ],
)
def test_browser_language_is_used(header: str, expected: str):
    assert choose_language(None, None, header) == expected


def test_language_of_link_precedes_cookie_and_browser():
    assert choose_language("es", "de", "sv") == "es"
    assert choose_language(None, "de", "sv") == "de"
    assert choose_language("xx", "../../etc", "sv") == "sv"


def test_accept_language_weights_decide_the_order():
    assert parse_accept_language("en;q=0.1, nl, de;q=0.5") == ["nl", "de", "en"]


def test_scripts_get_exactly_their_messages(languages: Languages):
    words = languages.catalogue("de")
    script = {found.one for found in find_all() if found.place.startswith(SCRIPT_SOURCES)}
    assert words.script_keys == script
    assert TOO_MANY_TRIES in script  # a message of the API, which scripts show
    assert len(words.script_json) < 120_000
    assert "Schmugglergang" not in words.script_json.decode()


def test_every_refusal_code_of_a_room_has_a_message():
    script = (LOCALES.parent.parent / "static" / "js" / "core" / "refusals.js").read_text()
    known = set(re.findall(r"^  (\w+): N_\(", script, re.MULTILINE))
    assert set(SENTENCES) - known == set()


def test_javascript_string_literals_are_unescaped():
    assert unquoted(r'"a \"b\" – é\n"') == 'a "b" – é\n'
    assert unquoted("'it''s'".replace("''", "\\'")) == "it's"


def test_message_that_gains_a_plural_needs_a_new_translation():
    """Its one old text is no pair of forms; the tool that writes the catalogues must say so and go on."""
    found = [Found("{n} vote so far.", "", "here"), Found("End turn", "{n} turns", "here")]
    fresh = fresh_catalogue("de", found)
    assert [message.string or "" for message in fresh if message.id] == [("", ""), ""]
