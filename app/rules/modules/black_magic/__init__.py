"""Black magic: a card can be played for the power of its symbol instead of an advance. One file for each symbol."""

from __future__ import annotations

from collections.abc import Iterator

from app.rules.core.action import Action
from app.rules.core.cards import register_symbol_set
from app.rules.core.position import Ruleset
from app.rules.core.ruleset import Module
from app.rules.modules.black_magic import chest, dealt_choice, hook, lantern, parrot, pistol, rum
from app.rules.modules.black_magic.chest_tokens import CHEST_MODULE_STATE, lay_chests
from app.rules.modules.black_magic.power import IllegalPowerReason

_POWERS = (
    pistol.PISTOL_POWER,
    rum.RUM_POWER,
    lantern.LANTERN_POWER,
    parrot.PARROT_POWER,
    hook.HOOK_POWER,
    chest.CHEST_POWER,
)
"""All powers, in the order in which they are offered."""

register_symbol_set("escape", tuple(power.symbol for power in _POWERS))


def _all_actions(ruleset: Ruleset) -> Iterator[Action]:
    for power in _POWERS:
        yield from power.all_actions(ruleset)


BLACK_MAGIC_MODULE = Module(
    name="black_magic",
    is_active=lambda options: options.black_magic,
    absent_reason=IllegalPowerReason.no_black_magic,
    offers=lambda options, route: tuple(power.offer for power in _POWERS),
    actions={action: rule for power in _POWERS for action, rule in power.actions.items()},
    pending_types=tuple(pending for power in _POWERS for pending in power.pending_types),
    events=(dealt_choice.ChoiceDealt, *(event for power in _POWERS for event in power.events)),
    set_up=lay_chests,
    state=CHEST_MODULE_STATE,
    all_actions=_all_actions,
)
