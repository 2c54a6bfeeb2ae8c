"""Long tests that use the browser share its server and people."""

from __future__ import annotations

from tests.browser.conftest import house, person, wardrobe

__all__ = ["house", "person", "wardrobe"]
