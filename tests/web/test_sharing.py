"""Link previews: title, sentence and picture, without revealing anything about a table."""

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
from app.web.pages.link_preview import INDEXED_PATHS
from app.web.pages.render import PAPER_COLOURS
from tests.web.running_site import ORIGIN, TestSite, running

PUBLIC_URL = "https://play.example.org"


@pytest.fixture
async def site(sqlite_url: str) -> AsyncIterator[TestSite]:
    async with running(sqlite_url, public_url=PUBLIC_URL, secret="s" * 40) as test:
        yield test


def metas(page: httpx.Response) -> dict[str, str]:
    found = re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)"', page.text)
    return {name: unescape(value) for name, value in found}


async def picture_of(browser: httpx.AsyncClient, address: str) -> bytes:
    assert address.startswith(f"{PUBLIC_URL}/static/")
    answer = await browser.get(address.removeprefix(PUBLIC_URL))
    assert answer.headers["content-type"] == "image/png"
    return answer.content


def size_of(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height


@pytest.mark.parametrize("path", INDEXED_PATHS)
async def test_a_page_has_a_preview_a_canonical_address_and_its_languages(site: TestSite, path: str) -> None:
    browser = site.browser(**{"accept-language": "en"})
    page = await browser.get(path)
    card = metas(page)
    assert card["og:title"] == unescape(re.findall("<title>(.*)</title>", page.text)[0])
    assert card["og:description"] == card["description"]
    assert card["og:url"] == PUBLIC_URL + path
    assert card["twitter:card"] == "summary_large_image"
    assert "robots" not in card
    assert size_of(await picture_of(browser, card["og:image"])) == (1200, 630)
    others = dict(re.findall(r'rel="alternate" hreflang="([^"]+)" href="([^"]+)"', page.text))
    assert others == {
        **{code: f"{PUBLIC_URL}{path}?lang={code}" for code in LANGUAGES},
        "x-default": PUBLIC_URL + path,
    }
    german = metas(await browser.get(f"{path}?lang=de"))
    assert (german["og:locale"], german["og:url"]) == ("de_DE", f"{PUBLIC_URL}{path}?lang=de")
    assert german["og:description"] != card["og:description"]


@pytest.mark.parametrize(("day", "preset"), [("2026-11-16", "jamaica"), ("2026-11-22", "complete")])
async def test_a_deal_of_the_day_shows_the_edition_of_its_weekday(
    site: TestSite, day: str, preset: str
) -> None:
    browser = site.browser(**{"accept-language": "en"})
    card = metas(await browser.get(f"/deal/{day}"))
    assert card["og:url"] == f"{PUBLIC_URL}/deal/{day}"
    assert card["og:image"].endswith(f"/share/{preset}.png")
    assert size_of(await picture_of(browser, card["og:image"])) == (1200, 630)
    assert "the same deck" in card["og:description"]
    assert "og:image" not in metas(await browser.get("/deal/2026-13-01"))


@pytest.mark.parametrize("preset", PRESETS)
async def test_every_edition_has_a_small_picture(site: TestSite, preset: str) -> None:
    browser = site.browser()
    card = metas(await browser.get(f"/new?preset={preset}"))
    picture = await picture_of(browser, card["og:image"])
    assert size_of(picture) == (1200, 630)
    assert len(picture) < 60_000
    assert picture == (STATIC / "share" / f"{preset}.png").read_bytes()
    assert card["og:title"] == PRESETS[preset].title
    pictures = {(STATIC / "share" / f"{name}.png").read_bytes() for name in (*PRESETS, "cartagena")}
    assert len(pictures) == len(PRESETS) + 1


async def test_the_preview_of_a_table_reveals_nothing_about_it(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        await fetched_by_a_stranger(site)


async def fetched_by_a_stranger(site: TestSite) -> None:
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
    # the picture: for an open table its edition's; for a locked or unknown one the site's, or the edition in the link
    asked = [f"/share/g/{rooms[0]}.png", f"/share/g/{rooms[1]}.png", f"/share/g/{nowhere}.png"]
    pictures = [(await stranger.get(path)).content for path in asked]
    still = {name: (STATIC / "share" / f"{name}.png").read_bytes() for name in ("tortuga", "cartagena")}
    assert pictures == [still["tortuga"], still["cartagena"], still["cartagena"]]
    by_link = [(await stranger.get(f"{path}?edition=tortuga")).content for path in asked]
    assert by_link == [still["tortuga"]] * 3


@pytest.mark.parametrize(
    "path", ["/resume/ABCD-EFGH-JKLM", "/stop/some-token", "/me", "/account", "/players/p1"]
)
async def test_private_pages_have_no_preview(site: TestSite, path: str) -> None:
    page = await site.browser().get(path)
    assert metas(page)["robots"] == "noindex"
    assert "og:" not in page.text
    assert "canonical" not in page.text


async def test_robots_and_sitemap_match_the_pages(site: TestSite) -> None:
    crawler = site.program()
    robots = (await crawler.get("/robots.txt")).text
    assert f"Sitemap: {PUBLIC_URL}/sitemap.xml" in robots
    closed = re.findall(r"Disallow: (.*)", robots)
    tree = ET.fromstring((await crawler.get("/sitemap.xml")).text)
    listed = [each.text or "" for each in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert len(listed) == len(set(listed)) == len(INDEXED_PATHS) * (len(LANGUAGES) + 1)
    for address in listed[:: len(LANGUAGES) + 1]:
        path = address.removeprefix(PUBLIC_URL)
        assert not path.startswith(tuple(closed))
        page = await crawler.get(path)
        assert page.status_code == 200
        assert "noindex" not in page.text
    # previews must be able to fetch table pages
    assert not any("/g/abcdefgh".startswith(path) for path in closed)


async def test_the_theme_colour_matches_the_page(site: TestSite) -> None:
    tokens = (STATIC / "css" / "tokens.css").read_text()
    assert re.findall(r"--paper: (#\w+);", tokens) == [
        PAPER_COLOURS["light"],
        PAPER_COLOURS["dark"],
        PAPER_COLOURS["dark"],
    ]
    browser = site.browser()
    page = (await browser.get("/")).text
    for scheme, paper in PAPER_COLOURS.items():
        assert f'<meta name="theme-color" content="{paper}" media="(prefers-color-scheme: {scheme})">' in page
    for theme in ("light", "dark"):
        browser.cookies.set("theme", theme)
        assert f'<meta name="theme-color" content="{PAPER_COLOURS[theme]}">' in (await browser.get("/")).text
        assert (await browser.get("/manifest.webmanifest")).json()["theme_color"] == PAPER_COLOURS[theme]


async def test_the_favicon_is_available_as_png(site: TestSite) -> None:
    browser = site.browser()
    found = re.search(r'rel="alternate icon" href="([^"]+)" type="image/png"', (await browser.get("/")).text)
    assert found is not None
    for address in (found[1], "/favicon.ico"):
        answer = await browser.get(address)
        assert answer.headers["content-type"] == "image/png"
        assert size_of(answer.content) == (48, 48)
