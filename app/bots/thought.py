"""What a level has before it when it thinks: possible positions, its legal list, a meter, chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from app.bots.budget import Meter
from app.bots.imagine import Imagination
from app.rules.actions import Action

__all__ = ["Best", "Thought"]

Best = Callable[[Action], None]


@dataclass(slots=True)
class Thought:
    imagination: Imagination
    seat: int
    listed: Sequence[Action]
    meter: Meter
    rng: Random
    best: Best
    """Told of the best move so far."""
