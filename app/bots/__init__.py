"""Bots: computer players that know only what their seat knows."""

from __future__ import annotations

from app.bots.budget import Budget, Meter
from app.bots.choosing import choose
from app.bots.evaluation import Evaluator
from app.bots.levels import LEVELS
from app.bots.sampling import PositionSampler
from app.bots.turn_search import plans

__all__ = ["LEVELS", "Budget", "Evaluator", "Meter", "PositionSampler", "choose", "plans"]
