"""The core of the rules: positions, the route, cards, chance and the engine. It names no module and no symbol."""

from __future__ import annotations

__all__: list[str] = []
