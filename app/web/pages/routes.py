"""Routes of all HTML pages and static files, and their installation in an app."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from cachetools import LRUCache
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.play.deal.days import parse_day
from app.play.log.clocks import CLOCK_CLASSES
from app.play.log.entries import OwnTurns
from app.play.ports import StoreUnavailable
from app.ratings.pools import POOLS, Pool
from app.rules.catalogue import PRESETS
from app.rules.core.cards import SYMBOL_SETS
from app.store.people.players import Player
from app.web.api.qr import RoomId, check_room_id, public_address
from app.web.auth.identity import current_person
from app.web.errors import NotFound
from app.web.game_server import actor_of, game_server_of
from app.web.i18n import LANGUAGES
from app.web.pages import analysis, embed, forms, oembed, practice, puzzles, trial
from app.web.pages import replay as replays
from app.web.pages.assets import IMMUTABLE_CACHE_CONTROL, REVALIDATE_CACHE_CONTROL
from app.web.pages.deal_card import DealCard, make_deal_card
from app.web.pages.errors import error_page
from app.web.pages.lessons import LESSONS
from app.web.pages.link_preview import RULES_TOPICS, robots_txt, sitemap_xml
from app.web.pages.render import PageRenderer, Pages
from app.web.pictures import routes as pictures
from app.web.routing import Router, respond_gzipped
from app.web.site import site_of

router = Router(include_in_schema=False)
DEFAULT_POOL: Pool = "group-hidden"  # of most games
MAX_FIRST_GAMES = 20  # own games in the first paint of the lobby; its socket sends all


def install_pages(app: FastAPI) -> None:
    """Add all pages, static files and script catalogues to an app."""
    app.state.pages = PageRenderer()
    app.state.error_page = error_page
    app.state.replay_cache = LRUCache(replays.MAX_CACHED_REPLAYS)
    app.state.record_cache = LRUCache(trial.MAX_CACHED_RECORDS)
    app.state.analysis_cache = LRUCache(analysis.MAX_CACHED_ANALYSES)
    for route in router.routes:
        if isinstance(route, APIRoute) and route.methods:
            route.methods.add("HEAD")  # for clients that only check whether a page exists
    for page_router in (
        router,
        forms.router,
        practice.router,
        puzzles.router,
        replays.router,
        trial.router,
        analysis.router,
        embed.router,
        oembed.router,
        pictures.router,
    ):
        app.router.routes.extend(page_router.routes)


# -- files -----------------------------------------------------------------------------------------


@router.get("/static/{fingerprint}/{name:path}")
async def static_file(request: Request, pages: Pages, fingerprint: str, name: str) -> Response:
    return pages.assets.respond(request, fingerprint, name)


@router.get("/lang/{name}.json")
async def catalogue(request: Request, pages: Pages, name: str) -> Response:
    code, _, fingerprint = name.partition(".")
    code, _, part = code.partition("-")
    if code not in LANGUAGES or part not in ("", "table"):
        raise NotFound
    words = pages.languages.catalogue(code)
    if part:
        words = words.table_part
    cache_control = IMMUTABLE_CACHE_CONTROL if fingerprint == words.script_hash else REVALIDATE_CACHE_CONTROL
    return respond_gzipped(request, words.script_json, words.script_gzip, "application/json", cache_control)


@router.get("/manifest.webmanifest")
async def manifest(request: Request, pages: Pages) -> Response:
    """Return the web app manifest in the reader's language."""
    return pages.manifest(request)


@router.get("/favicon.ico")
async def favicon(request: Request, pages: Pages) -> Response:
    """Return the icon for clients that request this path by convention and may not support SVG."""
    return pages.assets.respond(request, "", "icons/favicon-48.png")


@router.get("/icon.svg")
async def icon(request: Request, pages: Pages) -> Response:
    return pages.assets.respond(request, "", "icons/app.svg")


@router.get("/worker.js")
async def worker(request: Request, pages: Pages) -> Response:
    """Return the service worker. It is served from the root so that its scope is the whole site."""
    answer = pages.assets.respond(request, "", "js/pages/service_worker.js")
    answer.headers["Cache-Control"] = "no-cache"
    return answer


@router.get("/robots.txt")
async def robots(request: Request) -> Response:
    return Response(robots_txt(request), media_type="text/plain")


@router.get("/sitemap.xml")
async def sitemap(request: Request) -> Response:
    return Response(sitemap_xml(request), media_type="application/xml")


# -- play ------------------------------------------------------------------------------------------


@router.get("/")
async def lobby(request: Request, pages: Pages) -> Response:
    reader = await current_person(request)
    games = await _read_own_games(request, reader)
    return await pages.page(
        request,
        "lobby.html",
        presets=PRESETS.values(),
        preset_titles={name: edition.title for name, edition in PRESETS.items()},
        clocks=CLOCK_CLASSES,
        deal=await _read_deal_card(request, reader),
        games=games[:MAX_FIRST_GAMES],
        game_count=len(games),
        turns=OwnTurns(len(games), sum(game["my_turn"] for game in games)),
    )


async def _read_deal_card(request: Request, reader: Player | None) -> DealCard | None:
    """Return what the lobby says about today's deal; None without a database."""
    try:
        return await make_deal_card(request, reader)
    except StoreUnavailable:
        return None


async def _read_own_games(request: Request, reader: Player | None) -> list[dict[str, Any]]:
    """Return the reader's unfinished games for the first paint of the lobby, before its socket is open."""
    try:
        return await game_server_of(request).lobby.read_own_games(actor_of(reader))
    except StoreUnavailable:
        return []


@router.get("/new")
async def new_table(
    request: Request,
    pages: Pages,
    preset: str = "jamaica",
    screen: str = "",
    friends: str = "",
    invite: str = "",
) -> Response:
    site = site_of(request)
    invited = await site.people.find_player(invite, site.now()) if 0 < len(invite) <= 32 else None
    return await pages.page(
        request,
        "new.html",
        presets=PRESETS.values(),
        preset=preset if preset in PRESETS else next(iter(PRESETS)),
        is_for_screen=screen == "1",
        is_by_link="1" in (screen, friends),
        invited=invited,
        preset_values={name: edition.values for name, edition in PRESETS.items()},
        symbols=SYMBOL_SETS,
        groups=forms.OPTION_GROUPS,
        clocks=CLOCK_CLASSES,
    )


@router.get("/g/{room}/screen")
async def big_screen(request: Request, pages: Pages, room: RoomId) -> Response:
    """Return the big-screen page of a table, which also spells out the address of its QR code."""
    address = public_address(request, f"/g/{room}")
    return await pages.page(request, "screen.html", room=room, address=address)


@router.get("/h/{room}")
@router.get("/h/{room}/")
async def typed_address(room: RoomId) -> RedirectResponse:
    """Redirect the address that a big screen spells out to where its QR code leads."""
    return RedirectResponse(f"/g/{room}?hand=1", status_code=303)


# Pages whose only parameter is the room.
PLAIN_PAGES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("/g/{room}", "table.html", {}),
    ("/g/{room}/replay", "replay.html", {}),
    ("/g/{room}/fairness", "fairness.html", {}),
    ("/g/{room}/review", "review.html", {}),
    ("/g/{room}/try", "try.html", {}),
    ("/deal", "deal.html", {"day": ""}),
    ("/replay", "replay.html", {"room": ""}),
    ("/fairness", "fairness.html", {"room": ""}),
    ("/rules", "rules/basic.html", {"topic": ""}),
    ("/about", "about.html", {}),
    ("/me", "profile.html", {"player": "", "person": ""}),
    ("/friends", "friends.html", {}),
    ("/account", "account.html", {}),
)


def _make_page_handler(template: str, context: dict[str, Any]) -> Callable[..., Awaitable[Response]]:
    async def show(request: Request, pages: Pages) -> Response:
        for room in request.path_params.values():
            await check_room_id(room)
        return await pages.page(request, template, **context, **request.path_params)

    return show


for path, template, context in PLAIN_PAGES:
    router.get(path)(_make_page_handler(template, context))


@router.get("/ratings")
async def leaderboards(request: Request, pages: Pages, pool: str = "") -> Response:
    return await pages.page(request, "ratings.html", pool=pool if pool in POOLS else DEFAULT_POOL)


@router.get("/deal/{day}")
async def deal_of_a_day(request: Request, pages: Pages, day: str) -> Response:
    known = parse_day(day)
    if known is None:
        raise NotFound
    return await pages.page(request, "deal.html", day=known)


# -- to read ---------------------------------------------------------------------------------------


@router.get("/rules/{topic}")
async def rules_topic(request: Request, pages: Pages, topic: str) -> Response:
    if topic not in RULES_TOPICS:
        raise NotFound
    return await pages.page(
        request,
        f"rules/{topic}.html",
        topic=topic,
        presets=PRESETS.values(),
        symbols=SYMBOL_SETS,
        options=forms.OPTION_SPECS,
    )


@router.get("/tutorial")
async def tutorial(request: Request, pages: Pages) -> Response:
    t = pages.catalogue_for(request).t
    words = [{"name": lesson.name, "task": t(lesson.task), "praise": t(lesson.praise)} for lesson in LESSONS]
    return await pages.page(request, "tutorial.html", lessons=LESSONS, lesson_words=words)


@router.get("/offline")
async def offline(request: Request, pages: Pages) -> Response:
    """Return the page that the service worker shows without a network."""
    return pages.plain_page(request, "offline.html")


# -- people ----------------------------------------------------------------------------------------


@router.get("/players/{player}")
async def profile(request: Request, pages: Pages, player: str) -> Response:
    site = site_of(request)
    found = await site.people.find_player(player, site.now()) if len(player) <= 32 else None
    return await pages.page(request, "profile.html", player=player, person=found.name if found else "")


@router.get("/resume")
async def resume_without_code() -> Response:
    return RedirectResponse("/account", status_code=303)


@router.get("/resume/{code}")
async def resume(request: Request, pages: Pages, code: str) -> Response:
    answer = await pages.page(request, "resume.html", code=code[:100])
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer
