"""The cost of notices depends on changes, not on history: their queries scan no growing table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from sqlalchemy import Engine, event

from app.store.database import get_sqlite_file
from tests.notify.push_service import PushService
from tests.notify.pushing import (
    DAYS,
    find_mover,
    plan_notices,
    play_turn,
    process,
    pushing_site,
    send,
    subscribe,
    two_guests,
)
from tests.notify.test_webhooks import receiving
from tests.web.tables import play_table

Statement = tuple[str, Any]


@contextmanager
def _captured() -> Iterator[list[Statement]]:
    found: list[Statement] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_more: Any) -> None:
        found.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def _scans(url: str, statements: list[Statement]) -> set[str]:
    """Return the plan steps that scan a whole table."""
    found: set[str] = set()
    with closing(sqlite3.connect(get_sqlite_file(url))) as database:
        for statement, parameters in statements:
            if statement.split(None, 1)[0] not in ("SELECT", "UPDATE", "DELETE"):
                continue
            values = parameters[0] if isinstance(parameters, list) else parameters
            for *_, step in database.execute(f"EXPLAIN QUERY PLAN {statement}", values):
                if step.startswith("SCAN") and not step.startswith(("SCAN CONSTANT ROW", "SCAN (subquery")):
                    found.add(f"{step}: {statement}")
    return found


async def test_notice_reads_only_the_games_it_concerns(sqlite_url: str, service: PushService) -> None:
    async with pushing_site(sqlite_url) as site, receiving() as receiver:
        ann, bo = await two_guests(site)
        for browser in (ann, bo):
            await subscribe(browser, service)
            url = {"webhook": f"http://127.0.0.1:{receiver.port}/"}
            assert (await browser.put("/api/v1/me/notices", json=url)).status_code == 200
        room = await play_table(ann, bo, **DAYS)
        with _captured() as statements:
            for wait in (20, 31 * 60):
                site.pass_time(wait)
                await plan_notices(site)
                await process(site, "letter")
                await send(site)
            mover, _ = await find_mover(room, ann, bo)
            await play_turn(mover, room)
            site.pass_time(20)
            await plan_notices(site)
            await process(site, "letter")
            await send(site)
        assert {notice.content["t"] for notice in service.received} >= {"turn", "gone"}
        assert receiver.posted
        ours = [
            each
            for each in statements
            if "outbox" in each[0] or "notice" in each[0] or "next_game" in each[0]
        ]
        assert len(ours) > 20
    assert _scans(sqlite_url, ours) == set()
