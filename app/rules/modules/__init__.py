"""The modules, in the order in which they offer actions. Whoever adds one adds it here."""

from __future__ import annotations

from app.rules.core.ruleset import add_modules
from app.rules.modules import basic, black_magic, complete, morgan, scoundrels

add_modules((basic.BASIC, complete.COMPLETE, morgan.MORGAN, black_magic.BLACK_MAGIC, scoundrels.SCOUNDRELS))
