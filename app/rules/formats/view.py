"""Views: what one audience may see, built up from nothing for it. And the full position, for the log."""

from __future__ import annotations

from app.rules.core import Json
from app.rules.core.position import Position
from app.rules.core.route import Place
from app.rules.options import options_to_json

FORMAT = "cartagena/1"


def position_to_json(position: Position) -> Json:
    """Everything, as docs/interchange.md writes it."""
    names = position.ruleset.kinds.names
    return {
        **_common(position, is_full=True),
        "seed": position.seed,
        "players": [
            {"hand": list(position.hand_names(seat)), "pirates": _places(position, seat), "resigned": is_out}
            for seat, is_out in enumerate(position.resigned)
        ],
        "deck": [names[kind] for kind in reversed(position.deck)],
        "pending": _pending(position, None, True),
    }


def view(position: Position, seat: int | None) -> Json:
    """What the seat sees, or a spectator (None). When the game is over nothing is hidden."""
    if position.winner is not None:
        return position_to_json(position)
    return sealed_view(position, seat)


def sealed_view(position: Position, seat: int | None) -> Json:
    """The same for a game that hides its cards after its end too: others play the same deal."""
    return {
        **_common(position, is_full=False),
        "seed": None,
        "players": [_player(position, other, seat) for other in range(len(position.pirates))],
        "deck": len(position.deck),
        "pending": _pending(position, seat, False),
    }


def _places(position: Position, seat: int) -> list[Place]:
    names = position.ruleset.route.names
    return [names[place] for place in position.pirates[seat]]


def _common(position: Position, is_full: bool) -> Json:
    """What everybody sees; what differs between audiences has its place here and is put in by the caller."""
    names = position.ruleset.kinds.names
    states: Json = {}
    for state in position.ruleset.states:
        states.update(state.to_json(position, is_full))
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
        **states,
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
    pending = position.pending
    is_seen = (
        position.options.hands == "open"
        or other == viewer
        or (pending is not None and pending.shows_hand(viewer, other))
    )
    return {
        "hand": list(position.hand_names(other)) if is_seen else None,
        "pirates": _places(position, other),
        "resigned": position.resigned[other],
        "cards": position.held[other],
    }


def _pending(position: Position, viewer: int | None, is_full: bool) -> Json | None:
    pending = position.pending
    return None if pending is None else pending.to_json(position.ruleset.kinds.names, viewer, is_full)
