"""The rules of Cartagena in all editions: pure functions, seeded randomness, standard library only."""

from __future__ import annotations

import app.rules.modules  # noqa: F401  # registers the modules
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
from app.rules.core.action_cache import CachedAction
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
    apply_in_place,
    default_action,
    legal,
    legal_for_all,
    new_game,
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
    events_without_reveal,
    fold,
    is_undoable,
    privileged_seats,
)
from app.rules.core.fields import SEAT_LETTERS
from app.rules.core.position import Position
from app.rules.formats.choices import choices_json, find_cached_action
from app.rules.formats.diagram import position_from_diagram, position_to_diagram, view_to_diagram
from app.rules.formats.notation import action_from_text, action_to_text
from app.rules.formats.position_code import code_from_view, position_from_code, position_to_code
from app.rules.formats.position_parser import position_from_json
from app.rules.formats.record import Move, Record, VoidRound, record_from_json
from app.rules.formats.verification import (
    finishing_places,
    finishing_places_after_resignations,
    replay,
    spaces_reached,
    verify,
)
from app.rules.formats.view import open_view, position_to_json, view, view_without_reveal
from app.rules.modules.click_reasons import Click, explain_click
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
    "CachedAction",
    "Click",
    "Draw",
    "End",
    "Event",
    "GameOver",
    "Illegal",
    "Json",
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
    "action_from_text",
    "action_to_json",
    "action_to_text",
    "apply",
    "apply_in_place",
    "bot_nonce",
    "catalogue_to_json",
    "check_seed",
    "choices_json",
    "code_from_view",
    "commitment_of",
    "deal_seed",
    "default_action",
    "event_to_json",
    "events_for",
    "events_without_reveal",
    "explain_click",
    "find_cached_action",
    "finishing_places",
    "finishing_places_after_resignations",
    "fold",
    "is_nonce",
    "is_seal",
    "is_undoable",
    "legal",
    "legal_for_all",
    "new_game",
    "open_view",
    "options_to_json",
    "parse_options",
    "position_from_code",
    "position_from_diagram",
    "position_from_json",
    "position_to_code",
    "position_to_diagram",
    "position_to_json",
    "privileged_seats",
    "reasons",
    "record_from_json",
    "replay",
    "seal_of",
    "seats_to_act",
    "seed_from",
    "spaces_reached",
    "verify",
    "view",
    "view_to_diagram",
    "view_without_reveal",
]
