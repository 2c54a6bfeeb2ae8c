"""Preview pictures: the board as any stranger may watch it, drawn once, cached within bounds."""

from __future__ import annotations

import asyncio
import random
import struct
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator
from typing import Any

import pytest

from app import rules
from app.paths import LOCALES, STATIC
from app.rules.catalogue import PRESETS
from app.web.errors import TooMany
from app.web.i18n import LANGUAGES, Languages
from app.web.offload import Offload
from app.web.pictures import cache, raster
from app.web.pictures.board import COLOURS
from app.web.pictures.cache import PictureCache
from app.web.pictures.card import Profile, TablePicture, profile_svg, table_svg
from app.web.pictures.raster import NoPicture, Rasteriser
from app.web.pictures.typeface import DISPLAY_FONT, TEXT_FONT, load_typeface
from tests.attack.slots import some_moves, twin
from tests.web.embedded_games import end_game, play, running_game
from tests.web.running_site import TestSite, running

WORDS = Languages(LOCALES)
ENGLISH = WORDS.catalogue("en")


@pytest.fixture
async def site(sqlite_url: str) -> AsyncIterator[TestSite]:
    async with running(sqlite_url) as test:
        yield test


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def fixed_picture(name: str) -> bytes:
    return (STATIC / "share" / f"{name}.png").read_bytes()


def picture(position: rules.Position, names: tuple[str | None, ...] = ()) -> TablePicture:
    count = len(position.pirates)
    given = (*names, *(f"Sailor {n}" for n in range(len(names), count)))
    status = "running" if position.winner is None else "finished"
    return TablePicture(rules.view(position, None), status, tuple(zip(given, COLOURS, strict=False)))


def opening(**options: Any) -> rules.Position:
    return rules.new_game(rules.parse_options({"preset": "jamaica", "players": 2, **options}), "5e" * 32)


async def test_the_picture_shows_the_current_board(site: TestSite) -> None:
    game, people = await running_game(site)
    crawler = site.program("203.0.113.9")
    path = f"/share/g/{game}.png"
    first = await crawler.get(path)
    assert first.headers["content-type"] == "image/png"
    assert size_of(first.content) == (1200, 630)
    assert first.content not in {fixed_picture(name) for name in (*PRESETS, "cartagena")}
    assert first.headers["cache-control"] == "public, max-age=30"
    assert first.headers["cross-origin-resource-policy"] == "cross-origin"
    again = await crawler.get(path, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    await play(people, game, 1)
    moved = await crawler.get(path)
    assert moved.content != first.content
    assert moved.headers["etag"] != first.headers["etag"]
    assert (await people[0].get(path)).content == moved.content  # for every client, even seated players
    german = await crawler.get(f"{path}?lang=de")
    assert german.content != moved.content
    assert (await crawler.get(f"{path}?lang=klingon")).content == moved.content
    await end_game(people, game)
    over = await crawler.get(path)
    assert over.content != moved.content
    assert over.headers["cache-control"] == "public, max-age=3600"


async def test_locked_tables_and_tables_without_spectators_reveal_nothing(site: TestSite) -> None:
    locked, people = await running_game(site, password="rum and salt")
    unwatched, _ = await running_game(site, ("Cy", "Di"), spectators=False)
    for room in (locked, unwatched, "NoSuchTableAnywhere1"):
        for caller in (site.program("203.0.113.9"), people[0]):
            answer = await caller.get(f"/share/g/{room}.png")
            assert answer.content == fixed_picture("cartagena")
            assert "etag" not in answer.headers
    assert (await people[0].get("/share/g/short.png")).status_code == 404


async def test_an_erased_name_disappears_from_the_picture(site: TestSite) -> None:
    game, people = await running_game(site)
    path = f"/share/g/{game}.png"
    drawn: list[str] = []
    pictures: PictureCache = site.app.state.pictures

    async def rasterise(svg: str) -> bytes:
        drawn.append(svg)
        return svg.encode()

    pictures.rasteriser.rasterise = rasterise  # type: ignore[method-assign]
    me = (await people[0].get("/api/v1/me")).json()["person"]["id"]
    card = f"/share/players/{me}.png"
    before = [(await site.program().get(each)).content for each in (path, card)]
    assert all(b">Ann" in each for each in before)
    renamed = await people[0].post("/api/v1/me", json={"name": "Zoe"})
    assert renamed.status_code == 200
    assert b">Zoe" in (await site.program().get(path)).content
    gone = await people[0].post("/api/v1/me/delete", json={})
    assert gone.status_code == 200, gone.text
    assert (await site.program().get(card)).content == fixed_picture("cartagena")
    after = (await site.program().get(path)).content
    assert b"Ann" not in after
    assert b"Zoe" not in after


async def test_without_resvg_a_link_shows_its_edition(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "can_rasterise", lambda: False)
    async with running(sqlite_url) as site:
        game, people = await running_game(site, preset="tortuga")
        assert (await site.program().get(f"/share/g/{game}.png")).content == fixed_picture("tortuga")
        me = (await people[0].get("/api/v1/me")).json()["person"]["id"]
        assert (await site.program().get(f"/share/players/{me}.png")).content == fixed_picture("cartagena")


async def test_beyond_the_limit_a_link_shows_its_edition(sqlite_url: str) -> None:
    async with running(sqlite_url, requests_per_second=0.01, requests_burst=60) as site:
        # a burst of 60 requests allows 300 ms of work: one picture
        game, people = await running_game(site, preset="tortuga")
        crawler = site.program("203.0.113.9")
        drawn = await crawler.get(f"/share/g/{game}.png")
        assert drawn.content != fixed_picture("tortuga")
        assert (await crawler.get(f"/share/g/{game}.png")).content == drawn.content  # cached: costs nothing
        refused = await crawler.get(f"/share/g/{game}.png?lang=de")
        assert refused.content == fixed_picture("tortuga")
        assert refused.headers["cache-control"] == "no-store"
        assert (
            await site.program("203.0.113.10").get(f"/share/g/{game}.png?lang=de")
        ).content != fixed_picture("tortuga")
        assert people


async def test_concurrent_requests_share_one_drawing_and_old_ones_are_evicted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cache, "MAX_CACHE_BYTES", 1500)
    offload = Offload()
    pictures = PictureCache(offload)
    made: list[str] = []

    async def rasterise(svg: str) -> bytes:
        made.append(svg)
        await asyncio.sleep(0.02)
        return svg.encode() * 100

    pictures.rasteriser.rasterise = rasterise  # type: ignore[method-assign]
    paid: list[int] = []
    got = await asyncio.gather(
        *(pictures.get("one", lambda: "<svg/>", lambda: paid.append(1)) for _ in range(20))
    )
    assert (len(made), len(paid), len(set(got))) == (1, 1, 1)
    for key in "abc":
        await pictures.get(key, lambda: "<svg/>", lambda: None)
    assert list(pictures._cache) == ["b", "c"]
    assert pictures._cache.currsize == 1200
    large = await pictures.get("large", lambda: "<svg/>" * 3, lambda: None)
    assert (len(large), list(pictures._cache)) == (1800, ["b", "c"]), (
        "a picture beyond the bound is not cached"
    )
    await pictures.close()
    await offload.close()


async def test_the_queue_is_bounded_and_a_hanging_process_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rasteriser = Rasteriser()
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="2"/>'
    assert size_of(await rasteriser.rasterise(svg)) == (4, 2)
    with pytest.raises(NoPicture):
        await rasteriser.rasterise("no drawing at all")
    monkeypatch.setattr(raster, "TIMEOUT_SECONDS", 0.0)
    with pytest.raises(NoPicture):
        await rasteriser.rasterise(svg)
    monkeypatch.setattr(raster, "TIMEOUT_SECONDS", 20.0)
    monkeypatch.setattr(raster, "MAX_WAITING", 2)
    got = await asyncio.gather(*(rasteriser.rasterise(svg) for _ in range(5)), return_exceptions=True)
    assert sum(isinstance(each, bytes) for each in got) == 2
    assert sum(isinstance(each, TooMany) for each in got) == 3
    assert size_of(await rasteriser.rasterise(svg)) == (4, 2)


# -- the drawing -----------------------------------------------------------------------------------

TABLES: list[dict[str, Any]] = [
    {"preset": "jamaica", "players": 2},
    {"preset": "complete", "players": 5, "black_magic": True},
    {"preset": "jungle", "players": 3, "jungle_boards": 8},
    {"preset": "dungeon", "players": 4, "black_magic": True, "scoundrels": True},
]


@pytest.mark.parametrize("options", TABLES, ids=[table["preset"] for table in TABLES])
async def test_hidden_cards_do_not_affect_the_picture(options: dict[str, Any]) -> None:
    position = opening(**options)
    chance = random.Random(str(options))
    moves = some_moves(position, 12, chance)
    other = twin(position, moves, None, chance)
    assert rules.position_to_json(other) != rules.position_to_json(position)
    shown = []
    for world in (position, other):
        for seat, action in moves:
            world, _ = rules.apply(world, seat, rules.action_from_json(action))
        shown.append(table_svg(picture(world), ENGLISH))
    assert shown[0] == shown[1]
    assert shown[0] != table_svg(picture(position), ENGLISH)
    rasteriser = Rasteriser()
    pngs = [await rasteriser.rasterise(svg) for svg in shown]
    assert pngs[0] == pngs[1]
    assert size_of(pngs[0]) == (1200, 630)


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_names_are_escaped() -> None:
    nasty = "<script>\"&'</script>"
    svg = table_svg(picture(opening(), (nasty, None)), ENGLISH)
    assert "<script" not in svg
    shown = texts(svg)
    assert any(text.startswith("<script>") for text in shown)
    assert "blue" in shown  # no name: the colour instead
    profile = Profile(nasty, 1, 0, None, (("jamaica", 1, 0),))
    assert "<script" not in profile_svg(profile, ENGLISH)
    assert nasty in texts(profile_svg(profile, ENGLISH))


def test_names_outside_our_fonts_are_replaced_and_long_ones_truncated() -> None:
    shown = texts(table_svg(picture(opening(), ("Анна", "W" * 24)), ENGLISH))
    assert "red" in shown
    assert not any("Анна" in text for text in shown)
    assert any(text.startswith("WWW") and text.endswith("…") for text in shown)
    assert "A player" in texts(profile_svg(Profile("Анна", 0, 0, None, ()), ENGLISH))


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_can_be_drawn(code: str) -> None:
    words = WORDS.catalogue(code)
    shown = "".join(texts(table_svg(picture(opening()), words)))
    assert load_typeface(TEXT_FONT).can_draw(shown)
    assert load_typeface(DISPLAY_FONT).can_draw(words.t("A player"))
    for name in PRESETS.values():
        assert load_typeface(TEXT_FONT).can_draw(words.t(name.title))


def test_every_seat_and_every_pirate_is_drawn() -> None:
    position = opening(preset="complete", players=5)
    svg = table_svg(picture(position), ENGLISH)
    drawn = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}use")
    figures = [href for each in drawn if (href := each.get("href", "")).startswith("#pirate-")]
    assert sorted(figures) == sorted(
        f"#pirate-{look}" for look in range(5) for _ in range(2)
    )  # board and column
    known = {each.get("id") for each in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}symbol")}
    used = {each.get("href", "#")[1:] for each in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}use")}
    assert used <= known
    assert "var(" not in svg
