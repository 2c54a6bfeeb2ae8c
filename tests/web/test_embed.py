"""Embedded tables: framing is allowed only under /embed/ and without sessions; and oEmbed."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator
from html import unescape
from urllib.parse import quote

import httpx
import pytest

from app.main import create_app
from app.settings import BadSettings, Settings, read_settings
from app.web.security.room_lookup import _MIN_FAILURE_SECONDS
from tests.attack.routes import routes
from tests.web.embedded_games import end_game, new_table, play, running_game
from tests.web.running_site import ORIGIN, TestSite, code_of, running

PUBLIC_URL = ORIGIN
ROOM = "abcdefghijklmnop"


@pytest.fixture
async def site(sqlite_url: str) -> AsyncIterator[TestSite]:
    async with running(sqlite_url) as test:
        yield test


def ancestors(answer: httpx.Response) -> str:
    found = re.search(r"frame-ancestors ([^;]+);", answer.headers["content-security-policy"])
    assert found is not None
    return found[1]


def addresses() -> list[str]:
    """Return every readable address, with values for its parameters."""
    found = [path for method, path in routes(create_app(Settings())) if method == "GET"]
    return [re.sub(r"\{[^}]*\}", ROOM, path) for path in found]


async def test_framing_is_allowed_only_under_embed(site: TestSite) -> None:
    browser = site.browser()
    seen = 0
    for path in [*addresses(), f"/g/{ROOM}?embed=1", "/embed", "/embedx/abc", "/nowhere", "//embed/abc"]:
        if path.endswith("/events"):
            continue  # a stream; it has the headers of every API response
        answer = await browser.get(path, headers={"accept": "text/html"})
        is_frame = path.startswith("/embed/")
        if path.startswith("/static/"):
            continue  # scripts and styles are not pages; an SVG has the usual policy
        seen += 1
        assert ancestors(answer) == ("*" if is_frame else "'none'"), path
        assert ("x-frame-options" not in answer.headers) is is_frame, path
    assert seen > 50
    for path in ("/embed/short", f"/embed/{ROOM}/more", f"/embed/{ROOM}?theme=blue"):
        assert ancestors(await browser.get(path)) == "*"  # its errors must be visible in the frame too


@pytest.mark.parametrize(
    ("setting", "policy"),
    [
        ("https://club.example", "https://club.example"),
        (
            "https://club.example/, https://*.example.org:8443",
            "https://club.example https://*.example.org:8443",
        ),
        ("none", "'none'"),
    ],
)
async def test_a_setting_lists_the_sites_that_may_frame(sqlite_url: str, setting: str, policy: str) -> None:
    async with running(sqlite_url, embed_sites=setting) as site:
        answer = await site.browser().get(f"/embed/{ROOM}")
        assert ancestors(answer) == policy
        assert ("x-frame-options" in answer.headers) is (setting == "none")
        assert ancestors(await site.browser().get("/")) == "'none'"


@pytest.mark.parametrize(
    "wrong", ["", "club.example", "https://", "https://a.b; script-src *", "* none", "ftp://a.b"]
)
def test_an_invalid_list_of_sites_is_refused(wrong: str) -> None:
    with pytest.raises(BadSettings, match=r"CARTAGENA_EMBED_SITES must be \*, none, or addresses"):
        read_settings({"CARTAGENA_EMBED_SITES": wrong})


async def test_an_embedded_page_uses_no_session_and_stores_no_language(site: TestSite) -> None:
    browser, _ = await site.guest("Ann")
    browser.cookies.set("theme", "dark")
    browser.cookies.set("lang", "fr")
    mine = await browser.get(f"/embed/{ROOM}", headers={"accept-language": "en"})
    strangers = await site.program().get(f"/embed/{ROOM}", headers={"accept-language": "en"})
    assert mine.text == strangers.text
    assert 'name="csrf"' not in mine.text
    german = await browser.get(f"/embed/{ROOM}?lang=de")
    assert 'lang="de"' in german.text
    assert "set-cookie" not in mine.headers
    assert "set-cookie" not in german.headers
    assert "noindex" in mine.text


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("theme=dark", 'data-theme="dark"'),
        ("theme=auto", 'data-theme="system"'),
        ("size=large", "size-large"),
        ("controls=0", 'data-controls="0"'),
        ("overlay=1", 'data-overlay="1"'),
        ("overlay=1&delay=600", 'data-delay="600"'),
        ("replay=1", 'data-replay="1"'),
        ("unknown=1", 'data-replay="0"'),
    ],
)
async def test_the_query_determines_the_look(site: TestSite, query: str, shown: str) -> None:
    answer = await site.program().get(f"/embed/{ROOM}?{query}")
    assert answer.status_code == 200
    assert shown in answer.text


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("theme=blue", "theme"),
        ("size=9", "size"),
        ("lang=xx", "lang"),
        ("controls=maybe", "controls"),
        ("delay=601", "delay"),
        ("delay=-1", "delay"),
        ("delay=1.5", "delay"),
        ("delay=%D9%A3", "delay"),
        ("overlay=yes", "overlay"),
    ],
)
async def test_an_invalid_option_is_explained(site: TestSite, query: str, name: str) -> None:
    answer = await site.program(**{"accept-language": "en"}).get(f"/embed/{ROOM}?{query}")
    assert answer.status_code == 422
    assert f"“{name}” in its address must be one of" in unescape(answer.text)
    assert "<script" not in answer.text


# -- oEmbed ----------------------------------------------------------------------------------------


def oembed(path: str, **more: object) -> str:
    return f"/oembed?url={quote(PUBLIC_URL + path)}" + "".join(
        f"&{name}={value}" for name, value in more.items()
    )


async def test_oembed_of_a_running_game_is_a_frame_in_the_links_language(site: TestSite) -> None:
    game, people = await running_game(site)
    await play(people, game, 2)
    answer = await site.program().get(oembed(f"/g/{game}?lang=de&edition=jamaica"))
    assert answer.headers["content-type"] == "application/json"
    told = answer.json()
    assert (told["version"], told["type"], told["width"], told["height"]) == ("1.0", "rich", 640, 480)
    assert told["provider_url"] == f"{PUBLIC_URL}/"
    assert told["html"].startswith(f'<iframe src="{PUBLIC_URL}/embed/{game}?lang=de" ')
    assert told["thumbnail_url"] == f"{PUBLIC_URL}/share/g/{game}.png?lang=de"
    english = (await site.program().get(oembed(f"/g/{game}"))).json()
    assert english["title"] == "Jamaica: a game to watch"
    assert told["title"] != english["title"]
    await end_game(people, game)
    for path in (f"/g/{game}/replay", f"/g/{game}", f"/embed/{game}"):
        over = (await site.program().get(oembed(path))).json()
        assert over["title"] == "Jamaica: a game to replay"
        assert "replay=1" in over["html"]


async def test_oembed_respects_the_maximum_size(site: TestSite) -> None:
    game, _ = await running_game(site)
    told = (await site.program().get(oembed(f"/g/{game}", maxwidth=400, maxheight=300))).json()
    assert (told["width"], told["height"]) == (400, 300)
    assert 'width="400" height="300"' in told["html"]
    assert "thumbnail_url" not in told
    for wrong in ("0", "-1", "x", "99999999"):
        assert (await site.program().get(oembed(f"/g/{game}", maxwidth=wrong))).status_code == 422


async def test_oembed_supports_only_json(site: TestSite) -> None:
    answer = await site.program().get(oembed(f"/g/{ROOM}", format="xml"))
    assert (answer.status_code, code_of(answer)) == (501, "no_such_format")
    assert (await site.program().get(oembed(f"/g/{ROOM}", format="json"))).status_code == 404


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/g/{game}",
        "http://testserver.evil.example/g/{game}",
        "http://testserver:81/g/{game}",
        "http://testserver@evil.example/g/{game}",
        "ftp://testserver/g/{game}",
        "javascript:alert(1)",
        "//testserver/g/{game}",
        "https://[/g/{game}",
        "http://testserver/g/{game}/fairness",
        "http://testserver/account",
        "http://testserver/players/nobody",
    ],
)
async def test_oembed_refuses_other_addresses(site: TestSite, url: str) -> None:
    game, _ = await running_game(site)
    answer = await site.program().get(f"/oembed?url={quote(url.format(game=game))}")
    assert (answer.status_code, code_of(answer)) == (404, "not_found")


async def test_oembed_accepts_only_the_public_address(sqlite_url: str) -> None:
    async with running(sqlite_url, public_url="https://play.example.org", secret="s" * 40) as site:
        browser = site.browser(origin="https://play.example.org", host="play.example.org")
        game = await new_table(browser, {"preset": "jamaica", "players": 2})
        right = await browser.get(
            f"/oembed?url=https://play.example.org/g/{game}", headers={"host": "evil.example"}
        )
        assert 'src="https://play.example.org/embed/' in right.json()["html"]
        wrong = await browser.get(
            f"/oembed?url=https://evil.example/g/{game}", headers={"host": "evil.example"}
        )
        assert wrong.status_code == 404


async def test_oembed_answers_alike_for_locked_and_unknown_tables(site: TestSite) -> None:
    locked, people = await running_game(site, password="rum and salt")
    unwatched, others = await running_game(site, ("Cy", "Di"), spectators=False)
    not_begun = await new_table(others[0], {"preset": "jamaica", "players": 2}, spectators=False)
    hidden = (locked, unwatched, not_begun, "NoSuchTableAnywhere1")
    answers = [
        await caller.get(oembed(f"/g/{room}")) for room in hidden for caller in (site.program(), people[0])
    ]
    assert {(answer.status_code, answer.text) for answer in answers} == {(404, answers[0].text)}
    pictures = []
    for room in hidden:
        for path in (f"/share/g/{room}.png", oembed(f"/g/{room}")):
            began = time.monotonic()
            pictures.append(await site.program().get(path))
            assert time.monotonic() - began >= _MIN_FAILURE_SECONDS * 0.9, (
                "not faster than other failed look-ups"
            )
    assert len({(answer.status_code, answer.content) for answer in pictures}) == 2


async def test_oembed_of_a_player_is_a_card(site: TestSite) -> None:
    _, me = await site.guest("Ann O'Hara")
    player = me["person"]["id"]
    told = (await site.program().get(oembed(f"/players/{player}"))).json()
    assert (told["type"], told["title"]) == ("link", "Ann O'Hara: games and results")
    assert told["thumbnail_url"] == f"{PUBLIC_URL}/share/players/{player}.png?lang=en"


async def test_table_and_replay_pages_link_to_oembed(site: TestSite) -> None:
    game = await new_table((await site.guest("Ann"))[0], {"preset": "jamaica", "players": 2})
    for path in (f"/g/{game}", f"/g/{game}/replay"):
        page = (await site.browser(**{"accept-language": "sv"}).get(path)).text
        found = re.search(r'<link rel="alternate" type="application/json\+oembed" href="([^"]+)">', page)
        assert found is not None
        address = unescape(found[1])
        assert address.startswith(f"{PUBLIC_URL}/oembed?url=")
        told = await site.program().get(address.removeprefix(PUBLIC_URL))
        assert told.json()["html"].startswith("<iframe")
        assert "lang=sv" in told.json()["html"]
    for path in ("/", "/about", f"/g/{game}/fairness"):
        assert "oembed" not in (await site.browser().get(path)).text
