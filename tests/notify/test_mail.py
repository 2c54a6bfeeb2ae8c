"""E-mail with a real mail server: confirming an address, and one mail for all games."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from email import message_from_bytes, policy
from email.headerregistry import Address
from email.message import EmailMessage
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP

from app.notify.mail import BadAddress, validate_address
from app.notify.words import CODE_TEXT, SENTENCES, TEST_SUBJECT, TEST_TEXT
from app.web.i18n import LANGUAGES
from tests.notify.pushing import write_letters
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import command, done, open_seat, open_table, play_table, sit

DAYS = {"clock": {"kind": "days", "days": 3}}


class Mailbox:
    """Receives mail; rejects it on request."""

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.is_closed = False

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        if self.is_closed:
            return "451 not now"
        self.messages.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 taken"


def read_text(message: EmailMessage, kind: str = "plain") -> str:
    """Return the text or the HTML of a message."""
    part = message.get_body((kind,))
    assert part is not None
    return str(part.get_content())


@pytest.fixture
async def postbox() -> AsyncIterator[tuple[Mailbox, int]]:
    box = Mailbox()
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(box), "127.0.0.1", 0)
    async with server:
        yield box, server.sockets[0].getsockname()[1]


@pytest.fixture
async def site(database_url: str, postbox: tuple[Mailbox, int]) -> AsyncIterator[TestSite]:
    async with running(
        database_url,
        smtp_host="127.0.0.1",
        smtp_port=postbox[1],
        smtp_security="none",
        mail_from="Cartagena <post@cartagena.example>",
        public_url="http://testserver",
        secret="k" * 40,
        notify_seconds=9999.0,
    ) as test:
        # On a busy machine its first round could send in the middle of a test.
        await test.app.state.maintenance.stop()
        yield test


async def _confirmed(site: TestSite, postbox: Mailbox, browser: Any, email: str) -> None:
    answer = await browser.put("/api/v1/me/notices", json={"email": email})
    assert answer.status_code == 200, answer.text
    assert answer.json()["email_confirmed"] is False
    code = re.search(r"[A-Z2-9]{4}-[A-Z2-9]{4}", postbox.messages[-1]["Subject"])
    assert code is not None
    answer = await browser.post("/api/v1/me/notices/confirm", json={"code": code[0].lower()})
    assert answer.json()["email_confirmed"] is True, answer.text


async def test_address_is_used_only_after_its_code_was_entered(
    site: TestSite, postbox: tuple[Mailbox, int]
) -> None:
    box, _ = postbox
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    await ann.put("/api/v1/me/notices", json={"email": "ann@example.org"})
    await bo.put("/api/v1/me/notices", json={"email": "bo@example.org"})
    await play_table(ann, bo, **DAYS)
    assert await write_letters(site) == 0
    assert code_of(await ann.post("/api/v1/me/notices/confirm", json={"code": "AAAA-AAAA"})) == "wrong_code"
    assert len(box.messages) == 2, "the two codes and nothing else"
    assert "ann@example.org" in str(box.messages[0]["To"])


async def test_one_mail_covers_all_games_and_is_not_repeated_within_the_interval(
    site: TestSite, postbox: tuple[Mailbox, int]
) -> None:
    box, _ = postbox
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    await _confirmed(site, box, ann, "ann@example.org")
    await _confirmed(site, box, bo, "bo@example.org")
    rooms = [await play_table(ann, bo, title=f"Table {n}", **DAYS) for n in range(3)]
    await play_table(ann, bo, title="Not by post")
    box.messages.clear()
    waiting = {}
    for browser, email in ((ann, "ann@example.org"), (bo, "bo@example.org")):
        rows = (await browser.get("/api/v1/me/games")).json()["games"]
        waiting[email] = {row["id"] for row in rows if row["my_turn"] and row["id"] in rooms}
    assert await write_letters(site) == sum(bool(games) for games in waiting.values())
    for message in box.messages:
        games = waiting[str(message["To"])]
        text = read_text(message)
        assert {room for room in rooms if room in text} == games
        assert "Not by post" not in text
        assert f"http://testserver/g/{next(iter(games))}" in text
        assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert message["Auto-Submitted"] == "auto-generated"
        assert "UTC" in text
        html = read_text(message, "html")
        assert {room for room in rooms if f'href="http://testserver/g/{room}"' in html} == games
        opponent = "Bo Bellows" if str(message["To"]) == "ann@example.org" else "Anne Bonfire"
        for part in (text, html):
            assert part.count(f"Your turn against {opponent}") >= len(games)
            assert "Tortuga, until " in part
    assert len(box.messages) == sum(bool(games) for games in waiting.values())
    assert await write_letters(site) == 0, "sent already"
    site.pass_time(3600)
    assert await write_letters(site) == 0, "the same turns are not sent twice, however long ago"


async def test_starting_correspondence_table_mails_players_who_have_not_opened(
    site: TestSite, postbox: tuple[Mailbox, int]
) -> None:
    box, _ = postbox
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    for browser, email in ((ann, "ann@example.org"), (bo, "bo@example.org")):
        await _confirmed(site, box, browser, email)
    room = await open_table(ann, **DAYS)
    for browser in (ann, bo):
        await sit(browser, room)
    box.messages.clear()
    assert await write_letters(site) == 0, "no player is waited for yet"
    await done(ann, room, "start")
    await open_seat(ann, room)  # Anne's browser is there, Bo's is not
    games = (await bo.get("/api/v1/me/games")).json()["games"]
    assert [(row["id"], row["my_turn"]) for row in games] == [(room, True)]
    assert await write_letters(site) == 1
    (message,) = box.messages
    assert message["To"] == "bo@example.org"
    subject = str(message["Subject"])
    assert subject.startswith("Your table with Anne Bonfire is ready to start — Tortuga, until ")
    assert f"http://testserver/g/{room}" in read_text(message)
    await open_seat(bo, room)
    assert (await bo.get(f"/api/v1/games/{room}")).json()["table"]["status"] == "running"


async def test_new_turn_is_mailed_after_the_interval(site: TestSite, postbox: tuple[Mailbox, int]) -> None:
    box, _ = postbox
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    for browser, email in ((ann, "ann@example.org"), (bo, "bo@example.org")):
        await _confirmed(site, box, browser, email)
    room = await play_table(ann, bo, **DAYS)
    box.messages.clear()
    assert await write_letters(site) == 1
    first = str(box.messages[0]["To"])
    mover = ann if first == "ann@example.org" else bo
    for _ in range(3):
        state = (await mover.get(f"/api/v1/games/{room}")).json()
        if not state.get("choices"):
            break
        ending = [choice["action"] for choice in state["choices"] if choice["action"]["type"] == "end"]
        action = ending[0] if ending else state["choices"][0]["action"]
        answer = await command(mover, room, "act", version=state["seq"], action=action)
        assert answer.status_code == 200, answer.text
    assert await write_letters(site) == 1
    assert str(box.messages[1]["To"]) != first


async def test_mail_rejected_by_the_server_is_resent_after_the_interval(
    site: TestSite, postbox: tuple[Mailbox, int]
) -> None:
    box, _ = postbox
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    for browser, email in ((ann, "ann@example.org"), (bo, "bo@example.org")):
        await _confirmed(site, box, browser, email)
    await play_table(ann, bo, **DAYS)
    box.messages.clear()
    box.is_closed = True
    assert await write_letters(site) == 0
    box.is_closed = False
    assert await write_letters(site) == 0, "not before the interval has passed"
    site.pass_time(31 * 60)
    assert await write_letters(site) == 1
    assert len(box.messages) == 1


async def test_two_workers_send_one_mail(site: TestSite, postbox: tuple[Mailbox, int]) -> None:
    box, _ = postbox
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    for browser, email in ((ann, "ann@example.org"), (bo, "bo@example.org")):
        await _confirmed(site, box, browser, email)
    await play_table(ann, bo, **DAYS)
    box.messages.clear()
    await asyncio.gather(*(write_letters(site) for _ in range(4)))
    assert len(box.messages) == 1


async def test_test_is_mailed_only_to_a_confirmed_address(
    site: TestSite, postbox: tuple[Mailbox, int]
) -> None:
    box, _ = postbox
    ann, _ = await site.guest("Anne Bonfire")

    async def test() -> Any:
        return await ann.post("/api/v1/me/notices/test", json={"channel": "mail"})

    assert code_of(await test()) == "no_email"
    await ann.put("/api/v1/me/notices", json={"email": "ann@example.org"})
    assert code_of(await test()) == "no_email"
    await _confirmed(site, box, ann, "ann@example.org")
    box.messages.clear()
    assert (await test()).json() == {"outcome": "sent"}
    (message,) = box.messages
    assert (message["To"], message["Subject"]) == ("ann@example.org", TEST_SUBJECT)
    for kind in ("plain", "html"):
        assert TEST_TEXT in read_text(message, kind)
    box.is_closed = True
    assert code_of(await test()) == "mail_failed"
    assert [(await test()).status_code for _ in range(2)][-1] == 429, "as many e-mails as codes"


async def test_one_click_unsubscribes_but_opening_the_link_does_not(
    site: TestSite, postbox: tuple[Mailbox, int]
) -> None:
    box, _ = postbox
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    for browser, email in ((ann, "ann@example.org"), (bo, "bo@example.org")):
        await _confirmed(site, box, browser, email)
    await play_table(ann, bo, **DAYS)
    await write_letters(site)
    link = str(box.messages[-1]["List-Unsubscribe"]).strip("<>").removeprefix("http://testserver")
    who = ann if str(box.messages[-1]["To"]) == "ann@example.org" else bo
    mail_client = site.program("192.0.2.200")
    page = await mail_client.get(link)
    assert page.status_code == 200
    assert "<form" in page.text
    assert page.headers["referrer-policy"] == "no-referrer"
    in_german = await mail_client.get(link, headers={"Accept-Language": "de"})
    assert "Diese E-Mails abbestellen?" in in_german.text
    assert (await who.get("/api/v1/me/notices")).json()["email_confirmed"] is True
    assert (await mail_client.post(link, data={"List-Unsubscribe": "One-Click"})).status_code == 200
    assert (await who.get("/api/v1/me/notices")).json()["email"] is None
    unknown = await mail_client.post("/stop/" + "x" * 32)
    assert unknown.status_code == 200, "the response does not reveal which tokens exist"


async def test_codes_to_strangers_mailboxes_are_limited(
    sqlite_url: str, postbox: tuple[Mailbox, int]
) -> None:
    box, port = postbox
    async with running(sqlite_url, smtp_host="127.0.0.1", smtp_port=port, smtp_security="none") as site:
        codes = []
        for n in range(7):
            browser, _ = await site.guest(f"Number {n} Pest", f"203.0.113.{n}")
            answer = await browser.put("/api/v1/me/notices", json={"email": "victim@example.org"})
            codes.append(answer.status_code)
        assert codes == [200] * 5 + [429] * 2
        assert len(box.messages) == 5


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
async def test_mails_are_in_the_readers_language(
    sqlite_url: str, postbox: tuple[Mailbox, int], language: str
) -> None:
    box, port = postbox
    async with running(sqlite_url, smtp_host="127.0.0.1", smtp_port=port, smtp_security="none") as site:
        browser, _ = await site.guest()
        wanted = {"email": "ann@example.org", "language": language}
        assert (await browser.put("/api/v1/me/notices", json=wanted)).status_code == 200
        english = CODE_TEXT.split("{")[0].strip()
        assert english not in read_text(box.messages[0])
        for sentence in SENTENCES:
            values = dict.fromkeys(re.findall(r"{(\w+)}", sentence), "x")
            said = site.site.words(language, sentence, **values)
            assert "{" not in said, said


async def test_mail_is_not_offered_without_a_mail_server(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        browser, _ = await site.guest()
        assert (await browser.get("/api/v1/me/notices")).json()["mail"] is False
        answer = await browser.put("/api/v1/me/notices", json={"email": "ann@example.org"})
        assert code_of(answer) == "no_mail"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ann",
        "@example.org",
        "ann@",
        "ann@example",
        "a b@example.org",
        "ann@example..org",
        "ann@-.org\r\nBcc: x@y.z",
        "Ann <ann@example.org>",
        "ann@example.org,bo@example.org",
        "ann@[127.0.0.1]",
        "x" * 250 + "@example.org",
        "änn@example.org",
        ".ann@example.org",
        "ann.@example.org",
        "ann..b@example.org",
        "ann@@example.org",
        "ann@bo@example.org",
        "ann\x01@example.org",
        "ann\x7f@example.org",
        "ann@example.org.",
    ],
)
def test_invalid_address_is_rejected(text: str) -> None:
    with pytest.raises(BadAddress):
        validate_address(text)


@pytest.mark.parametrize("email", [".ann@example.org", "ann.@example.org", "ann@@example.org"])
async def test_api_rejects_an_invalid_address_with_a_sentence(
    sqlite_url: str, postbox: tuple[Mailbox, int], email: str
) -> None:
    box, port = postbox
    async with running(sqlite_url, smtp_host="127.0.0.1", smtp_port=port, smtp_security="none") as site:
        browser, _ = await site.guest()
        answer = await browser.put("/api/v1/me/notices", json={"email": email})
        assert (answer.status_code, code_of(answer)) == (422, "bad_email")
        assert box.messages == []


@pytest.mark.parametrize("text", ["o'neil@example.org", "a.b-c_d+e@example.org", "1@localhost"])
def test_valid_address_is_accepted(text: str) -> None:
    assert validate_address(text) == text == Address(addr_spec=text).addr_spec


def test_domain_of_an_address_is_stored_in_lower_case() -> None:
    assert validate_address(" Ann.B+game@Example.ORG ") == "Ann.B+game@example.org"
