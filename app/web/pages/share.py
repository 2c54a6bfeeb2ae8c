"""What others are shown of a link: a title, a sentence and a picture; and which pages a search engine may keep.

A page of a table tells nothing of the table: nobody looks it up for whoever only has its address. The edition may
stand in the link itself, which then was put there by somebody who sits inside. Only the picture, which has an address
of its own (pictures/routes.py), shows what a stranger with the link could watch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlencode
from xml.sax.saxutils import escape

from starlette.requests import HTTPConnection

from app.play.deal.days import day_of, parse_day, plan_of
from app.rules.catalogue import PRESETS
from app.web.api.qr import public_address
from app.web.game_server import game_server_of
from app.web.i18n import LANGUAGES, Catalogue
from app.web.pages.assets import Assets

__all__ = ["INDEXED", "TOPICS", "Share", "robots_txt", "shared", "sitemap_xml"]

TOPICS = ("editions", "complete", "morgan", "scoundrels", "black-magic", "options", "chance")
INDEXED = (
    "/", "/deal", "/rules", *(f"/rules/{topic}" for topic in TOPICS), "/tutorial", "/new", "/about", "/replay",
    "/fairness",
)  # fmt: skip
"""Pages that are the same for everybody."""

# Which of a page's own addresses show an edition; the topics of the rules belong to one each.
_OF_TOPIC = {"complete": "complete", "morgan": "jungle", "scoundrels": "dungeon", "black-magic": "dungeon"}
_LOCALES = {
    "en": "en_GB",
    "sv": "sv_SE",
    "nb": "nb_NO",
    "nl": "nl_NL",
    "de": "de_DE",
    "fr": "fr_FR",
    "es": "es_ES",
    "it": "it_IT",
}


@dataclass(frozen=True)
class Share:
    """What a link shows. `title` is empty where the page's own title does."""

    url: str
    picture: str
    locale: str
    sentence: str
    title: str = ""
    about_picture: str = ""
    """What the picture shows, for those who do not see it."""
    oembed: str = ""
    """Where another site learns how to show this page in a frame; empty where it cannot be."""
    alternates: dict[str, str] = field(default_factory=dict)
    """The same page in each language, and without one; only of pages that a search engine may keep."""


def shared(
    connection: HTTPConnection, words: Catalogue, assets: Assets, room: str = "", person: str = ""
) -> Share | None:
    """The card of the page that is asked for; None where its address is nobody else's business.

    `room`: the table whose page it is. `person`: the name of whose public page it is.
    """
    path: str = connection.scope["path"]
    if person:
        return _of_person(connection, words, path, person)
    day = _day_of_deal(connection, path)
    if not room and not day and path not in INDEXED:
        return None
    asked = connection.query_params
    named = asked.get("edition" if room else "preset") or _OF_TOPIC.get(path.removeprefix("/rules/"), "")
    if day:
        named = plan_of(day)[0]["preset"]
    edition = PRESETS.get(named)
    picture = assets.url(f"share/{edition.name if edition else 'cartagena'}.png")
    about = words.t("Pirates on a beach, and the cards of the game.")
    oembed = ""
    sentence = words.t("A game of escapes through a smugglers' tunnel.")
    title = ""
    if room and path == f"/g/{room}":
        sentence = words.t("You are invited to a table: sit down, or watch. No account is needed.")
        title = words.t(
            "{edition}: come and play", edition=words.t(edition.title if edition else "Cartagena")
        )
    elif room and path == f"/g/{room}/replay":
        sentence = words.t("A whole game, move by move, as it was played.")
    elif day:
        sentence = words.t(
            "Everybody in the world gets the same boards, the same deck and the same bots. "
            "What differs is what you make of it."
        )
    elif edition and path == "/new":
        sentence, title = words.t(edition.sentence), words.t(edition.title)
    if room and path in (f"/g/{room}", f"/g/{room}/replay"):
        asked_of_picture = {"lang": words.code} | ({"edition": edition.name} if edition else {})
        picture = f"/share/g/{room}.png?{urlencode(asked_of_picture)}"
        about = words.t("The board, the pirates on it, and who plays.")
        link = urlencode({"url": public_address(connection, f"{path}?lang={words.code}")})
        oembed = public_address(connection, f"/oembed?{link}")
    return Share(
        url=_address(connection, path, asked.get("lang")) if not room else public_address(connection, path),
        picture=public_address(connection, picture),
        locale=_LOCALES[words.code],
        sentence=sentence,
        title=title,
        about_picture=about,
        oembed=oembed,
        alternates={}
        if path not in INDEXED
        else {
            **{code: _address(connection, path, code) for code in LANGUAGES},
            "x-default": _address(connection, path, None),
        },
    )


def _day_of_deal(connection: HTTPConnection, path: str) -> str:
    """The day whose deal this page is about; empty where it is about none."""
    if path == "/deal":
        return day_of(game_server_of(connection).clock.now())
    return parse_day(path.removeprefix("/deal/")) or "" if path.startswith("/deal/") else ""


def _of_person(connection: HTTPConnection, words: Catalogue, path: str, name: str) -> Share:
    return Share(
        url=public_address(connection, path),
        picture=public_address(connection, f"/share{path}.png?lang={words.code}"),
        locale=_LOCALES[words.code],
        sentence=words.t("Games played, games won, and the editions of the game."),
        title=words.t("{name}: games and results", name=name),
        about_picture=words.t("Pirates on a beach, and the cards of the game."),
    )


def _address(connection: HTTPConnection, path: str, language: str | None) -> str:
    return public_address(connection, path + (f"?lang={language}" if language in LANGUAGES else ""))


def sitemap_xml(connection: HTTPConnection) -> str:
    """Every page that may be kept, in every language."""
    addresses = (_address(connection, path, code) for path in INDEXED for code in (None, *LANGUAGES))
    lines = "".join(f"<url><loc>{escape(address)}</loc></url>\n" for address in addresses)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{lines}</urlset>\n'
    )


def robots_txt(connection: HTTPConnection) -> str:
    """What is no page, and what only its owner should open. Pages of tables and people say `noindex` themselves:
    whoever shows a shared link must be allowed to look at it."""
    closed = ("/api/", "/ws/", "/resume/", "/stop/", "/qr/")
    lines = "".join(f"Disallow: {path}\n" for path in closed)
    return (
        "# Tables and players may be looked at, for the picture of a shared link, but say noindex.\n"
        f"User-agent: *\n{lines}\nSitemap: {public_address(connection, '/sitemap.xml')}\n"
    )
