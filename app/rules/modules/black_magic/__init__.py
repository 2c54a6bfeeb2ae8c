"""Black magic: a card may be played for its power instead of an advance. One file a symbol."""

from __future__ import annotations

from collections.abc import Iterator

from app.rules.core.action import Action
from app.rules.core.cards import add_symbols
from app.rules.core.position import Ruleset
from app.rules.core.ruleset import Module
from app.rules.modules.black_magic import chest, dealt_choice, hook, lantern, parrot, pistol, rum
from app.rules.modules.black_magic.chest_tokens import STATE, lay_chests
from app.rules.modules.black_magic.power import Why

_POWERS = (pistol.PISTOL, rum.RUM, lantern.LANTERN, parrot.PARROT, hook.HOOK, chest.CHEST)
"""In the order in which they are offered."""

add_symbols("escape", tuple(power.symbol for power in _POWERS))


def _every_action(ruleset: Ruleset) -> Iterator[Action]:
    for power in _POWERS:
        yield from power.every_action(ruleset)


BLACK_MAGIC = Module(
    name="black_magic",
    is_on=lambda options: options.black_magic,
    absent=Why.no_black_magic,
    offers=lambda options, route: tuple(power.offer for power in _POWERS),
    actions={action: rule for power in _POWERS for action, rule in power.actions.items()},
    debts=tuple(debt for power in _POWERS for debt in power.debts),
    events=(dealt_choice.ChoiceDealt, *(event for power in _POWERS for event in power.events)),
    set_up=lay_chests,
    state=STATE,
    every_action=_every_action,
)
