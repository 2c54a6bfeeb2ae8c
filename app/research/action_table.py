"""Numbering of actions: every action that can occur at a table has a fixed number.

Shares and stacks are too many for that and are numbered by their index in the legal list. A discard of several cards
is made card by card.
"""

from __future__ import annotations

from app import rules
from app.rules.core.action import ACTIONS, Action, Resign
from app.rules.core.position import Position
from app.rules.core.ruleset import active_modules

_MAX_ANSWERS = 400
"""Upper bound for the answers of a choice. Five seats can share six cards in 360 ways."""


class ActionTable:
    """Mapping between actions and numbers for one set of options."""

    def __init__(self, position: Position) -> None:
        actions = _all_actions(position)
        self._numbers = {action: number for number, action in enumerate(actions)}
        self._first_discard = len(actions)
        self._cards = position.ruleset.kinds.names
        self._first_answer = self._first_discard + len(self._cards)
        self.size = self._first_answer + _MAX_ANSWERS

    def legal(self, position: Position, seat: int, chosen: list[str]) -> dict[int, Action | str]:
        """Return the legal actions of a seat by number.

        For a pending discard the values are cards to add to those already chosen.
        """
        found: dict[int, Action | str] = {}
        for index, action in enumerate(rules.legal(position, seat)):
            if action.is_placeholder:
                left = list(position.hand_names(seat))
                for card in chosen:
                    left.remove(card)
                for number, card in enumerate(self._cards):
                    if card in left:
                        found[self._first_discard + number] = card
            elif action in self._numbers:
                found[self._numbers[action]] = action
            else:
                found[self._first_answer + index] = action
        return found


def _all_actions(position: Position) -> list[Action]:
    plain_types = [kind for kind in ACTIONS.values() if not kind.json_fields and kind is not Resign]
    actions = [kind() for kind in plain_types]
    for module in active_modules(position.options):
        actions += module.all_actions(position.ruleset)
    return actions
