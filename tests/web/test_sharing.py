"""A shared link shows a title, a sentence and a picture, and tells nothing that its reader may not know."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator
from html import unescape
from typing import Any

import httpx
import pytest

from app.paths import STATIC
from app.rules.catalogue import PRESETS
from app.web.i18n import LANGUAGES
from app.web.pages.render import PAPERS
from app.web.pages.share import INDEXED
from tests.web.running_site import ORIGIN, TestSite, running

HERE = "https://play.example.org"


@pytest.fixture
async def site(sqlite_url: str) -> AsyncIterator[TestSite]:
    async with running(sqlite_url, public_url=HERE, secret="s" * 40) as test:
        yield test


def metas(page: httpx.Response) -> dict[str, str]:
    found = re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)"', page.text)
    return {name: unescape(value) for name, value in found}


async def picture_of(browser: httpx.AsyncClient, address: str) -> bytes:
    assert address.startswith(f"{HERE}/static/")
    answer = await browser.get(address.removeprefix(HERE))
    assert answer.headers["content-type"] == "image/png"
    return answer.content


def size_of(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height


@pytest.mark.parametrize("path", INDEXED)
async def test_a_page_has_a_card_an_address_and_its_other_languages(site: TestSite, path: str) -> None:
    browser = site.browser(**{"accept-language": "en"})
    page = await browser.get(path)
    card = metas(page)
    assert card["og:title"] == unescape(re.findall("<title>(.*)</title>", page.text)[0])
    assert card["og:description"] == card["description"]
    assert card["og:url"] == HERE + path
    assert card["twitter:card"] == "summary_large_image"
    assert "robots" not in card
    assert size_of(await picture_of(browser, card["og:image"])) == (1200, 630)
    others = dict(re.findall(r'rel="alternate" hreflang="([^"]+)" href="([^"]+)"', page.text))
    assert others == {**{code: f"{HERE}{path}?lang={code}" for code in LANGUAGES}, "x-default": HERE + path}
    german = metas(await browser.get(f"{path}?lang=de"))
    assert (german["og:locale"], german["og:url"]) == ("de_DE", f"{HERE}{path}?lang=de")
    assert german["og:description"] != card["og:description"]


@pytest.mark.parametrize(("day", "preset"), [("2026-11-16", "jamaica"), ("2026-11-22", "complete")])
async def test_a_deal_of_the_day_shows_the_edition_of_its_weekday(
    site: TestSite, day: str, preset: str
) -> None:
    browser = site.browser(**{"accept-language": "en"})
    card = metas(await browser.get(f"/deal/{day}"))
    assert card["og:url"] == f"{HERE}/deal/{day}"
    assert card["og:image"].endswith(f"/share/{preset}.png")
    assert size_of(await picture_of(browser, card["og:image"])) == (1200, 630)
    assert "the same deck" in card["og:description"]
    assert "og:image" not in metas(await browser.get("/deal/2026-13-01"))


@pytest.mark.parametrize("preset", PRESETS)
async def test_every_edition_has_a_small_picture_of_its_own(site: TestSite, preset: str) -> None:
    browser = site.browser()
    card = metas(await browser.get(f"/new?preset={preset}"))
    picture = await picture_of(browser, card["og:image"])
    assert size_of(picture) == (1200, 630)
    assert len(picture) < 60_000
    assert picture == (STATIC / "share" / f"{preset}.png").read_bytes()
    assert card["og:title"] == PRESETS[preset].title
    pictures = {(STATIC / "share" / f"{name}.png").read_bytes() for name in (*PRESETS, "cartagena")}
    assert len(pictures) == len(PRESETS) + 1


async def test_a_link_of_a_table_tells_nothing_of_the_table(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        await looked_at_by_a_stranger(site)


async def looked_at_by_a_stranger(site: TestSite) -> None:
    host, _ = await site.guest("Ann")
    bodies: list[dict[str, Any]] = [
        {"options": {"preset": "tortuga", "players": 2}, "title": "Secret crew"},
        {
            "options": {"preset": "jungle", "players": 3},
            "title": "Hush",
            "password": "rumrum",
        },
    ]
    rooms = [(await host.post("/api/v1/games", json=body)).json()["id"] for body in bodies]
    nowhere = "x" * len(rooms[0])
    stranger = site.browser("203.0.113.9", **{"accept-language": "en"})
    shown = [(await stranger.get(f"/g/{room}")).text.replace(room, "ROOM") for room in (*rooms, nowhere)]
    assert shown[0] == shown[1] == shown[2]
    card = metas(await stranger.get(f"/g/{rooms[0]}"))
    assert card["robots"] == "noindex"
    assert card["og:url"] == f"{ORIGIN}/g/{rooms[0]}"
    assert card["og:image"] == f"{ORIGIN}/share/g/{rooms[0]}.png?lang=en"
    named = metas(await stranger.get(f"/g/{rooms[0]}?edition=tortuga"))
    assert named["og:title"] == "Tortuga: come and play"
    assert named["og:image"] == f"{ORIGIN}/share/g/{rooms[0]}.png?lang=en&edition=tortuga"
    assert metas(await stranger.get(f"/g/{rooms[0]}?edition=../x"))["og:image"] == card["og:image"]
    # the picture: of an open table its edition's, of a locked and of none the site's, or what the link itself says
    asked = [f"/share/g/{rooms[0]}.png", f"/share/g/{rooms[1]}.png", f"/share/g/{nowhere}.png"]
    pictures = [(await stranger.get(path)).content for path in asked]
    still = {name: (STATIC / "share" / f"{name}.png").read_bytes() for name in ("tortuga", "cartagena")}
    assert pictures == [still["tortuga"], still["cartagena"], still["cartagena"]]
    by_link = [(await stranger.get(f"{path}?edition=tortuga")).content for path in asked]
    assert by_link == [still["tortuga"]] * 3


@pytest.mark.parametrize(
    "path", ["/resume/ABCD-EFGH-JKLM", "/stop/some-token", "/me", "/account", "/players/p1"]
)
async def test_what_is_nobody_elses_business_has_no_card(site: TestSite, path: str) -> None:
    page = await site.browser().get(path)
    assert metas(page)["robots"] == "noindex"
    assert "og:" not in page.text
    assert "canonical" not in page.text


async def test_robots_and_sitemap_say_what_is_so(site: TestSite) -> None:
    crawler = site.program()
    robots = (await crawler.get("/robots.txt")).text
    assert f"Sitemap: {HERE}/sitemap.xml" in robots
    closed = re.findall(r"Disallow: (.*)", robots)
    tree = ET.fromstring((await crawler.get("/sitemap.xml")).text)
    listed = [each.text or "" for each in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert len(listed) == len(set(listed)) == len(INDEXED) * (len(LANGUAGES) + 1)
    for address in listed[:: len(LANGUAGES) + 1]:
        path = address.removeprefix(HERE)
        assert not path.startswith(tuple(closed))
        page = await crawler.get(path)
        assert page.status_code == 200
        assert "noindex" not in page.text
    # a table's link is shown with its picture only where it may be looked at
    assert not any("/g/abcdefgh".startswith(path) for path in closed)


async def test_the_browsers_frame_has_the_colour_of_the_page(site: TestSite) -> None:
    tokens = (STATIC / "css" / "tokens.css").read_text()
    assert re.findall(r"--paper: (#\w+);", tokens) == [PAPERS["light"], PAPERS["dark"], PAPERS["dark"]]
    browser = site.browser()
    page = (await browser.get("/")).text
    for scheme, paper in PAPERS.items():
        assert f'<meta name="theme-color" content="{paper}" media="(prefers-color-scheme: {scheme})">' in page
    for theme in ("light", "dark"):
        browser.cookies.set("theme", theme)
        assert f'<meta name="theme-color" content="{PAPERS[theme]}">' in (await browser.get("/")).text
        assert (await browser.get("/manifest.webmanifest")).json()["theme_color"] == PAPERS[theme]


async def test_the_favicon_is_there_as_a_png_too(site: TestSite) -> None:
    browser = site.browser()
    found = re.search(r'rel="alternate icon" href="([^"]+)" type="image/png"', (await browser.get("/")).text)
    assert found is not None
    for address in (found[1], "/favicon.ico"):
        answer = await browser.get(address)
        assert answer.headers["content-type"] == "image/png"
        assert size_of(answer.content) == (48, 48)
