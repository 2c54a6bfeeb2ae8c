"""Resume codes: single use, expiry, two devices; and QR codes."""

from __future__ import annotations

import asyncio
from xml.etree import ElementTree

from tests.web.running_site import TestSite, code_of, running

ROOM = "hWq7sdfkjh23kjh45kjh"


async def _code(site: TestSite) -> tuple[object, dict[str, str]]:
    browser, told = await site.guest("Anne Bonfire")
    answer = await browser.post("/api/v1/resume-codes", json={"room": ROOM})
    assert answer.status_code == 200, answer.text
    return told["person"], answer.json()


async def test_a_resume_code_logs_in_a_second_device(database_url: str) -> None:
    async with running(database_url) as site:
        first, told = await site.guest("Anne Bonfire")
        made = (await first.post("/api/v1/resume-codes", json={"room": ROOM})).json()
        phone = site.browser("203.0.113.9")
        answer = await phone.post("/api/v1/resume", json={"code": made["code"].lower().replace("-", " ")})
        assert answer.status_code == 200, answer.text
        assert answer.json()["room"] == ROOM
        assert answer.json()["person"] == told["person"]
        assert (await first.get("/api/v1/me")).json()["person"] == (await phone.get("/api/v1/me")).json()[
            "person"
        ]


async def test_a_resume_code_works_once_even_with_concurrent_requests(database_url: str) -> None:
    async with running(database_url) as site:
        _, made = await _code(site)
        devices = [site.browser(f"203.0.113.{n}") for n in range(5)]
        answers = await asyncio.gather(
            *(device.post("/api/v1/resume", json={"code": made["code"]}) for device in devices)
        )
        assert sorted(answer.status_code for answer in answers) == [200, 404, 404, 404, 404]


async def test_a_resume_code_expires_and_a_new_one_replaces_it(database_url: str) -> None:
    async with running(database_url) as site:
        browser, _ = await site.guest("Anne Bonfire")
        old = (await browser.post("/api/v1/resume-codes", json={})).json()["code"]
        new = (await browser.post("/api/v1/resume-codes", json={})).json()["code"]
        phone = site.browser("203.0.113.9")
        assert code_of(await phone.post("/api/v1/resume", json={"code": old})) == "wrong_code"
        site.pass_time(16 * 60)
        assert code_of(await phone.post("/api/v1/resume", json={"code": new})) == "wrong_code"


async def test_guessing_codes_is_limited(sqlite_url: str) -> None:
    async with running(sqlite_url, codes_per_hour=5) as site:
        _, made = await _code(site)
        guesser = site.browser("203.0.113.66")
        codes = [
            code_of(await guesser.post("/api/v1/resume", json={"code": f"AAAA-BBBB-CCC{n}"}))
            for n in range(6)
        ]
        assert codes == ["wrong_code"] * 5 + ["too_many"]
        assert code_of(await guesser.post("/api/v1/resume", json={"code": made["code"]})) == "too_many"
        assert (
            await site.browser("192.0.2.1").post("/api/v1/resume", json={"code": made["code"]})
        ).status_code == 200


async def test_the_html_form_redirects_to_the_table(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        _, made = await _code(site)
        phone = site.browser("203.0.113.9")
        answer = await phone.post("/resume", data={"code": made["code"]})
        assert answer.status_code == 303
        assert answer.headers["location"] == f"/g/{ROOM}"
        assert made["code"] not in answer.headers["location"]
        assert (await phone.get("/api/v1/me")).json()["person"]["name"] == "Anne Bonfire"


async def test_another_site_cannot_make_a_browser_use_a_code(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        _, made = await _code(site)
        victim = site.browser(
            "203.0.113.9", origin="https://evil.example", **{"sec-fetch-site": "cross-site"}
        )
        assert code_of(await victim.post("/resume", data={"code": made["code"]})) == "forged"


async def test_an_invalid_room_is_refused_in_a_resume_link(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        browser, _ = await site.guest()
        for room in ("//evil.example", "../x", "a b", "x" * 65):
            assert (await browser.post("/api/v1/resume-codes", json={"room": room})).status_code == 422


async def test_the_qr_code_contains_the_link_and_no_script(sqlite_url: str) -> None:
    async with running(sqlite_url, public_url="https://play.example.org", secret="k" * 40) as site:
        answer = await site.browser().get(f"/qr/g/{ROOM}.svg")
        assert answer.headers["content-type"] == "image/svg+xml"
        tags = {element.tag.rsplit("}", 1)[-1] for element in ElementTree.fromstring(answer.text).iter()}
        assert tags <= {"svg", "path", "g"}
        assert code_of(await site.browser().get("/qr/g/short.svg")) == "not_found"
