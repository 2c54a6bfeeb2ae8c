"""The pages' tests use the table's server, browser and people."""

from __future__ import annotations

from tests.browser.table.conftest import browser, house, person

__all__ = ["browser", "house", "person"]
