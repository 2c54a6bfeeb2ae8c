"""Views: what one audience may see, built from nothing for that audience. Also the full position, for the log."""

from __future__ import annotations

from app.rules.core import Json
from app.rules.core.position import Position
from app.rules.core.route import Place
from app.rules.options import options_to_json

POSITION_FORMAT = "cartagena/1"


def position_to_json(position: Position) -> Json:
    """Return the full position as JSON (docs/interchange.md)."""
    names = position.ruleset.kinds.names
    return {
        **_public_json(position, is_full=True),
        "seed": position.seed,
        "players": [
            {
                "hand": list(position.hand_names(seat)),
                "pirates": _pirate_places(position, seat),
                "resigned": is_out,
            }
            for seat, is_out in enumerate(position.resigned)
        ],
        "deck": [names[kind] for kind in reversed(position.deck)],
        "pending": _pending_json(position, None, True),
    }


def view(position: Position, seat: int | None) -> Json:
    """Return the view of a seat, or of spectators (None). When the game is over, it is the full position."""
    if position.winner is not None:
        return position_to_json(position)
    return view_without_reveal(position, seat)


def open_view(position: Position) -> Json:
    """Return a view that shows every hand, but neither the deck nor the face-down chest tokens of a running game."""
    public = view(position, None)
    full = position_to_json(position)
    for player, known in zip(public["players"], full["players"], strict=True):
        player["hand"] = known["hand"]
        player["cards"] = len(known["hand"])
    # With hidden hands, folding events would hide a hand again after a theft.
    public["options"] = {**public["options"], "hands": "open"}
    return public


def view_without_reveal(position: Position, seat: int | None) -> Json:
    """Like `view`, but hides cards even when the game is over, because other people still play the same deal."""
    return {
        **_public_json(position, is_full=False),
        "seed": None,
        "players": [_player_json(position, other, seat) for other in range(len(position.pirates))],
        "deck": len(position.deck),
        "pending": _pending_json(position, seat, False),
    }


def _pirate_places(position: Position, seat: int) -> list[Place]:
    names = position.ruleset.route.names
    return [names[place] for place in position.pirates[seat]]


def _public_json(position: Position, is_full: bool) -> Json:
    """Return the public fields. Fields that depend on the audience are null here, to fix their order."""
    names = position.ruleset.kinds.names
    states: Json = {}
    for state in position.ruleset.states:
        states.update(state.to_json(position, is_full))
    return {
        "format": POSITION_FORMAT,
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
            "seat": position.turn_seat,
            "taken": position.actions_taken,
            "captain_used": position.captain_used,
        },
        "forced_passes": position.forced_passes,
        "pending": None,
        "winner": position.winner,
    }


def _player_json(position: Position, other: int, viewer: int | None) -> Json:
    pending = position.pending
    is_seen = (
        position.options.hands == "open"
        or other == viewer
        or (pending is not None and pending.reveals_hand(viewer, other))
    )
    return {
        "hand": list(position.hand_names(other)) if is_seen else None,
        "pirates": _pirate_places(position, other),
        "resigned": position.resigned[other],
        "cards": position.hand_sizes[other],
    }


def _pending_json(position: Position, viewer: int | None, is_full: bool) -> Json | None:
    pending = position.pending
    return None if pending is None else pending.to_json(position.ruleset.kinds.names, viewer, is_full)
