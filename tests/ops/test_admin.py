"""The operator's command line: its output, its effects, and their entries in the audit log."""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import Any

import pytest
from sqlalchemy import select

from app.cli import main
from app.store.tables.people import sessions
from tests.databases import connect
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import command, done, play_table


class Operator:
    """Runs `cartagena admin` against a running server."""

    def __init__(self, database_url: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.url = database_url
        self.capsys = capsys

    async def __call__(self, *words: str, code: int = 0) -> list[dict[str, Any]]:
        """Return the JSON output; the exit code must be `code`."""
        self.capsys.readouterr()
        asked = ["admin", "--database", self.url, "--actor", "olga", "--json", *words]
        assert await asyncio.to_thread(main, asked) == code
        self.output = self.capsys.readouterr()
        return [json.loads(line) for line in self.output.out.splitlines() if line.startswith("{")]


@pytest.fixture
def operator(database_url: str, capsys: pytest.CaptureFixture[str]) -> Operator:
    return Operator(database_url, capsys)


async def _wait_for_next_poll(site: TestSite) -> None:
    """Run the server's next poll for operator actions."""
    await site.app.state.maintenance.apply_operator_changes()
    await site.app.state.game_server.rooms.compare_heads()
    site.site.player_cache.clear()


async def test_rooms_are_listed_and_closed_and_their_players_notified(
    database_url: str, operator: Operator
) -> None:
    async with running(database_url) as site:
        ann, _ = await site.guest("Anne Bonfire")
        bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
        room = await play_table(ann, bo)
        (row,) = await operator("rooms", "--status", "running")
        assert (row["id"], row["status"], row["preset"]) == (room, "running", "tortuga")
        assert "Anne Bonfire" in row["seats"]
        await operator("close", room, "--reason", "test over")
        await _wait_for_next_poll(site)
        state = (await ann.get(f"/api/v1/games/{room}")).json()
        assert state["table"]["status"] in ("aborted", "closed")
        answer = await command(ann, room, "act", version=state["seq"], action={"type": "resign"})
        assert answer.status_code == 409
        await operator("close", "no-such-room-at-all", "--reason", "x", code=1)
        assert "there is no such room." in operator.output.err
        (deed,) = await operator("audit")
        assert (deed["actor"], deed["deed"], deed["subject"]) == ("olga", "room closed", room)
        assert deed["detail"] == {"reason": "test over"}


async def test_ban_takes_effect_within_seconds_and_can_be_lifted(
    database_url: str, operator: Operator
) -> None:
    async with running(database_url) as site:
        ann, signed_in = await site.guest("Anne Bonfire")
        player = signed_in["person"]["id"]
        (found,) = await operator("people", "Bonfire")
        assert found["id"] == player
        await operator("ban", player, "--reason", "insults", "--for", "7d")
        await _wait_for_next_poll(site)
        assert code_of(await ann.get("/api/v1/me")) == "banned"
        (ban,) = await operator("bans")
        await operator("unban", str(ban["id"]))
        assert await operator("bans") == []
        await _wait_for_next_poll(site)
        assert (await ann.get("/api/v1/me")).json()["person"]["id"] == player
        await operator("unban", str(ban["id"]), code=1)
        assert [deed["deed"] for deed in await operator("audit")] == ["ban lifted", "ban"]


async def test_banned_guest_cannot_return_under_a_new_name(database_url: str, operator: Operator) -> None:
    async with running(database_url) as site:
        ann, signed_in = await site.guest("Anne Bonfire")
        neighbour, _ = await site.guest("Nettle Quill")
        await neighbour.post("/api/v1/account/register", json={"password": "plank, parrot, doubloon"})
        await operator("ban", signed_in["person"]["id"], "--reason", "insults", "--for", "7d")
        await _wait_for_next_poll(site)
        assert code_of(await ann.post("/api/v1/me", json={"name": "Innocent Lamb"})) == "banned"
        ann.cookies.clear()  # another browser, or one that forgot: the address is still the same for a day
        for path, body in (
            ("/api/v1/me", {"name": "Innocent Lamb"}),
            ("/api/v1/quick", {"preset": "jamaica", "seats": 2}),
            ("/api/v1/account/register", {"name": "Innocent Lamb", "password": "plank, parrot, doubloon"}),
        ):
            answer = await ann.post(path, json=body)
            assert (answer.status_code, code_of(answer)) == (403, "no_newcomers"), path
        assert (await neighbour.get("/api/v1/me")).status_code == 200, "known players are admitted"
        login = {"name": "Nettle Quill", "password": "plank, parrot, doubloon"}
        assert (await site.browser().post("/api/v1/account/login", json=login)).status_code == 200
        await site.guest("Far Away", "203.0.113.9")
        site.pass_time(86_401)
        await _wait_for_next_poll(site)
        assert (await ann.post("/api/v1/me", json={"name": "Innocent Lamb"})).status_code == 200


async def test_network_address_is_stored_as_keyed_hash_and_deleted_with_the_player(
    database_url: str, operator: Operator
) -> None:
    async with running(database_url) as site:
        _, signed_in = await site.guest("Anne Bonfire", "203.0.113.9")
        kept = select(sessions.c.came_from)
        async with connect(site.site.people.database) as run:
            (noted,) = (await run.execute(kept)).scalars().all()
        assert noted is not None
        assert "203.0.113" not in noted
        assert hashlib.sha256(b"203.0.113.9").hexdigest()[:32] != noted
        await operator("erase", signed_in["person"]["id"], "--reason", "asked")
        async with connect(site.site.people.database) as run:
            assert (await run.execute(kept)).scalars().all() == []


async def test_ban_ids_are_not_reused(database_url: str, operator: Operator) -> None:
    """An operator's note "ban 3" must not come to mean another person."""
    async with running(database_url):
        for wanted in (1, 2, 3):
            await operator("ban", "203.0.113.9", "--reason", "flood")
            (ban,) = await operator("bans")
            assert ban["id"] == wanted
            await operator("unban", str(ban["id"]))


async def test_a_banned_account_cannot_log_in_again_until_the_ban_is_over(
    database_url: str, operator: Operator
) -> None:
    async with running(database_url) as site:
        ann, signed_in = await site.guest("Anne Bonfire")
        login = {"name": "Anne Bonfire", "password": "plank, parrot, doubloon"}
        await ann.post("/api/v1/account/register", json={"password": login["password"]})
        await operator("ban", signed_in["person"]["id"], "--reason", "x", "--for", "12h")
        assert code_of(await ann.post("/api/v1/account/login", json=login)) == "banned"
        site.pass_time(13 * 3600)
        assert (await ann.post("/api/v1/account/login", json=login)).status_code == 200


async def test_banned_network_is_refused(database_url: str, operator: Operator) -> None:
    async with running(database_url) as site:
        await operator("ban", "203.0.113.77/24", "--reason", "flood")
        await _wait_for_next_poll(site)
        assert code_of(await site.browser("203.0.113.9").get("/api/v1/me")) == "banned"
        assert (await site.browser("198.51.100.9").get("/api/v1/me")).status_code == 200
        await operator("ban", "nobody-such", "--reason", "x", code=1)
        await operator("ban", "203.0.113.1", "--reason", "x", "--for", "soon", code=1)
        assert "12h, 7d or 4w" in operator.output.err


async def test_chat_lines_are_deleted_by_number_and_by_person(database_url: str, operator: Operator) -> None:
    async with running(database_url) as site:
        ann, signed_in = await site.guest("Anne Bonfire")
        bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
        room = await play_table(ann, bo)
        for words in ("one", "two", "three"):
            await done(ann, room, "chat", text=words)
        await done(bo, room, "chat", text="four")
        lines = await operator("chat", room)
        assert [line["text"] for line in lines] == ["one", "two", "three", "four"]
        await operator("delete-chat", room, str(lines[1]["n"]), "--reason", "rude")
        assert [line["text"] for line in await operator("chat", room)] == ["one", None, "three", "four"]
        await operator("delete-chat", room, "--person", signed_in["person"]["id"], "--reason", "all of it")
        assert [line["text"] for line in await operator("chat", room)] == [None, None, None, "four"]
        await operator("delete-chat", room, "--reason", "x", code=1)
        await operator("delete-chat", room, "99", "--reason", "x", code=1)
        deeds = await operator("audit")
        assert [deed["detail"]["deleted"] for deed in deeds] == [2, 1]
        assert "three" not in json.dumps(deeds)


async def test_reports_are_read_and_settled(database_url: str, operator: Operator) -> None:
    async with running(database_url) as site:
        ann, _ = await site.guest("Anne Bonfire")
        _, signed_in = await site.guest("Bo Bellows", "203.0.113.9")
        report = {"player": signed_in["person"]["id"], "reason": "stalling", "words": "waits every turn"}
        await ann.post("/api/v1/reports", json=report)
        (row,) = await operator("reports")
        assert (row["reported"], row["reason"], row["words"]) == (
            signed_in["person"]["id"],
            "stalling",
            "waits every turn",
        )
        await operator("settle", str(row["id"]), "--words", "talked to them")
        assert await operator("reports") == []
        assert len(await operator("reports", "--all")) == 1
        await operator("settle", str(row["id"]), code=1)


async def test_player_is_erased_on_request(database_url: str, operator: Operator) -> None:
    async with running(database_url) as site:
        ann, signed_in = await site.guest("Anne Bonfire")
        await operator("erase", signed_in["person"]["id"], "--reason", "asked by letter")
        site.site.player_cache.clear()
        assert (await ann.get("/api/v1/me")).json()["person"] is None
        await operator("erase", signed_in["person"]["id"], "--reason", "again", code=1)


async def test_control_characters_in_user_text_are_escaped_for_the_terminal(
    sqlite_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with running(sqlite_url) as site:
        row = {"reporter": "a", "reported": "b", "room": None, "reason": "other", "at": 1}
        await site.site.social.add_report({**row, "words": "\x1b]0;pwned\x07\x1b[2J\u202e"})
        assert await asyncio.to_thread(main, ["admin", "--database", sqlite_url, "reports"]) == 0
        said = capsys.readouterr().out
        assert "pwned" in said
        assert not set(said) & {"\x1b", "\x07", "\u202e"}


def test_missing_database_is_reported_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["admin", "--database", "postgresql://nobody@127.0.0.1:1/none", "rooms"]) == 1
    assert "cannot use the database" in capsys.readouterr().err


WRONG_WORDS = [
    ("unban", "99999999999999999999999"),
    ("settle", "-1"),
    ("audit", "--limit", "99999999999999999999999"),
    ("delete-chat", "room", "99999999999999999999999", "--reason", "x"),
]


@pytest.mark.parametrize("words", WRONG_WORDS)
def test_number_out_of_range_is_reported_in_one_sentence(
    sqlite_url: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["admin", "--database", sqlite_url, *words])
    assert ended.value.code == 2
    assert "whole number" in capsys.readouterr().err


async def test_text_that_cannot_be_stored_is_reported_in_one_sentence(sqlite_url: str, capsys: Any) -> None:
    operator = Operator(sqlite_url, capsys)
    async with running(sqlite_url):
        await operator("people", "\udcff", code=1)
        assert "is not valid UTF-8" in operator.output.err
        await operator("ban", "203.0.113.9", "--reason", "x", "--for", "99999999999999w", code=1)
        assert "12h, 7d or 4w" in operator.output.err


async def test_queues_without_a_failed_row_say_so(
    sqlite_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with running(sqlite_url):
        assert await asyncio.to_thread(main, ["admin", "--database", sqlite_url, "queues"]) == 0
    assert capsys.readouterr().out == "No queue has failed rows.\n"
