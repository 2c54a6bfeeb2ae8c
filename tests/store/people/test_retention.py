"""Retention deletes expired guests, rooms, chat and audit entries, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.web.running_site import TestSite, running
from tests.web.tables import command, done, open_table, play_table, sit

DAY_SECONDS = 86_400


@pytest.fixture
async def site(database_url: str) -> AsyncIterator[TestSite]:
    async with running(
        database_url, guest_days=30, dead_room_days=10, chat_days=5, audit_days=20, sweep_seconds=99999.0
    ) as test:
        yield test


async def _sweep(site: TestSite, days: float) -> None:
    site.pass_time(days * DAY_SECONDS)
    for name in ("retention", "erasures"):
        await site.app.state.queues[name].drain()
    site.site.player_cache.clear()


async def test_expired_guest_who_never_sat_leaves_no_trace(site: TestSite) -> None:
    ann, told = await site.guest("Anne Bonfire")
    await _sweep(site, 29)
    assert await site.site.people.find_player(told["person"]["id"], site.site.now()) is not None
    await _sweep(site, 2)
    assert await site.site.people.find_player(told["person"]["id"], site.site.now()) is None
    assert (await ann.get("/api/v1/me")).json()["person"] is None
    assert await site.site.people.read_names([told["person"]["id"]]) == {}


async def test_accounts_and_guests_with_an_unfinished_timed_game_are_kept(site: TestSite) -> None:
    ann, told = await site.guest("Anne Bonfire")
    await ann.post("/api/v1/account/register", json={"password": "plank, parrot, doubloon"})
    bo, bo_told = await site.guest("Bo Bellows", "203.0.113.9")
    cy, _ = await site.guest("Cy Sculpin", "203.0.113.10")
    await play_table(bo, cy, clock={"kind": "days", "days": 30})
    await _sweep(site, 40)
    for person in (told, bo_told):
        assert await site.site.people.find_player(person["person"]["id"], site.site.now()) is not None


async def test_expired_guest_of_a_finished_game_is_shown_without_a_name(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    room = await play_table(ann, bo)
    state = (await bo.get(f"/api/v1/games/{room}")).json()
    await command(bo, room, "act", version=state["seq"], action={"type": "resign"})
    site.pass_time(29 * DAY_SECONDS)
    await bo.get("/api/v1/me")
    await _sweep(site, 2)
    rows = (await bo.get("/api/v1/me/games", params={"status": "finished"})).json()["games"]
    assert {player["name"] for player in rows[0]["players"]} == {"Bo Bellows", None}


async def test_abandoned_room_is_closed_and_later_deleted(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    room = await open_table(ann)
    await sit(ann, room)
    await _sweep(site, 9)
    assert (await ann.get(f"/api/v1/games/{room}")).json()["table"]["status"] == "open"
    await _sweep(site, 2)
    assert (await ann.get(f"/api/v1/games/{room}")).json()["table"]["status"] == "closed"


async def test_stalled_game_is_ended_unless_it_has_a_clock(
    site: TestSite,
) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    still = await play_table(ann, bo)
    timed = await play_table(ann, bo, clock={"kind": "days", "days": 30})
    await _sweep(site, 11)
    assert (await ann.get(f"/api/v1/games/{still}")).json()["table"]["status"] in ("aborted", "closed")
    assert (await ann.get(f"/api/v1/games/{timed}")).json()["table"]["status"] == "running"


async def test_expired_chat_is_blanked_but_keeps_its_numbers(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    room = await play_table(ann, bo, clock={"kind": "days", "days": 30})
    await done(ann, room, "chat", text="old words")
    await _sweep(site, 6)
    await done(ann, room, "chat", text="new words")
    lines = await site.app.state.game_server.store.chat.read_lines(room, 0, 10)
    assert [(line.n, line.text) for line in lines] == [(1, None), (2, "new words")]


async def test_audit_log_is_kept_as_long_as_the_setting_says(site: TestSite) -> None:
    await site.site.social.add_audit_entry("olga", "ban", "x", {}, site.site.now())
    await _sweep(site, 19)
    assert len(await site.site.social.list_audit_entries(10)) == 1
    await _sweep(site, 2)
    assert await site.site.social.list_audit_entries(10) == []


async def test_nothing_expires_when_all_settings_are_zero(database_url: str) -> None:
    async with running(
        database_url, guest_days=0, dead_room_days=0, chat_days=0, audit_days=0, sweep_seconds=99999.0
    ) as site:
        ann, told = await site.guest("Anne Bonfire")
        room = await open_table(ann)
        await sit(ann, room)
        await _sweep(site, 4000)
        assert await site.site.people.find_player(told["person"]["id"], site.site.now()) is not None
        assert (await site.browser().get(f"/api/v1/games/{room}")).json()["table"]["status"] == "open"


async def test_store_outage_skips_one_round_of_maintenance() -> None:
    import asyncio

    from app.play.ports import StoreUnavailable
    from app.play.tasks import run_every

    rounds: list[int] = []
    fourth = asyncio.Event()

    async def work() -> None:
        rounds.append(1)
        if len(rounds) == 4:
            fourth.set()
        if len(rounds) == 1:
            raise StoreUnavailable
        if len(rounds) == 2:
            raise ValueError("a bad row")

    stopping = asyncio.Event()
    task = asyncio.create_task(run_every(0.01, work, stopping))
    await asyncio.wait_for(fourth.wait(), 10)
    stopping.set()
    await asyncio.wait_for(task, 10)
