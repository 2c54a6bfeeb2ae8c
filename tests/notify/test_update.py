"""Upgrade from a release without the outbox: nothing is sent twice, and pending notices are sent."""

from __future__ import annotations

import pytest
from sqlalchemy import delete, insert, text, update

from app.notify.outbox import LEASE_SECONDS
from app.store.database import open_database
from app.store.migrate import downgrade, upgrade
from app.store.people.notice_values import PendingNotice
from app.store.people.outbox import OutboxStore
from app.store.tables.games import notice_checks
from app.store.tables.people import invitations, notices
from tests.databases import connect
from tests.notify.push_service import PushService
from tests.notify.pushing import (
    DAYS,
    find_mover,
    notify,
    open_waiting_table,
    play_turn,
    pushing_site,
    subscribe,
    two_guests,
    write_letters,
)
from tests.notify.test_webhooks import receiving
from tests.web.tables import open_table, play_table


@pytest.fixture
def postgres_url(new_postgres_url: str) -> str:
    """A separate database, because its tables are changed."""
    return new_postgres_url


def _turns(service: PushService) -> list[str]:
    return [notice.content["t"] for notice in service.received if notice.content["t"] in ("turn", "gone")]


@pytest.mark.parametrize("was_sent", [True, False])
async def test_pushes_of_the_previous_release_are_carried_over(
    database_url: str, service: PushService, was_sent: bool
) -> None:
    async with pushing_site(database_url) as site:
        mover, other, room = await open_waiting_table(site, service)
        if was_sent:
            await notify(site)
            assert _turns(service) == ["turn"]
        cookies = [dict(browser.cookies) for browser in (mover, other)]
    database = open_database(database_url)
    await downgrade(database, "0010")
    async with connect(database) as conn:
        found = (await conn.execute(text("SELECT event, sent_at FROM pushes WHERE event = 'turn'"))).all()
    assert len(found) == was_sent
    await upgrade(database)
    await database.close()
    async with pushing_site(database_url) as site:
        await notify(site, 20 + LEASE_SECONDS)  # its first claims were interrupted by the fixture
        assert _turns(service) == ["turn"], "once, before or after the upgrade"
        again = [site.browser(), site.browser("203.0.113.9")]
        for browser, kept in zip(again, cookies, strict=True):
            browser.cookies.update(kept)
        await play_turn(again[0], room)
        await notify(site)
        assert sorted(_turns(service)) == ["gone", "turn", "turn"], (
            "the next turn, and the shown notice is withdrawn"
        )


async def test_letter_sent_by_an_old_worker_is_not_resent(database_url: str) -> None:
    async with pushing_site(database_url) as site, receiving() as receiver:
        ann, _ = await site.guest("Anne Bonfire")
        bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
        for browser in (ann, bo):
            url = {"webhook": f"http://127.0.0.1:{receiver.port}/"}
            assert (await browser.put("/api/v1/me/notices", json=url)).status_code == 200
        room = await play_table(ann, bo, **DAYS)
        mover, other = await find_mover(room, ann, bo)
        player = (await mover.get("/api/v1/me")).json()["person"]["id"]
        deadline = (await site.site.notices.database.fetch_rows(text("SELECT deadline FROM heads")))[0][0]
        told = {"told_at": site.site.now() - 3600, "told_of": [PendingNotice(room, "", deadline).letter_key]}
        await site.site.notices.database.execute_write(
            update(notices).where(notices.c.player == player).values(**told)
        )
        assert await write_letters(site) == 0
        await play_turn(mover, room)
        assert await write_letters(site) == 1, "the turn of the other player"
        await play_turn(other, room)
        site.pass_time(31 * 60)
        assert await write_letters(site) == 1


async def test_only_one_of_old_and_new_workers_sends_the_letter(database_url: str) -> None:
    async with pushing_site(database_url) as site:
        _, told = await site.guest("Anne Bonfire")
        player, now = told["person"]["id"], site.site.now()
        row = {"player": player, "stop_token": "s", "told_at": 5, "told_of": [], "language": "en"}
        await site.site.notices.database.execute_write(insert(notices).values(**row))
        old = update(notices).where(notices.c.player == player, notices.c.told_at == 5).values(told_at=now)
        assert await site.site.notices.database.execute_write(old) == 1, (
            "as releases since 0.1.0 claim a person"
        )
        assert not await OutboxStore(site.site.notices.database).claim_letter(player, 5, now)


async def test_moves_of_an_old_worker_are_checked(database_url: str, service: PushService) -> None:
    async with pushing_site(database_url) as site:
        await open_waiting_table(site, service)
        await site.site.notices.database.execute_write(delete(notice_checks))  # an old worker writes none
        await notify(site)
        assert service.received == []
        await site.app.state.maintenance.seed_checks()
        await notify(site)
        assert _turns(service) == ["turn"]


async def test_invitations_and_full_tables_of_an_old_worker_are_checked(
    database_url: str, service: PushService
) -> None:
    async with pushing_site(database_url) as site:
        ann, bo = await two_guests(site)
        for browser in (ann, bo):
            await subscribe(browser, service)
        room = await open_table(bo)
        player = (await ann.get("/api/v1/me")).json()["person"]["id"]
        row = {"game": room, "player": player, "inviter": "p_bo", "at": site.site.now()}
        await site.site.notices.database.execute_write(insert(invitations).values(**row))
        await play_table(ann, bo)
        await site.site.notices.database.execute_write(delete(notice_checks))
        await site.app.state.maintenance.seed_checks()
        await notify(site)
        assert {notice.content["t"] for notice in service.received} == {"invited", "table"}
