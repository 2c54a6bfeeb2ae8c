"""The modules, in the order in which they offer actions."""

from __future__ import annotations

from app.rules.core.ruleset import Module
from app.rules.modules.basic import BASIC
from app.rules.modules.black_magic import BLACK_MAGIC
from app.rules.modules.complete import COMPLETE
from app.rules.modules.morgan import MORGAN
from app.rules.modules.scoundrels import SCOUNDRELS

__all__ = ["MODULES"]

MODULES: tuple[Module, ...] = (BASIC, COMPLETE, MORGAN, BLACK_MAGIC, SCOUNDRELS)
