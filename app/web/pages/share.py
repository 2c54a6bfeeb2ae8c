"""What others are shown of a link: a title, a sentence and a picture; and which pages a search engine may keep.

A link of a table tells nothing of the table: nobody looks it up for whoever only has its address. The edition may
stand in the link itself, which then was put there by somebody who sits inside.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from starlette.requests import HTTPConnection

from app.rules.catalogue import PRESETS
from app.web.api.qr import public_address
from app.web.i18n import LANGUAGES, Catalogue
from app.web.pages.assets import Assets

__all__ = ["INDEXED", "TOPICS", "Share", "robots_txt", "shared", "sitemap_xml"]

TOPICS = ("editions", "complete", "morgan", "scoundrels", "black-magic", "options", "chance")
INDEXED = (
    "/", "/rules", *(f"/rules/{topic}" for topic in TOPICS), "/tutorial", "/new", "/about", "/replay", "/fairness",
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
    alternates: dict[str, str] = field(default_factory=dict)
    """The same page in each language, and without one; only of pages that a search engine may keep."""


def shared(connection: HTTPConnection, words: Catalogue, assets: Assets, room: str = "") -> Share | None:
    """The card of the page that is asked for; None where its address is nobody else's business."""
    path: str = connection.scope["path"]
    if not room and path not in INDEXED:
        return None
    asked = connection.query_params
    named = asked.get("edition" if room else "preset") or _OF_TOPIC.get(path.removeprefix("/rules/"), "")
    edition = PRESETS.get(named)
    picture = f"share/{edition.name if edition else 'cartagena'}.png"
    sentence = words.t("A game of escapes through a smugglers' tunnel.")
    title = ""
    if room and path == f"/g/{room}":
        sentence = words.t("You are invited to a table: sit down, or watch. No account is needed.")
        title = words.t(
            "{edition}: come and play", edition=words.t(edition.title if edition else "Cartagena")
        )
    elif edition and path == "/new":
        sentence, title = words.t(edition.sentence), words.t(edition.title)
    return Share(
        url=_address(connection, path, asked.get("lang")) if not room else public_address(connection, path),
        picture=public_address(connection, assets.url(picture)),
        locale=_LOCALES[words.code],
        sentence=sentence,
        title=title,
        alternates={}
        if room
        else {
            **{code: _address(connection, path, code) for code in LANGUAGES},
            "x-default": _address(connection, path, None),
        },
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
