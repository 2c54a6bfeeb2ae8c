"""Modules of the rules, registered here in the order in which they offer actions."""

from __future__ import annotations

from app.rules.core.ruleset import register_modules
from app.rules.modules import basic, black_magic, complete, morgan, scoundrels

register_modules(
    (
        basic.BASIC_MODULE,
        complete.COMPLETE_MODULE,
        morgan.MORGAN_MODULE,
        black_magic.BLACK_MAGIC_MODULE,
        scoundrels.SCOUNDRELS_MODULE,
    )
)
