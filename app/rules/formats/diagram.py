"""Diagrams: a position as readable text, which parses back to the same position. Views have diagrams too.

cartagena/1
options preset=complete players=2
seed 0f3c…
start rrrrr bbbb
  1- 6 hook:r rum chest parrot:bb pistol …
  …
sloop cartagena
 19-24 …
goal
hand r hook parrot rum*
hand b ?5                      (in red's view: five unseen cards)
deck rum rum chest …           (top first)
turn r taken=1 captain_used=no
"""

from __future__ import annotations

from collections.abc import Iterator

from app.rules.catalogue import CATALOGUE, PRESETS
from app.rules.core import Json
from app.rules.core.errors import BadNotation
from app.rules.core.fields import SEAT_LETTERS
from app.rules.core.position import Position
from app.rules.core.route import BOARD_LENGTH, GOAL, SLOOP, START
from app.rules.formats.position_parser import position_from_json
from app.rules.formats.view import POSITION_FORMAT, position_to_json
from app.rules.options import options_to_json, parse_options


def position_to_diagram(position: Position) -> str:
    """Return the diagram of a position."""
    return view_to_diagram(position_to_json(position))


def view_to_diagram(view: Json) -> str:
    """Return the diagram of a view, or of a position as JSON. Unseen cards are written as `?` and their number."""
    return "\n".join(line.rstrip() for line in _diagram_lines(view)) + "\n"


def _diagram_lines(view: Json) -> Iterator[str]:
    yield POSITION_FORMAT
    yield "options " + " ".join(_changed_options(view["options"]))
    yield f"seed {view['seed'] or '?'}"
    yield from _route_lines(view)
    for seat, player in enumerate(view["players"]):
        hand = player["hand"]
        yield f"hand {SEAT_LETTERS[seat]} " + _format_cards(player["cards"] if hand is None else hand)
    yield "deck " + _format_cards(view["deck"])
    if view["options"]["supply"] == "row":
        yield "row " + _format_cards(view["row"])
    yield "discard " + _format_cards(view["discard"])
    if view["options"]["black_magic"]:
        yield "chests " + " ".join(f"{space}={token or '?'}" for space, token in view["chests"].items())
        yield "aside " + _format_cards(view["chests_aside"])
    counts = ("shuffles", "chest_shuffles", "forced_passes")
    yield "counts " + " ".join(f"{name}={view[name]}" for name in counts)
    resigned = [SEAT_LETTERS[seat] for seat, player in enumerate(view["players"]) if player["resigned"]]
    if resigned:
        yield "resigned " + " ".join(resigned)
    turn = view["turn"]
    yield f"turn {SEAT_LETTERS[turn['seat']]} taken={turn['taken']} captain_used={_format_flag(turn['captain_used'])}"
    if view["pending"] is not None:
        yield "owed " + _format_pending(view["pending"])
    if view["winner"] is not None:
        yield f"winner {SEAT_LETTERS[view['winner']]}"


def _changed_options(options: Json) -> Iterator[str]:
    values = PRESETS[options["preset"]].values
    for spec in CATALOGUE:
        value = options[spec.name]
        if values.get(spec.name) != value or spec.name in ("preset", "players"):
            yield f"{spec.name}={_format_flag(value) if isinstance(value, bool) else value}"


def _format_flag(flag: bool) -> str:
    return "yes" if flag else "no"


def _format_cards(cards: list[str] | int) -> str:
    return f"?{cards}" if isinstance(cards, int) else " ".join(cards)


def _route_lines(view: Json) -> Iterator[str]:
    letters_at: dict[int | str, list[str]] = {}
    for seat, player in enumerate(view["players"]):
        for place in player["pirates"]:
            letters_at.setdefault(place, []).append(SEAT_LETTERS[seat])

    def format_pirates(place: int | str) -> str:
        letters = "".join(letters_at.get(place, ()))
        return " ".join(letter * letters.count(letter) for letter in SEAT_LETTERS if letter in letters)

    yield f"start {format_pirates(START)}"
    board = view["board"]
    for first in range(0, len(board), BOARD_LENGTH):
        if view["sloop"] and first == view["options"]["passage_boards"] * BOARD_LENGTH:
            yield f"sloop {view['sloop']} {format_pirates(SLOOP)}"
        spaces = []
        for number in range(first + 1, first + BOARD_LENGTH + 1):
            letters = "".join(letters_at.get(number, ()))
            spaces.append(board[number - 1] + (f":{letters}" if letters else ""))
        yield f"{first + 1:3}-{first + BOARD_LENGTH:<2} " + " ".join(spaces)
    yield f"goal {format_pirates(GOAL)}"


def _format_pending(pending: Json) -> str:
    match pending["kind"]:
        case "discard":
            owed = " ".join(f"{SEAT_LETTERS[int(seat)]}={count}" for seat, count in pending["owed"].items())
            return f"discard {owed}"
        case "steal":
            seat, victim = SEAT_LETTERS[pending["seat"]], SEAT_LETTERS[pending["from"]]
            return f"steal {seat} dark={_format_flag(pending['dark'])} {victim}"
        case kind:
            cards = pending["count"] if pending["cards"] is None else pending["cards"]
            return f"{kind} {SEAT_LETTERS[pending['seat']]} dark={_format_flag(pending['dark'])} {_format_cards(cards)}"


def position_from_diagram(text: str) -> Position:
    """Parse the diagram of a position. Raise BadNotation if it is malformed or hides cards.

    Raise BadOptions or BadPosition if the diagram is well-formed but its options or its position are invalid.
    """
    try:
        return position_from_json(_parse(text))
    except (KeyError, IndexError, ValueError) as error:
        raise BadNotation(f"The diagram cannot be parsed: {error!r}.") from None


def _parse(text: str) -> Json:
    words = [line.split() for line in text.splitlines() if line.strip()]
    if not words or words[0] != [POSITION_FORMAT]:
        raise BadNotation(f"A diagram starts with the line {POSITION_FORMAT}.")
    lines: dict[str, list[str]] = {}
    hands: dict[int, list[str]] = {}
    board: list[str] = []
    pirates: list[tuple[int, int | str]] = []
    for key, *rest in words[1:]:
        if key == "hand":
            hands[SEAT_LETTERS.index(rest[0])] = rest[1:]
        elif key[0].isdigit():
            # "  1- 6" contains a space, so its second number may be the first word here.
            for word in rest:
                name, _, letters = word.partition(":")
                if not name[0].isdigit():
                    board.append(name)
                    pirates += [(SEAT_LETTERS.index(letter), len(board)) for letter in letters]
        elif key in (START, SLOOP, GOAL):
            letters = "".join(rest[1:] if key == SLOOP else rest)
            pirates += [(SEAT_LETTERS.index(letter), key) for letter in letters]
            lines[key] = rest
        else:
            lines[key] = rest
    options = parse_options(dict(_parse_option(word) for word in lines["options"]))
    resigned = [SEAT_LETTERS.index(letter) for letter in lines.get("resigned", ())]
    turn_seat, *turn = lines["turn"]
    turn_fields = dict(word.split("=") for word in turn)
    counts = dict(word.split("=") for word in lines["counts"])
    return {
        "format": POSITION_FORMAT,
        "options": options_to_json(options),
        "seed": lines["seed"][0],
        "board": board,
        "players": [
            {
                "hand": hands[seat],
                "pirates": [place for owner, place in pirates if owner == seat],
                "resigned": seat in resigned,
            }
            for seat in range(options.players)
        ],
        "deck": lines["deck"],
        "row": lines.get("row", []),
        "discard": lines["discard"],
        "shuffles": int(counts["shuffles"]),
        "sloop": lines[SLOOP][0] if SLOOP in lines else None,
        "chests": dict(word.split("=") for word in lines.get("chests", ())),
        "chests_aside": lines.get("aside", []),
        "chest_shuffles": int(counts["chest_shuffles"]),
        "turn": {
            "seat": SEAT_LETTERS.index(turn_seat),
            "taken": int(turn_fields["taken"]),
            "captain_used": turn_fields["captain_used"] == "yes",
        },
        "forced_passes": int(counts["forced_passes"]),
        "pending": _parse_pending(lines["owed"]) if "owed" in lines else None,
        "winner": SEAT_LETTERS.index(lines["winner"][0]) if "winner" in lines else None,
    }


def _parse_option(word: str) -> tuple[str, str | int | bool]:
    name, _, value = word.partition("=")
    if value in ("yes", "no"):
        return name, value == "yes"
    return name, int(value) if value.isascii() and value.isdigit() else value


def _parse_pending(words: list[str]) -> Json:
    kind, *rest = words
    if kind == "discard":
        pairs = (word.split("=") for word in rest)
        return {"kind": kind, "owed": {str(SEAT_LETTERS.index(seat)): int(count) for seat, count in pairs}}
    seat, dark, *cards = rest
    pending: Json = {"kind": kind, "seat": SEAT_LETTERS.index(seat), "dark": dark == "dark=yes"}
    return pending | ({"from": SEAT_LETTERS.index(cards[0])} if kind == "steal" else {"cards": cards})
