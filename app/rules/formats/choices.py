"""Choices: a seat's legal actions with their foreseeable results as JSON, so that a browser needs no rules."""

from __future__ import annotations

import json

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.action_cache import END_CHOICE_JSON, CachedAction
from app.rules.core.engine import legal
from app.rules.core.movement import company_flags
from app.rules.core.position import Position


def choices_json(position: Position, seat: int, *, is_undo_closed: bool = False) -> bytes:
    """Return a JSON list of the legal actions, each with its destination (`to`), cards drawn (`draws`) and `final`.

    The list contains only what follows from the seat's view: destinations from the board, card counts from the company
    met and the number of cards left. `is_undo_closed` says that no action of this turn can be undone any more, so that
    all choices are final. The table knows this; a position does not.
    """
    ruleset = position.ruleset
    texts: list[bytes] = []
    if position.turn_seat != seat or position.pending is not None or position.winner is not None:
        texts += map(_encode, preview_choices(position, seat, legal(position, seat), is_undo_closed))
        return b"[%b]" % b",".join(texts)
    if position.actions_taken < ruleset.actions:
        for offer, write in ruleset.choice_writers:
            if write is not None:
                write(position, seat, is_undo_closed, texts)
            else:
                offered: list[Action] = []
                offer(position, seat, offered)
                texts += map(_encode, preview_choices(position, seat, offered, is_undo_closed))
    if position.actions_taken >= ruleset.min_actions or not texts:
        texts.append(END_CHOICE_JSON)
    return b"[%b]" % b",".join(texts)


def find_cached_action(position: Position, text: bytes) -> CachedAction | None:
    """Return the action with exactly this JSON text as written in choices, or None if the cache has none."""
    return position.ruleset.cache.by_json.get(text)


def preview_choices(position: Position, seat: int, actions: list[Action], is_undo_closed: bool) -> list[Json]:
    """Return the choices of these legal actions, with the preview that the module of each action gives."""
    company = company_flags(position)
    found = []
    for action in actions:
        preview = position.ruleset.previews.get(type(action))
        result: Json = {"final": True} if preview is None else preview(position, seat, action, company)
        found.append({"action": action.to_json(), **result, **({"final": True} if is_undo_closed else {})})
    return found


def _encode(choice: Json) -> bytes:
    return json.dumps(choice, separators=(",", ":")).encode()
