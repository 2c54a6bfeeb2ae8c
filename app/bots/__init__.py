"""The bots: players that know what a seat knows, and nothing else."""

from __future__ import annotations

from app.bots.budget import Budget
from app.bots.choosing import choose
from app.bots.levels import LEVELS

__all__ = ["LEVELS", "Budget", "choose"]
