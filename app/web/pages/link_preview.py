"""Link previews: title, sentence and picture of a shared link; and which pages search engines may index.

The preview of a table does not depend on the table, so a link reveals nothing about it. The edition may be given in the
link by a person at the table. Only the picture, which has its own address (pictures/routes.py), shows what any stranger
with the link could watch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlencode
from xml.sax.saxutils import escape

from starlette.requests import HTTPConnection

from app.play.deal.days import day_of, parse_day, plan_day
from app.rules.catalogue import PRESETS
from app.web.api.qr import public_address
from app.web.game_server import game_server_of
from app.web.i18n import LANGUAGES, Catalogue
from app.web.pages.assets import Assets

__all__ = ["INDEXED_PATHS", "RULES_TOPICS", "LinkPreview", "make_preview", "robots_txt", "sitemap_xml"]

RULES_TOPICS = ("editions", "complete", "morgan", "scoundrels", "black-magic", "options", "chance", "ratings")
INDEXED_PATHS = (
    "/", "/deal", "/rules", *(f"/rules/{topic}" for topic in RULES_TOPICS), "/tutorial", "/new", "/about", "/replay",
    "/fairness", "/ratings",
)  # fmt: skip
"""Pages that are the same for everyone."""

# The edition whose picture a topic of the rules uses.
_PRESET_BY_TOPIC = {
    "complete": "complete",
    "morgan": "jungle",
    "scoundrels": "dungeon",
    "black-magic": "dungeon",
}
_OPEN_GRAPH_LOCALES = {
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
class LinkPreview:
    """The preview of a link. If `title` is empty the page's own title is used."""

    url: str
    picture: str
    locale: str
    sentence: str
    title: str = ""
    about_picture: str = ""
    """Alternative text of the picture."""
    oembed: str = ""
    """oEmbed address of the page; empty if it cannot be embedded."""
    alternates: dict[str, str] = field(default_factory=dict)
    """Addresses of the page in each language, and without one; only for indexed pages."""


def make_preview(
    connection: HTTPConnection, words: Catalogue, assets: Assets, room: str = "", person: str = ""
) -> LinkPreview | None:
    """Return the preview of the requested page; None if its address is private.

    `room` is the table of a table page; `person` is the name of a player on their public page.
    """
    path: str = connection.scope["path"]
    if person:
        return _player_preview(connection, words, path, person)
    day = _day_of_deal(connection, path)
    if not room and not day and path not in INDEXED_PATHS:
        return None
    query = connection.query_params
    edition_name = query.get("edition" if room else "preset") or _PRESET_BY_TOPIC.get(
        path.removeprefix("/rules/"), ""
    )
    if day:
        edition_name = plan_day(day)[0]["preset"]
    edition = PRESETS.get(edition_name)
    picture = assets.url(f"share/{edition.name if edition else 'cartagena'}.png")
    about = words.t("Pirates on a beach, and the cards of the game.")
    oembed = ""
    sentence = words.t("A game of escape through a smugglers' tunnel.")
    title = ""
    if room and path == f"/g/{room}":
        sentence = words.t("Join this table: sit down, or watch. You do not need an account.")
        title = words.t(
            "{edition}: come and play", edition=words.t(edition.title if edition else "Cartagena")
        )
    elif room and path == f"/g/{room}/replay":
        sentence = words.t("A whole game, move by move, as it was played.")
    elif day:
        sentence = words.t(
            "Everyone here gets the same boards, the same deck and the same bots. "
            "The only difference is what you make of it."
        )
    elif edition and path == "/new":
        sentence, title = words.t(edition.sentence), words.t(edition.title)
    if room and path in (f"/g/{room}", f"/g/{room}/replay"):
        picture_query = {"lang": words.code} | ({"edition": edition.name} if edition else {})
        picture = f"/share/g/{room}.png?{urlencode(picture_query)}"
        about = words.t("The board, the pirates on it, and who is playing.")
        link = urlencode({"url": public_address(connection, f"{path}?lang={words.code}")})
        oembed = public_address(connection, f"/oembed?{link}")
    return LinkPreview(
        url=_localised_address(connection, path, query.get("lang"))
        if not room
        else public_address(connection, path),
        picture=public_address(connection, picture),
        locale=_OPEN_GRAPH_LOCALES[words.code],
        sentence=sentence,
        title=title,
        about_picture=about,
        oembed=oembed,
        alternates={}
        if path not in INDEXED_PATHS
        else {
            **{code: _localised_address(connection, path, code) for code in LANGUAGES},
            "x-default": _localised_address(connection, path, None),
        },
    )


def _day_of_deal(connection: HTTPConnection, path: str) -> str:
    """Return the day of a deal page; empty for other pages."""
    if path == "/deal":
        return day_of(game_server_of(connection).clock.now())
    return parse_day(path.removeprefix("/deal/")) or "" if path.startswith("/deal/") else ""


def _player_preview(connection: HTTPConnection, words: Catalogue, path: str, name: str) -> LinkPreview:
    return LinkPreview(
        url=public_address(connection, path),
        picture=public_address(connection, f"/share{path}.png?lang={words.code}"),
        locale=_OPEN_GRAPH_LOCALES[words.code],
        sentence=words.t("Games played and won, by edition."),
        title=words.t("{name}: games and results", name=name),
        about_picture=words.t("Pirates on a beach, and the cards of the game."),
    )


def _localised_address(connection: HTTPConnection, path: str, language: str | None) -> str:
    return public_address(connection, path + (f"?lang={language}" if language in LANGUAGES else ""))


def sitemap_xml(connection: HTTPConnection) -> str:
    """Return the sitemap: every indexed page in every language."""
    addresses = (
        _localised_address(connection, path, code) for path in INDEXED_PATHS for code in (None, *LANGUAGES)
    )
    lines = "".join(f"<url><loc>{escape(address)}</loc></url>\n" for address in addresses)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{lines}</urlset>\n'
    )


def robots_txt(connection: HTTPConnection) -> str:
    """Return robots.txt, which excludes the API and private links.

    Pages of tables and players are not excluded, because link previews must fetch them; they send `noindex` instead.
    """
    closed = ("/api/", "/ws/", "/resume/", "/stop/", "/qr/")
    lines = "".join(f"Disallow: {path}\n" for path in closed)
    return (
        "# Tables and players may be looked at, for the picture of a shared link, but say noindex.\n"
        f"User-agent: *\n{lines}\nSitemap: {public_address(connection, '/sitemap.xml')}\n"
    )
