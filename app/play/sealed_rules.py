"""The rules for a game whose cards stay hidden after its end, because others play the same deal: an engine like any
other, but that it cannot say what was unseen. Whoever shows a table by its own rules shows no more than that."""

from __future__ import annotations

from app.rules import (
    action_from_json,
    action_to_json,
    apply,
    bot_nonce,
    choices,
    choices_json,
    commitment_of,
    deal_seed,
    default_action,
    insiders,
    is_nonce,
    is_seal,
    is_undoable,
    known_action,
    legal,
    new_game,
    options_to_json,
    parse_options,
    places,
    places_of_resigned,
    seal_of,
    seats_to_act,
    seed_from,
)
from app.rules import sealed_events_for as events_for
from app.rules import sealed_view as view

__all__ = [
    "action_from_json",
    "action_to_json",
    "apply",
    "bot_nonce",
    "choices",
    "choices_json",
    "commitment_of",
    "deal_seed",
    "default_action",
    "events_for",
    "insiders",
    "is_nonce",
    "is_seal",
    "is_undoable",
    "known_action",
    "legal",
    "new_game",
    "options_to_json",
    "parse_options",
    "places",
    "places_of_resigned",
    "seal_of",
    "seats_to_act",
    "seed_from",
    "view",
]
