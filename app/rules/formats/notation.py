"""Notation: a short text for each action, parsed back to the same action.

    key start        advance with a key from the start       retreat 8      fall back from space 8
    morgan b 7       send blue's pirate on 7 ahead           sail draw end resign
    pistol! b        aim a pistol at blue                    steal rum      take rum out of that hand
    rum!             pour a round                            share hook+rum b=chest
    rum*!            a dark one                              stack hook back rum+chest
    parrot+parrot! hook 4    two parrots as a hook from 4    hook+rum! 19   hook two pirates on 19
    chest! 7         open the chest on 7                     discard hat+key*

Seats are letters: r b y g v for the seats 0 to 4. A card with `!` is played for its power.
"""

from __future__ import annotations

from app.rules.core.action import ACTIONS, Action, Advance
from app.rules.core.errors import BadNotation
from app.rules.core.fields import CARDS


def action_to_text(action: Action) -> str:
    return action.to_text()


def text_to_action(text: str) -> Action:
    words = text.split()
    if words and words[0].endswith("!"):
        return _power([words[0][:-1], *words[1:]])
    kinds: list[type[Action]] = [kind for kind in ACTIONS.values() if kind.text.split()[:1] == words[:1]]
    kinds.append(Advance)
    for kind in kinds:
        action = kind.from_words(words)
        if action is not None:
            return action
    raise BadNotation(f"{text[:60]!r} is not an action; an advance is written like 'key start'.")


def _power(words: list[str]) -> Action:
    cards = CARDS.from_text(words[0])
    symbol = cards[0].removesuffix("*")
    for kind in ACTIONS.values():
        if kind.symbol == symbol and kind.power_cards == len(cards):
            action = kind.from_words(words)
            if action is not None:
                return action
    raise BadNotation("That is not a power; they are written like 'rum!', 'pistol! b' or 'hook+rum! 19'.")
