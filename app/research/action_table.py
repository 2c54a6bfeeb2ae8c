"""Actions as numbers: every action a table can ever know has one place in a fixed list.

Choices with very many answers (share, stack) are numbered as they stand in the legal list; a discard of
several cards is made card by card.
"""

from __future__ import annotations

from app import rules
from app.rules.core.action import ACTIONS, Action, Resign
from app.rules.core.position import Position
from app.rules.core.ruleset import modules_on

_ANSWERS = 400
"""Five seats can share six cards in 360 ways; no choice has more."""


class ActionTable:
    """Action ↔ number, for one set of options."""

    def __init__(self, position: Position) -> None:
        known = _all_actions(position)
        self._numbers = {action: number for number, action in enumerate(known)}
        self._discards = len(known)
        self._cards = position.ruleset.kinds.names
        self._answers = self._discards + len(self._cards)
        self.size = self._answers + _ANSWERS

    def legal(self, position: Position, seat: int, chosen: list[str]) -> dict[int, Action | str]:
        """Number → action; for an owed discard → the card to add to those already chosen."""
        found: dict[int, Action | str] = {}
        for index, action in enumerate(rules.legal(position, seat)):
            if action.is_only_listed:
                left = list(position.hand_names(seat))
                for card in chosen:
                    left.remove(card)
                for number, card in enumerate(self._cards):
                    if card in left:
                        found[self._discards + number] = card
            elif action in self._numbers:
                found[self._numbers[action]] = action
            else:
                found[self._answers + index] = action
        return found


def _all_actions(position: Position) -> list[Action]:
    bare = [kind for kind in ACTIONS.values() if not kind.form and kind is not Resign]
    actions = [kind() for kind in bare]
    for module in modules_on(position.options):
        actions += module.every_action(position.ruleset)
    return actions
