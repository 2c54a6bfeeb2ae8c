"""Fixtures for tests of notices: a push service, and a site that sends notices only on request."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.notify.push_service import PushService, push_service
from tests.notify.pushing import pushing_site
from tests.web.running_site import TestSite


@pytest.fixture
async def service() -> AsyncIterator[PushService]:
    async with push_service() as service:
        yield service


@pytest.fixture
async def site(database_url: str) -> AsyncIterator[TestSite]:
    async with pushing_site(database_url) as site:
        yield site
