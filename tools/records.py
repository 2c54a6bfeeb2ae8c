"""Convert a Record to JSON, for golden games and tests; a server builds it from its log."""

from __future__ import annotations

from app.rules import Json, Record, VoidRound, action_to_json, options_to_json
from app.rules.formats.record import FORMAT_BY_SCHEME

__all__ = ["record_to_json"]


def record_to_json(record: Record) -> Json:
    sealed: Json = {}
    if record.scheme == 2:
        rounds = [_void_round_to_json(voided) for voided in record.void_rounds]
        sealed = {"scheme": 2, "seals": list(record.seals), "void_rounds": rounds}
    elif record.scheme == 3:
        sealed = {"scheme": 3, "deal": record.deal}
    return {
        "format": FORMAT_BY_SCHEME[record.scheme],
        "rules_version": record.rules_version,
        "options": options_to_json(record.options),
        "commitment": record.commitment,
        "server_seed": record.server_seed,
        "nonces": list(record.nonces),
        **sealed,
        "players": [{"name": name, "bot": bot} for name, bot in record.players],
        "actions": [
            {
                "seat": move.seat,
                "action": action_to_json(move.action),
                "at": move.at,
                "by": move.by,
                "marks": list(move.marks),
            }
            for move in record.moves
        ],
        "result": {
            "winner": record.winner,
            "places": None if record.places is None else list(record.places),
            "reason": record.reason,
        },
    }


def _void_round_to_json(voided: VoidRound) -> Json:
    return {
        "seals": list(voided.seals),
        "nonces": list(voided.nonces),
        "missing": list(voided.missing),
    }
