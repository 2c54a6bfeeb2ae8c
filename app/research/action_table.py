"""Actions as numbers: every action a table can ever know has one place in a fixed list.

Choices with very many answers (share, stack) are numbered as they stand in the legal list; a discard of
several cards is made card by card.
"""

from __future__ import annotations

import json
from typing import Any

from app import rules
from app.rules.core.actions import Action, OwedDiscard, Share, Stack
from app.rules.core.position import Position

__all__ = ["ActionTable"]

Json = dict[str, Any]

_ANSWERS = 400
"""Five seats can share six cards in 360 ways; no choice has more."""


class ActionTable:
    """Action ↔ number, for one set of options."""

    def __init__(self, position: Position) -> None:
        self._known: list[Json] = _all_actions(position)
        self._numbers = {_key(action): number for number, action in enumerate(self._known)}
        kinds = position.ruleset.kinds
        self._discards = len(self._known)
        self._answers = self._discards + len(kinds.names)
        self._cards = kinds.names
        self.size = self._answers + _ANSWERS

    def legal(self, position: Position, seat: int, chosen: list[str]) -> dict[int, Action | str]:
        """Number → action; for an owed discard → the card to add to those already chosen."""
        found: dict[int, Action | str] = {}
        for index, action in enumerate(rules.legal(position, seat)):
            if isinstance(action, OwedDiscard):
                left = list(position.hand_names(seat))
                for card in chosen:
                    left.remove(card)
                for number, card in enumerate(self._cards):
                    if card in left:
                        found[self._discards + number] = card
            elif isinstance(action, Share | Stack):
                found[self._answers + index] = action
            else:
                found[self._numbers[_key(rules.action_to_json(action))]] = action
        return found


def _key(action: Json) -> str:
    return json.dumps(action, sort_keys=True)


def _all_actions(position: Position) -> list[Json]:
    ruleset = position.ruleset
    options = ruleset.options
    places = ruleset.route.names
    cards = ruleset.kinds.names
    seats = range(options.players)

    def of(symbol: str) -> list[str]:
        return [card for card in cards if card.removesuffix("*") == symbol]

    actions: list[Json] = [{"type": "end"}, {"type": "draw"}, {"type": "sail"}]
    actions += [{"type": "advance", "card": card, "from": place} for card in cards for place in places]
    actions += [{"type": "retreat", "from": place} for place in places]
    if options.card_gain != "retreat":
        actions += [{"type": "morgan", "player": seat, "from": place} for seat in seats for place in places]
    if not options.black_magic:
        return actions
    symbols = sorted({card.removesuffix("*") for card in cards})
    parrots, hooks = of("parrot"), of("hook")
    pairs = [[one, two] for one in parrots for two in parrots if one <= two]
    actions += [{"type": "pistol", "card": card, "player": seat} for card in of("pistol") for seat in seats]
    actions += [{"type": "steal", "card": card} for card in cards]
    actions += [{"type": "rum", "card": card} for card in of("rum")]
    actions += [{"type": "lantern", "card": card} for card in of("lantern")]
    actions += [
        {"type": "parrot", "cards": pair, "as": symbol, "from": place}
        for pair in pairs
        for symbol in symbols
        for place in places
    ]
    actions += [
        {"type": "hook", "card": hook, "with": card, "from": place}
        for hook in hooks
        for card in cards
        for place in places
    ]
    actions += [{"type": "chest", "card": card, "from": place} for card in of("chest") for place in places]
    return actions
