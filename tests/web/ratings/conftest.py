"""Fixtures: a running site whose queue of ratings is run by the test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.web.ratings.rated_site import RatedSite
from tests.web.running_site import running


@pytest.fixture
async def rated(database_url: str) -> AsyncIterator[RatedSite]:
    async with running(database_url) as site:
        await site.app.state.maintenance.stop()
        yield RatedSite(site)
