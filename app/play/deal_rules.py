"""The engine for games of a deal, whose hidden cards stay hidden after the end because others play the same deal.

It differs from `app.rules` only in `view` and `events_for`, so a table shown by its own rules reveals nothing more.
"""

from __future__ import annotations

from app.rules import (
    action_from_json,
    action_to_json,
    apply,
    bot_nonce,
    choices_json,
    commitment_of,
    deal_seed,
    default_action,
    explain_click,
    find_cached_action,
    finishing_places,
    finishing_places_after_resignations,
    is_nonce,
    is_seal,
    is_undoable,
    legal,
    new_game,
    options_to_json,
    parse_options,
    privileged_seats,
    seal_of,
    seats_to_act,
    seed_from,
)
from app.rules import events_without_reveal as events_for
from app.rules import view_without_reveal as view

__all__ = [
    "action_from_json",
    "action_to_json",
    "apply",
    "bot_nonce",
    "choices_json",
    "commitment_of",
    "deal_seed",
    "default_action",
    "events_for",
    "explain_click",
    "find_cached_action",
    "finishing_places",
    "finishing_places_after_resignations",
    "is_nonce",
    "is_seal",
    "is_undoable",
    "legal",
    "new_game",
    "options_to_json",
    "parse_options",
    "privileged_seats",
    "seal_of",
    "seats_to_act",
    "seed_from",
    "view",
]
