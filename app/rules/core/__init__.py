"""Core of the rules: positions, the route, cards, chance and the engine. It names no module and no symbol."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
"""A JSON object."""
