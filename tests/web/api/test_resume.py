"""Resume codes: one use, a short life, two devices at once; and QR codes of our own."""

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


async def test_a_code_makes_another_device_the_same_person_and_both_stay(database_url: str) -> None:
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


async def test_a_code_is_good_once_even_when_two_come_at_the_same_time(database_url: str) -> None:
    async with running(database_url) as site:
        _, made = await _code(site)
        devices = [site.browser(f"203.0.113.{n}") for n in range(5)]
        answers = await asyncio.gather(
            *(device.post("/api/v1/resume", json={"code": made["code"]}) for device in devices)
        )
        assert sorted(answer.status_code for answer in answers) == [200, 404, 404, 404, 404]


async def test_a_code_lapses_and_a_new_one_voids_it(database_url: str) -> None:
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


async def test_the_plain_form_leads_to_the_table(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        _, made = await _code(site)
        phone = site.browser("203.0.113.9")
        answer = await phone.post("/resume", data={"code": made["code"]})
        assert answer.status_code == 303
        assert answer.headers["location"] == f"/g/{ROOM}"
        assert made["code"] not in answer.headers["location"]
        assert (await phone.get("/api/v1/me")).json()["person"]["name"] == "Anne Bonfire"


async def test_a_foreign_page_cannot_make_a_browser_take_its_code(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        _, made = await _code(site)
        victim = site.browser(
            "203.0.113.9", origin="https://evil.example", **{"sec-fetch-site": "cross-site"}
        )
        assert code_of(await victim.post("/resume", data={"code": made["code"]})) == "forged"


async def test_a_room_that_is_no_room_cannot_be_smuggled_into_the_link(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        browser, _ = await site.guest()
        for room in ("//evil.example", "../x", "a b", "x" * 65):
            assert (await browser.post("/api/v1/resume-codes", json={"room": room})).status_code == 422


async def test_the_qr_code_holds_the_link_and_nothing_that_runs(sqlite_url: str) -> None:
    async with running(sqlite_url, public_url="https://play.example.org", secret="k" * 40) as site:
        answer = await site.browser().get(f"/qr/g/{ROOM}.svg")
        assert answer.headers["content-type"] == "image/svg+xml"
        tags = {element.tag.rsplit("}", 1)[-1] for element in ElementTree.fromstring(answer.text).iter()}
        assert tags <= {"svg", "path", "g"}
        assert code_of(await site.browser().get("/qr/g/short.svg")) == "not_found"
