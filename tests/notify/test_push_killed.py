"""A server process is killed with SIGKILL between the commit of a move and its push."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx

from app.notify.switchboard import TURN_SETTLE_SECONDS
from app.store.database import get_sqlite_file
from tests.databases import at_head
from tests.notify.push_service import push_service
from tests.notify.pushing import DAYS, play_turn, subscribe
from tests.sockets.running_server import ServerProcess
from tests.web.running_site import BROWSER
from tests.web.tables import play_table


async def test_turn_committed_before_a_kill_is_pushed_once_by_the_next_server(
    sqlite_url: str, tmp_path: Path
) -> None:
    await at_head(sqlite_url)
    silent = {"webhook_private": "yes", "notify_seconds": 9999}
    server = ServerProcess(sqlite_url, tmp_path, **silent)
    async with push_service() as service:
        await server.start()
        headers = {**BROWSER, "origin": server.base}
        people = [httpx.AsyncClient(base_url=server.base, headers=headers, timeout=60) for _ in range(2)]
        for number, browser in enumerate(people):
            await browser.post("/api/v1/me", json={"name": f"Sailor {'AB'[number]}"})
            await browser.put("/api/v1/me/notices/wishes", json={"switches": {"table": False}})
            await subscribe(browser, service)
        room = await play_table(people[0], people[1], **DAYS)
        for browser in people:
            await play_turn(browser, room)  # the move is on disk
        await server.kill()
        assert service.attempts == 0, "nothing was sent"
        _wait_until_settled(sqlite_url)
        again = ServerProcess(sqlite_url, tmp_path, webhook_private="yes", notify_seconds=0.1)
        await again.start()
        async with asyncio.timeout(120):
            await service.wait_for_accepted(1)
        await again.kill()
        once_more = ServerProcess(sqlite_url, tmp_path, webhook_private="yes", notify_seconds=0.1)
        await once_more.start()
        await asyncio.sleep(1)  # several rounds
        await once_more.kill()
        for browser in people:
            await browser.aclose()
    assert [notice.content["t"] for notice in service.received] == ["turn"]
    assert service.received[0].content["url"] == f"/g/{room}"


def _wait_until_settled(url: str) -> None:
    """Move turn and subscription into the past, so that the turn has settled."""
    with closing(sqlite3.connect(get_sqlite_file(url))) as database, database:
        database.execute("UPDATE games SET started_at = started_at - ?", (1000 * TURN_SETTLE_SECONDS,))
        database.execute("UPDATE heads SET updated_at = updated_at - ?", (1000 * TURN_SETTLE_SECONDS,))
        database.execute("UPDATE push_subscriptions SET made_at = made_at - ?", (TURN_SETTLE_SECONDS,))
