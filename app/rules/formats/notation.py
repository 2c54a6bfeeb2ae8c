"""Notation: a short text for each action, which parses back to the same action.

    key start        advance with a key from the start       retreat 8      retreat from space 8
    morgan b 7       move blue's pirate on 7 ahead           sail draw end resign
    pistol! b        aim a pistol at blue                    steal rum      take rum out of that hand
    rum!             pour a round                            share hook+rum b=chest
    rum*!            pour a round with a dark card           stack hook back rum+chest
    parrot+parrot! hook 4    two parrots as a hook from 4    hook+rum! 19   hook two pirates on 19
    chest! 7         open the chest on 7                     discard hat+key*

Seats are letters: r b y g v for the seats 0 to 4. A card with `!` is played for its power.
"""

from __future__ import annotations

from app.rules.core.action import ACTIONS, Action, Advance
from app.rules.core.errors import BadNotation
from app.rules.core.fields import CARDS_FIELD


def action_to_text(action: Action) -> str:
    """Return the notation of an action."""
    return action.to_text()


def action_from_text(text: str) -> Action:
    """Parse the notation of an action. Raise BadNotation if it is malformed."""
    words = text.split()
    if words and words[0].endswith("!"):
        return _parse_power([words[0][:-1], *words[1:]])
    kinds: list[type[Action]] = [kind for kind in ACTIONS.values() if kind.notation.split()[:1] == words[:1]]
    kinds.append(Advance)
    for kind in kinds:
        action = kind.from_words(words)
        if action is not None:
            return action
    raise BadNotation(f"{text[:60]!r} is not an action; an advance is written like 'key start'.")


def _parse_power(words: list[str]) -> Action:
    cards = CARDS_FIELD.from_text(words[0])
    symbol = cards[0].removesuffix("*")
    for kind in ACTIONS.values():
        if kind.symbol == symbol and kind.power_card_count == len(cards):
            action = kind.from_words(words)
            if action is not None:
                return action
    raise BadNotation("That is not a power; powers are written like 'rum!', 'pistol! b' or 'hook+rum! 19'.")
