"""The rules of Cartagena: every edition, pure, with seeded chance. The standard library is all it needs."""

from __future__ import annotations

import app.rules.modules  # noqa: F401  # they register themselves
from app.rules.catalogue import CATALOGUE, PRESETS, OptionSpec, catalogue_to_json
from app.rules.core import Json
from app.rules.core.action import (
    Action,
    Advance,
    Draw,
    End,
    Resign,
    Retreat,
    action_from_json,
    action_to_json,
)
from app.rules.core.action_cache import Known
from app.rules.core.chance import (
    bot_nonce,
    check_seed,
    commitment_of,
    deal_seed,
    is_nonce,
    is_seal,
    seal_of,
    seed_from,
)
from app.rules.core.engine import (
    RULES_VERSION,
    apply,
    default_action,
    legal,
    legal_for_all,
    new_game,
    play,
    seats_to_act,
)
from app.rules.core.errors import (
    BadAction,
    BadNotation,
    BadOptions,
    BadPosition,
    BadRecord,
    BadSeat,
    BadSeed,
    GameOver,
    Illegal,
    NotYourTurn,
    Reason,
    RuleError,
    reasons,
)
from app.rules.core.event import (
    Event,
    event_to_json,
    events_for,
    fold,
    insiders,
    is_undoable,
    sealed_events_for,
)
from app.rules.core.fields import SEAT_LETTERS
from app.rules.core.position import Position
from app.rules.formats.choices import choices, choices_json, known_action
from app.rules.formats.drawing import draw, draw_view, parse_drawing
from app.rules.formats.interchange import position_from_json
from app.rules.formats.notation import action_to_text, text_to_action
from app.rules.formats.record import Move, Record, VoidRound, record_from_json
from app.rules.formats.verifying import places, places_of_resigned, replay, spaces_reached, verify
from app.rules.formats.view import position_to_json, sealed_view, view
from app.rules.options import CONFLICTS, Options, options_to_json, parse_options

__all__ = [
    "CATALOGUE",
    "CONFLICTS",
    "PRESETS",
    "RULES_VERSION",
    "SEAT_LETTERS",
    "Action",
    "Advance",
    "BadAction",
    "BadNotation",
    "BadOptions",
    "BadPosition",
    "BadRecord",
    "BadSeat",
    "BadSeed",
    "Draw",
    "End",
    "Event",
    "GameOver",
    "Illegal",
    "Json",
    "Known",
    "Move",
    "NotYourTurn",
    "OptionSpec",
    "Options",
    "Position",
    "Reason",
    "Record",
    "Resign",
    "Retreat",
    "RuleError",
    "VoidRound",
    "action_from_json",
    "action_to_json",
    "action_to_text",
    "apply",
    "bot_nonce",
    "catalogue_to_json",
    "check_seed",
    "choices",
    "choices_json",
    "commitment_of",
    "deal_seed",
    "default_action",
    "draw",
    "draw_view",
    "event_to_json",
    "events_for",
    "fold",
    "insiders",
    "is_nonce",
    "is_seal",
    "is_undoable",
    "known_action",
    "legal",
    "legal_for_all",
    "new_game",
    "options_to_json",
    "parse_drawing",
    "parse_options",
    "places",
    "places_of_resigned",
    "play",
    "position_from_json",
    "position_to_json",
    "reasons",
    "record_from_json",
    "replay",
    "seal_of",
    "sealed_events_for",
    "sealed_view",
    "seats_to_act",
    "seed_from",
    "spaces_reached",
    "text_to_action",
    "verify",
    "view",
]
