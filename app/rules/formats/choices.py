"""Choices: a seat's legal list with what each action would do, so that a browser needs no rules."""

from __future__ import annotations

import json

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.action_cache import END_CHOICE, Known
from app.rules.core.engine import legal
from app.rules.core.movement import company_of
from app.rules.core.position import Position


def choices(position: Position, seat: int, *, is_sealed: bool = False) -> list[Json]:
    """Each legal action with where it leads (`to`), the cards it draws and whether it is `final`.

    Everything said here follows from what the seat sees: a landing place from the board, a number of cards
    from the company met and the number of cards left. `is_sealed`: something has become known this turn, so
    that nothing done from here on can be taken back; the table knows that, a position does not.
    """
    return _outcomes(position, seat, legal(position, seat), is_sealed)


def choices_json(position: Position, seat: int, *, is_sealed: bool = False) -> bytes:
    """The same as JSON: in turn as the offers' tellers write it, where they have one."""
    ruleset = position.ruleset
    texts: list[bytes] = []
    if position.seat != seat or position.pending is not None or position.winner is not None:
        texts += map(_encode, choices(position, seat, is_sealed=is_sealed))
        return b"[%b]" % b",".join(texts)
    if position.taken < ruleset.actions:
        for offer, tell in ruleset.tellers:
            if tell is not None:
                tell(position, seat, is_sealed, texts)
            else:
                offered: list[Action] = []
                offer(position, seat, offered)
                texts += map(_encode, _outcomes(position, seat, offered, is_sealed))
    if position.taken >= ruleset.min_actions or not texts:
        texts.append(END_CHOICE)
    return b"[%b]" % b",".join(texts)


def known_action(position: Position, text: bytes) -> Known | None:
    """The action that a choice has as this very JSON text; None for any other text."""
    return position.ruleset.cache.by_json.get(text)


def _outcomes(position: Position, seat: int, actions: list[Action], is_sealed: bool) -> list[Json]:
    company = company_of(position)
    found = []
    for action in actions:
        leads = position.ruleset.choices.get(type(action))
        outcome: Json = {"final": True} if leads is None else leads(position, seat, action, company)
        found.append({"action": action.to_json(), **outcome, **({"final": True} if is_sealed else {})})
    return found


def _encode(choice: Json) -> bytes:
    return json.dumps(choice, separators=(",", ":")).encode()
