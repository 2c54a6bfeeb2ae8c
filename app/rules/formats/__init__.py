"""How positions, actions and whole games are written and read: JSON, views, notation, drawings, records."""

from __future__ import annotations

__all__: list[str] = []
