"""Texts of notices: names, edition and deadline in the reader's language and time zone, and their HTML."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser
from typing import Any

import pytest

from app.notify import words as texts
from app.notify.mail_html import compose_digest_html
from app.notify.webhook import make_body, make_discord_body
from app.notify.words import compose_headline, compose_line, compose_subject, format_deadline
from app.settings import Settings
from app.store.people.notice_values import PendingNotice, Recipient, Wishes
from app.web.i18n import LANGUAGES, fill

DEADLINE = 1_794_989_700_000  # 18 November 2026, 08:15 UTC


def english(_language: str, source: str, /, **values: object) -> str:
    return fill(source, values)


def notice(*opponents: str, unnamed: int = 0, **more: Any) -> PendingNotice:
    fields: dict[str, Any] = {"title": "", "deadline": DEADLINE, "edition": "Jamaica", **more}
    return PendingNotice("game-1", opponents=opponents, unnamed_opponents=unnamed, **fields)


def recipient(*pending: PendingNotice, zone: str = "Europe/Berlin", language: str = "en") -> Recipient:
    wishes = Wishes(zone=zone)
    return Recipient("p", "Anne", language, None, "s", None, None, 0, (), pending, wishes=wishes)


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", "Wed 18 Nov, 09:15"),
        ("sv", "ons 18 nov., 09:15"),
        ("nb", "ons. 18. nov., 09:15"),
        ("nl", "wo 18 nov, 09:15"),
        ("de", "Mi., 18. Nov., 09:15"),
        ("fr", "mer. 18 nov., 09:15"),
        ("es", "mié, 18 nov, 9:15"),
        ("it", "mer 18 nov, 09:15"),
    ],
)
def test_deadline_is_in_the_language_and_time_zone_of_the_reader(language: str, written: str) -> None:
    assert language in LANGUAGES
    assert format_deadline(DEADLINE, language, "Europe/Berlin") == written


@pytest.mark.parametrize(
    ("zone", "written"),
    [
        ("America/Los_Angeles", "Wed 18 Nov, 00:15"),
        ("Pacific/Kiritimati", "Wed 18 Nov, 22:15"),
        ("UTC", "Wed 18 Nov, 08:15 UTC"),
        ("Nowhere/Atlantis", "Wed 18 Nov, 08:15 UTC"),
        ("../etc/passwd", "Wed 18 Nov, 08:15 UTC"),
    ],
)
def test_default_and_unknown_time_zones_are_shown_as_utc(zone: str, written: str) -> None:
    assert format_deadline(DEADLINE, "en", zone) == written


@pytest.mark.parametrize("language", ["zz", "", "not a language", "de\n"])
def test_unknown_language_falls_back_to_english(language: str) -> None:
    assert format_deadline(DEADLINE, language, "UTC") == "Wed 18 Nov, 08:15 UTC"


@pytest.mark.parametrize(
    ("item", "headline"),
    [
        (notice("Ana"), "Your turn against Ana"),
        (notice("Ana", "Olaf"), "Your turn against Ana and Olaf"),
        (notice("Ana", "Iris", "Olaf"), "Your turn against Ana, Iris and Olaf"),
        (notice("Ana", unnamed=1), "Your turn against Ana and another player"),
        (notice("Ana", "Olaf", unnamed=2), "Your turn against Ana, Olaf and other players"),
        (notice(unnamed=2), "Your turn"),
        (notice(), "Your turn"),
        (notice("Ana", event="time"), "Your time against Ana is running out"),
        (notice("Ana", event="table", mark="full"), "Your table with Ana is full"),
        (notice("Ana", event="table", mark="begun:1"), "Your game with Ana has started"),
        (notice("Ana", event="table", is_opening=True), "Your table with Ana is ready to start"),
        (notice("Ana", event="invited"), "You have an invitation to a table"),
        (notice("Ana", event="rematch"), "Rematch: a seat is waiting for you"),
    ],
)
def test_headline_names_the_opponents(item: PendingNotice, headline: str) -> None:
    assert compose_headline(english, "en", item) == headline


def test_list_of_names_follows_the_language() -> None:
    item = notice("Ana", "Iris", "Olaf")
    lists = {code: texts.compose_names(english, code, item) for code in LANGUAGES}
    assert lists == {
        "en": "Ana, Iris and Olaf",
        "sv": "Ana, Iris och Olaf",
        "nb": "Ana, Iris og Olaf",
        "nl": "Ana, Iris en Olaf",
        "de": "Ana, Iris und Olaf",
        "fr": "Ana, Iris et Olaf",
        "es": "Ana, Iris y Olaf",
        "it": "Ana, Iris e Olaf",
    }


def test_line_has_edition_and_deadline_and_is_the_subject_of_a_single_notice() -> None:
    one, two = notice("Ana", "Olaf"), notice("Brita", deadline=None, edition="")
    line = "Your turn against Ana and Olaf — Jamaica, until Wed 18 Nov, 09:15"
    assert compose_line(english, recipient(one), one) == line
    assert compose_subject(english, recipient(one), [one]) == line
    assert compose_line(english, recipient(two), two) == "Your turn against Brita"
    assert compose_subject(english, recipient(one, two), [one, two]) == texts.GAMES_WAIT_SUBJECT.format(
        count=2
    )


class _Reader(HTMLParser):
    """Collects the elements, addresses and text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.addresses: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "action")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_escapes_names_and_titles_and_loads_nothing() -> None:
    bad = '<img src="https://evil.example/x.png" onerror="alert(1)">'
    item = notice(bad, "Ana & Olaf", title='</p><a href="https://evil.example">"Prize"</a>')
    html = compose_digest_html(
        english, "https://play.example", recipient(item), [item], "https://play.example/stop/s"
    )
    reader = _Reader()
    reader.feed(html)
    assert not {"img", "script", "link", "style", "form", "iframe"} & set(reader.elements)
    assert reader.addresses == ["https://play.example/g/game-1", "https://play.example/stop/s"]
    for text in (
        bad,
        "Ana & Olaf",
        '"Prize"',
        "Jamaica, until Wed 18 Nov, 09:15",
        "Time zone: Europe/Berlin.",
    ):
        assert text in reader.text
    assert "background-image" not in html
    assert "url(" not in html


@pytest.mark.parametrize(("count", "more"), [(50, 0), (53, 3)])
def test_a_digest_lists_fifty_games_and_counts_the_others(count: int, more: int) -> None:
    items = [dataclasses.replace(notice("Ana"), game=f"game-{n:02}") for n in range(count)]
    reader, base_url = recipient(*items), "https://play.example"
    subject, text = texts.compose_digest_mail(english, Settings(public_url=base_url), reader, items, "stop")
    html = compose_digest_html(english, base_url, reader, items, "stop")
    body = make_body(english, base_url, reader, items, 1)
    assert subject == f"{count} games are waiting for you at Cartagena"
    for content in (text, html, str(body)):
        assert [f"/g/game-{n:02}" in content for n in range(53)] == [True] * 50 + [False] * 3
    line = f"And {more} more: https://play.example/me"
    assert (line in text, line in html, body["more"]) == (more > 0, more > 0, more)


def test_discord_line_escapes_names_of_opponents() -> None:
    item = notice("@everyone", "[x](y)", title="")
    content = make_discord_body(english, "https://play.example", recipient(item), [item])["content"]
    assert content == (
        "It's Anne's turn against \\@everyone and \\[x\\]\\(y\\): "
        f"[Cartagena](<https://play.example/g/game-1>) — Jamaica, until <t:{DEADLINE // 1000}:f>"
    )
