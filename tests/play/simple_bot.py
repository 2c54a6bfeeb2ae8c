"""A simple bot for tests: chooses from the view and the legal actions alone, at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["SimpleBot"]


class SimpleBot:
    """Advances while it has cards, retreats when its hand is nearly empty, discards its first cards."""

    async def hint(
        self,
        view: dict[str, Any],
        actions: Sequence[dict[str, Any]],
        history: Sequence[dict[str, Any]],
        budget: float,
        *,
        seat: int,
        person: str = "",
    ) -> dict[str, Any]:
        action = await self.choose(view, actions, history, "captain", budget, seat=seat, person=person)
        return {"action": action, "why": "unexplained", "params": {}}

    async def choose(
        self,
        view: dict[str, Any],
        actions: Sequence[dict[str, Any]],
        history: Sequence[dict[str, Any]],
        level: str,
        budget: float,
        *,
        seat: int,
        fixed_budget: tuple[int, str] | None = None,
        person: str = "",
    ) -> dict[str, Any]:
        first = actions[0]
        if first["type"] == "discard":
            return {"type": "discard", "cards": view["players"][seat]["hand"][: first["count"]]}
        by_type: dict[str, list[dict[str, Any]]] = {}
        for action in actions:
            by_type.setdefault(action["type"], []).append(action)
        if view["pending"] is not None:
            return first
        order = ("advance", "retreat") if view["players"][seat]["cards"] > 1 else ("retreat", "advance")
        for kind in (*order, "sail", "morgan", "draw", "end"):
            if kind in by_type:
                return by_type[kind][0]
        return first
