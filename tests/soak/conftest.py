"""Long tests that use the browser share its server and people."""

from __future__ import annotations

from tests.browser.table.conftest import browser, house, person

__all__ = ["browser", "house", "person"]
