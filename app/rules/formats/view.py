"""Views: what one audience may see, built up from nothing for it. And the full position, for the log."""

from __future__ import annotations

from typing import Any

from app.rules.core.pending import OwedDiscards, OwedShare, OwedStack, OwedSteal
from app.rules.core.position import Position
from app.rules.core.route import Place
from app.rules.options import options_to_json

__all__ = ["FORMAT", "position_to_json", "view"]

FORMAT = "cartagena/1"

Json = dict[str, Any]


def position_to_json(position: Position) -> Json:
    """Everything, as docs/interchange.md writes it."""
    names = position.ruleset.kinds.names
    return {
        **_common(position),
        "seed": position.seed,
        "players": [
            {"hand": list(position.hand_names(seat)), "pirates": _places(position, seat), "resigned": is_out}
            for seat, is_out in enumerate(position.resigned)
        ],
        "deck": [names[kind] for kind in reversed(position.deck)],
        "chests": {str(_name(position, place)): token for place, token in sorted(position.chests.items())},
        "chests_aside": list(position.chests_aside),
        "pending": _pending(position, None, True),
    }


def view(position: Position, seat: int | None) -> Json:
    """What the seat sees, or a spectator (None). When the game is over nothing is hidden."""
    if position.winner is not None:
        return position_to_json(position)
    return {
        **_common(position),
        "seed": None,
        "players": [_player(position, other, seat) for other in range(len(position.pirates))],
        "deck": len(position.deck),
        "chests": {str(_name(position, place)): None for place in sorted(position.chests)},
        "chests_aside": len(position.chests_aside),
        "pending": _pending(position, seat, False),
    }


def _name(position: Position, place: int) -> Place:
    return position.ruleset.route.names[place]


def _places(position: Position, seat: int) -> list[Place]:
    names = position.ruleset.route.names
    return [names[place] for place in position.pirates[seat]]


def _common(position: Position) -> Json:
    """What everybody sees."""
    names = position.ruleset.kinds.names
    return {
        "format": FORMAT,
        "options": options_to_json(position.options),
        "seed": None,
        "board": list(position.ruleset.route.symbols),
        "players": None,
        "deck": None,
        "row": [names[kind] for kind in position.row],
        "discard": [names[kind] for kind in position.discard],
        "shuffles": position.shuffles,
        "sloop": position.sloop,
        "chests": None,
        "chests_aside": None,
        "chest_shuffles": position.chest_shuffles,
        "turn": {
            "seat": position.seat,
            "taken": position.taken,
            "captain_used": position.captain_used,
        },
        "forced_passes": position.forced_passes,
        "pending": None,
        "winner": position.winner,
    }


def _player(position: Position, other: int, viewer: int | None) -> Json:
    steal = position.pending if isinstance(position.pending, OwedSteal) else None
    is_seen = (
        position.options.hands == "open"
        or other == viewer
        or (steal is not None and steal.seat == viewer and steal.victim == other)
    )
    return {
        "hand": list(position.hand_names(other)) if is_seen else None,
        "pirates": _places(position, other),
        "resigned": position.resigned[other],
        "cards": position.held[other],
    }


def _pending(position: Position, viewer: int | None, is_full: bool) -> Json | None:
    match position.pending:
        case None:
            return None
        case OwedSteal(seat, victim, dark):
            return {"kind": "steal", "seat": seat, "from": victim, "dark": dark}
        case OwedDiscards(owed):
            return {"kind": "discard", "owed": {str(seat): count for seat, count in owed}}
        case OwedShare(seat, cards, dark):
            return {
                "kind": "share",
                "seat": seat,
                **_offered(position, cards, is_full or seat == viewer),
                "dark": dark,
            }
        case OwedStack(seat, cards, dark):
            return {
                "kind": "stack",
                "seat": seat,
                **_offered(position, cards, is_full or seat == viewer),
                "dark": dark,
            }


def _offered(position: Position, cards: tuple[int, ...], is_seen: bool) -> Json:
    names = position.ruleset.kinds.names
    if is_seen:
        return {"cards": [names[kind] for kind in cards]}
    return {"cards": None, "count": len(cards)}
