"""Notices across an update from the release before the outbox: what was sent is not sent again, what waits is sent."""

from __future__ import annotations

import pytest
from sqlalchemy import delete, insert, text, update

from app.notify.outbox import LEASE_SECONDS
from app.notify.ports import Waiting
from app.store.engine import make_engine
from app.store.games.tables import notice_checks
from app.store.migrate import downgrade, upgrade
from app.store.people.outbox import OutboxStore
from app.store.people.tables import invitations, notices
from tests.notify.push_service import PushService
from tests.notify.pushing import (
    DAYS,
    in_turn,
    play_turn,
    pushing_site,
    subscribe,
    tell,
    two_guests,
    waiting_table,
    write_letters,
)
from tests.notify.test_webhooks import receiving
from tests.web.tables import open_table, play_table


@pytest.fixture
def postgres_url(new_postgres_url: str) -> str:
    """A database of its own: its tables are changed."""
    return new_postgres_url


def _turns(service: PushService) -> list[str]:
    return [each.told["t"] for each in service.received if each.told["t"] in ("turn", "gone")]


@pytest.mark.parametrize("was_sent", [True, False])
async def test_pushes_of_the_release_before_are_carried_over(
    database_url: str, service: PushService, was_sent: bool
) -> None:
    async with pushing_site(database_url) as site:
        mover, other, room = await waiting_table(site, service)
        if was_sent:
            await tell(site)
            assert _turns(service) == ["turn"]
        cookies = [dict(browser.cookies) for browser in (mover, other)]
    engine = make_engine(database_url)
    await downgrade(engine, "0010")
    async with engine.connect() as run:
        found = (await run.execute(text("SELECT event, sent_at FROM pushes WHERE event = 'turn'"))).all()
    assert len(found) == was_sent
    await upgrade(engine)
    await engine.dispose()
    async with pushing_site(database_url) as site:
        await tell(site, 20 + LEASE_SECONDS)  # its first claims were cut off by the fixture
        assert _turns(service) == ["turn"], "once, before the update or after it"
        again = [site.browser(), site.browser("203.0.113.9")]
        for browser, kept in zip(again, cookies, strict=True):
            browser.cookies.update(kept)
        await play_turn(again[0], room)
        await tell(site)
        assert sorted(_turns(service)) == ["gone", "turn", "turn"], (
            "the next turn, and the shown notice is withdrawn"
        )


async def test_a_letter_that_an_old_worker_wrote_is_not_written_again(database_url: str) -> None:
    async with pushing_site(database_url) as site, receiving() as receiver:
        ann, _ = await site.guest("Anne Bonfire")
        bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
        for browser in (ann, bo):
            url = {"webhook": f"http://127.0.0.1:{receiver.port}/"}
            assert (await browser.put("/api/v1/me/notices", json=url)).status_code == 200
        room = await play_table(ann, bo, **DAYS)
        mover, other = await in_turn(room, ann, bo)
        player = (await mover.get("/api/v1/me")).json()["person"]["id"]
        deadline = (await site.site.notices.rows(text("SELECT deadline FROM heads")))[0][0]
        told = {"told_at": site.site.now() - 3600, "told_of": [Waiting(room, "", deadline).key]}
        await site.site.notices.change(update(notices).where(notices.c.player == player).values(**told))
        assert await write_letters(site) == 0
        await play_turn(mover, room)
        assert await write_letters(site) == 1, "the other one's turn"
        await play_turn(other, room)
        site.pass_time(31 * 60)
        assert await write_letters(site) == 1


async def test_of_old_and_new_workers_one_writes_the_letter(database_url: str) -> None:
    async with pushing_site(database_url) as site:
        _, told = await site.guest("Anne Bonfire")
        player, now = told["person"]["id"], site.site.now()
        row = {"player": player, "stop_token": "s", "told_at": 5, "told_of": [], "language": "en"}
        await site.site.notices.change(insert(notices).values(**row))
        old = update(notices).where(notices.c.player == player, notices.c.told_at == 5).values(told_at=now)
        assert await site.site.notices.change(old) == 1, "as releases since 0.1.0 claim a person"
        assert not await OutboxStore(site.site.notices.engine).claim_letter(player, 5, now)


async def test_moves_that_an_old_worker_made_are_checked(database_url: str, service: PushService) -> None:
    async with pushing_site(database_url) as site:
        await waiting_table(site, service)
        await site.site.notices.change(delete(notice_checks))  # an old worker writes none
        await tell(site)
        assert service.received == []
        await site.app.state.maintenance.seed_checks()
        await tell(site)
        assert _turns(service) == ["turn"]


async def test_an_invitation_and_a_full_table_of_an_old_worker_are_checked(
    database_url: str, service: PushService
) -> None:
    async with pushing_site(database_url) as site:
        ann, bo = await two_guests(site)
        for browser in (ann, bo):
            await subscribe(browser, service)
        room = await open_table(bo)
        player = (await ann.get("/api/v1/me")).json()["person"]["id"]
        row = {"game": room, "player": player, "inviter": "p_bo", "at": site.site.now()}
        await site.site.notices.change(insert(invitations).values(**row))
        await play_table(ann, bo)
        await site.site.notices.change(delete(notice_checks))
        await site.app.state.maintenance.seed_checks()
        await tell(site)
        assert {each.told["t"] for each in service.received} == {"invited", "table"}
