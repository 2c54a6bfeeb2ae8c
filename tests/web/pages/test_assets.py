"""Static files for pages that were opened before an update."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from app.web.pages.assets import RELOAD_MODULE
from tests.web.running_site import TestSite, running

FINGERPRINT = "9d213fca7d70"  # of release 0.1.0


@pytest.fixture
async def site(sqlite_url: str) -> AsyncIterator[TestSite]:
    async with running(sqlite_url) as test:
        yield test


@pytest.mark.parametrize("name", ["js/table/owed.js", "js/table/ending.js"])  # gone, and with other exports
async def test_a_page_of_release_0_1_0_is_reloaded_by_the_next_module_it_loads(
    site: TestSite, name: str
) -> None:
    browser, _ = await site.guest("Anne Bonfire")
    answer = await browser.get(f"/static/{FINGERPRINT}/{name}")
    assert answer.status_code == 200
    assert answer.content == RELOAD_MODULE
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-cache"


async def test_other_files_and_fingerprints_get_the_current_file(site: TestSite) -> None:
    browser, _ = await site.guest("Anne Bonfire")
    style = await browser.get(f"/static/{FINGERPRINT}/css/seating.css")
    assert style.status_code == 200
    assert style.content == (await browser.get("/static/0/css/seating.css")).content
    script = await browser.get("/static/000000000000/js/table/ending.js")
    assert b"export function Ending" in script.content
