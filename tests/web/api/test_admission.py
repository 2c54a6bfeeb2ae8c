"""Requests that every new client makes pass admission control; others do not."""

from __future__ import annotations

import asyncio

import pytest

from app.admission import AdmissionQueue, get_admission_queue
from tests.web.running_site import running

TABLE = {"options": {"preset": "jamaica", "players": 2}}


async def test_new_guests_and_new_tables_pass_admission_control_and_lists_do_not(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(sqlite_url) as site:
        waits: list[bool] = []
        wait, queue = AdmissionQueue.wait, get_admission_queue(asyncio.get_running_loop())

        async def counted(self: AdmissionQueue, weight: float = 1.0, *, is_new: bool = False) -> None:
            assert self is queue
            waits.append(is_new)
            await wait(self, weight, is_new=is_new)

        monkeypatch.setattr(AdmissionQueue, "wait", counted)
        browser = site.browser()
        assert (await browser.get("/api/v1/games")).status_code == 200
        assert True not in waits
        assert (await browser.post("/api/v1/me", json={})).status_code == 200
        assert waits.count(True) == 1
        browser, _ = await site.guest()
        assert waits.count(True) == 2
        assert (await browser.post("/api/v1/games", json=TABLE)).status_code == 201
        assert waits.count(True) == 3
