"""The pages of the site: which address shows which template, and how they join an app."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.play.deal.days import parse_day
from app.rules.catalogue import CATALOGUE
from app.web.api.qr import ROOM, public_address
from app.web.i18n import LANGUAGES
from app.web.pages import embed, forms, oembed, practice, trial
from app.web.pages import replay as replays
from app.web.pages.errors import error_page
from app.web.pages.lessons import LESSONS
from app.web.pages.render import PageRenderer, Pages
from app.web.pages.share import TOPICS, robots_txt, sitemap_xml
from app.web.pictures import routes as pictures
from app.web.routing import Router, accepts_gzip
from app.web.site import site_of

router = Router(include_in_schema=False)

KEPT = "public, max-age=31536000, immutable"


def install_pages(app: FastAPI) -> None:
    """Give an app all pages, the static files and the catalogues for scripts."""
    app.state.pages = PageRenderer()
    app.state.error_page = error_page
    for route in router.routes:
        if isinstance(route, APIRoute) and route.methods:
            route.methods.add("HEAD")  # whoever only looks whether a page is there
    for each in (
        router,
        forms.router,
        practice.router,
        replays.router,
        trial.router,
        embed.router,
        oembed.router,
        pictures.router,
    ):
        app.include_router(each)


# -- files -----------------------------------------------------------------------------------------


@router.get("/static/{fingerprint}/{name:path}")
async def static_file(request: Request, pages: Pages, fingerprint: str, name: str) -> Response:
    answer = pages.assets.answer(request, fingerprint, name)
    if answer is None:
        raise HTTPException(404)
    return answer


@router.get("/lang/{name}.json")
async def catalogue(request: Request, pages: Pages, name: str) -> Response:
    code, _, fingerprint = name.partition(".")
    code, _, part = code.partition("-")
    if code not in LANGUAGES or part not in ("", "table"):
        raise HTTPException(404)
    words = pages.languages.catalogue(code)
    if part:
        words = words.at_table
    kept = KEPT if fingerprint == words.script_hash else "no-cache"
    headers = {"Cache-Control": kept, "Vary": "Accept-Encoding"}
    if accepts_gzip(request):
        headers["Content-Encoding"] = "gzip"
        return Response(words.script_gzip, media_type="application/json", headers=headers)
    return Response(words.script_json, media_type="application/json", headers=headers)


@router.get("/manifest.webmanifest")
async def manifest(request: Request, pages: Pages) -> Response:
    """The installable app's card, in the reader's language."""
    return pages.manifest(request)


@router.get("/favicon.ico")
async def favicon(request: Request, pages: Pages) -> Response:
    """For what looks here without reading a page, and may not know SVG."""
    answer = pages.assets.answer(request, "", "icons/favicon-48.png")
    assert answer is not None
    return answer


@router.get("/icon.svg")
async def icon(request: Request, pages: Pages) -> Response:
    answer = pages.assets.answer(request, "", "icons/app.svg")
    assert answer is not None
    return answer


@router.get("/worker.js")
async def worker(request: Request, pages: Pages) -> Response:
    """The offline page's service worker; from the root, so that it may serve the whole site."""
    answer = pages.assets.answer(request, "", "js/pages/worker.js")
    assert answer is not None
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
    presets = forms.preset_cards(pages.catalogue_for(request))
    return await pages.page(request, "lobby.html", presets=presets)


@router.get("/new")
async def new_table(request: Request, pages: Pages, preset: str = "jamaica", screen: str = "") -> Response:
    words = pages.catalogue_for(request)
    cards = forms.preset_cards(words)
    names = [card.name for card in cards]
    return await pages.page(
        request,
        "new.html",
        presets=cards,
        preset=preset if preset in names else names[0],
        is_for_screen=screen == "1",
        preset_values={card.name: card.values for card in cards},
        options=forms.form_options(words),
        groups=forms.groups(words),
    )


def checked_room(room: str) -> str:
    """A room's id as it may stand in an address; whether there is such a room only its socket tells."""
    if not ROOM.fullmatch(room):
        raise HTTPException(404)
    return room


@router.get("/g/{room}/screen")
async def big_screen(request: Request, pages: Pages, room: str) -> Response:
    """What a spectator sees, for a whole room; the address that its code leads to is told in words too."""
    address = public_address(request, f"/g/{checked_room(room)}")
    return await pages.page(request, "screen.html", room=room, address=address)


# Pages of which nothing but their room is chosen by the address.
PLAIN: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("/g/{room}", "table.html", {}),
    ("/g/{room}/replay", "replay.html", {}),
    ("/g/{room}/fairness", "fairness.html", {}),
    ("/g/{room}/review", "review.html", {}),
    ("/g/{room}/try", "try.html", {}),
    ("/replay", "replay.html", {"room": ""}),
    ("/fairness", "fairness.html", {"room": ""}),
    ("/rules", "rules/basic.html", {"topic": ""}),
    ("/about", "about.html", {}),
    ("/me", "profile.html", {"player": "", "person": ""}),
    ("/account", "account.html", {}),
)


def _shows(template: str, context: dict[str, Any]) -> Callable[..., Awaitable[Response]]:
    async def show(request: Request, pages: Pages) -> Response:
        given: dict[str, Any] = {name: checked_room(room) for name, room in request.path_params.items()}
        return await pages.page(request, template, **context, **given)

    return show


for path, template, context in PLAIN:
    router.get(path)(_shows(template, context))


@router.get("/deal")
async def deal_of_today(request: Request, pages: Pages) -> Response:
    return await pages.page(request, "deal.html", day="")


@router.get("/deal/{day}")
async def deal_of_a_day(request: Request, pages: Pages, day: str) -> Response:
    known = parse_day(day)
    if known is None:
        raise HTTPException(404)
    return await pages.page(request, "deal.html", is_fixed=True, day=known)


# -- to read ---------------------------------------------------------------------------------------


@router.get("/rules/{topic}")
async def rules_topic(request: Request, pages: Pages, topic: str) -> Response:
    if topic not in TOPICS:
        raise HTTPException(404)
    words = pages.catalogue_for(request)
    options = forms.form_options(words)
    return await pages.page(
        request,
        f"rules/{topic}.html",
        is_fixed=True,
        topic=topic,
        presets=forms.preset_cards(words),
        options=[options[spec.name] for spec in CATALOGUE if spec.name in options],
    )


@router.get("/tutorial")
async def tutorial(request: Request, pages: Pages) -> Response:
    t = pages.catalogue_for(request).t
    words = [{"name": each.name, "task": t(each.task), "praise": t(each.praise)} for each in LESSONS]
    return await pages.page(request, "tutorial.html", lessons=LESSONS, lesson_words=words)


@router.get("/offline")
async def offline(request: Request, pages: Pages) -> Response:
    """What the service worker shows when the network is away."""
    return pages.plain_page(request, "offline.html")


# -- people ----------------------------------------------------------------------------------------


@router.get("/players/{player}")
async def profile(request: Request, pages: Pages, player: str) -> Response:
    site = site_of(request)
    found = await site.people.player(player, site.now()) if len(player) <= 32 else None
    return await pages.page(request, "profile.html", player=player, person=found.name if found else "")


@router.get("/resume")
async def resume_without_code(request: Request, pages: Pages) -> Response:
    return RedirectResponse("/account", status_code=303)


@router.get("/resume/{code}")
async def resume(request: Request, pages: Pages, code: str) -> Response:
    answer = await pages.page(request, "resume.html", code=code[:100])
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer
