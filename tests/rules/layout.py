"""One-line layouts of positions, for tests that lay out a position, play, and compare the resulting layout.

`start:rr skull dagger:b hat goal` is a route with three spaces; the letters after a place are the pirates there
(r b y g v for the seats 0 to 4). `sloop@tortuga:r` is the sloop with a red pirate aboard, `chest(snake)` a chest space
with its face-down token. Cards are given as words: `red="dagger key*"`.
"""

from __future__ import annotations

from typing import Any

from app import rules
from app.rules.core.cards import SYMBOL_SETS
from app.rules.core.position import CARTAGENA, Pending
from app.rules.core.ruleset import make_ruleset

LETTERS = "rbygv"
COLOURS = ("red", "blue", "yellow", "green", "violet")
SEED = "5eed" * 16


def seat_of(colour: str | int) -> int:
    return colour if isinstance(colour, int) else COLOURS.index(colour)


def lay_out(
    line: str,
    *,
    turn: str = "red",
    taken: int = 0,
    captain_used: bool = False,
    deck: str = "",
    row: str | None = None,
    discard: str = "",
    aside: str = "",
    forced_passes: int = 0,
    pending: Pending | None = None,
    resigned: str = "",
    seed: str = SEED,
    options: dict[str, Any] | None = None,
    **hands: str,
) -> rules.Position:
    """Return the position of a layout. Options not given come from the edition that the layout fits."""
    words = [_split(word) for word in line.split()]
    names = [name for name, _, _ in words]
    letters = "".join(pirates for _, _, pirates in words)
    players = max(2, 1 + max(LETTERS.index(letter) for letter in letters))
    spaces = tuple(name for name in names if name not in ("start", "sloop", "goal"))
    table = _options(players, spaces, names, row, options or {}, " ".join([deck, discard, *hands.values()]))
    position = rules.new_game(table, seed)
    ruleset = make_ruleset(table, spaces)
    assert [str(name) if isinstance(name, str) else spaces[name - 1] for name in ruleset.route.names] == names
    kinds = ruleset.kinds
    position.ruleset = ruleset

    def cards(text: str) -> list[int]:
        return [kinds.by_name[card] for card in text.split()]

    position.pirates = [
        [place for place, (_, _, standing) in enumerate(words) for one in standing if one == letter]
        for letter in LETTERS[:players]
    ]
    assert all(position.pirates), "Every seat needs at least one pirate in the layout."
    position.occupancy = bytearray(len(standing) for _, _, standing in words)
    position.hands = [bytearray(len(kinds.names)) for _ in range(players)]
    position.hand_sizes = [0] * players
    for colour, hand in hands.items():
        for kind in cards(hand):
            position.hands[seat_of(colour)][kind] += 1
            position.hand_sizes[seat_of(colour)] += 1
    position.deck = bytes(reversed(cards(deck)))
    position.row = bytes(cards(row or ""))
    position.discard = bytes(cards(discard))
    marks = {name: mark for name, mark, _ in words if name == "sloop"}
    position.sloop = (marks["sloop"] or CARTAGENA) if marks else None
    position.tokens = {place: mark for place, (name, mark, _) in enumerate(words) if mark and name == "chest"}
    position.tokens_aside = tuple(aside.split())
    position.resigned = tuple(colour in resigned.split() for colour in COLOURS[:players])
    position.turn_seat = seat_of(turn)
    position.actions_taken = taken
    position.captain_used = captain_used
    position.forced_passes = forced_passes
    position.pending = pending
    return position


def _split(word: str) -> tuple[str, str, str]:
    """Return the name of a place, its mark and the pirates there."""
    word, _, pirates = word.partition(":")
    name, _, mark = word.replace("@", "(").partition("(")
    return name, mark.rstrip(")"), pirates


def _options(
    players: int,
    spaces: tuple[str, ...],
    names: list[str],
    row: str | None,
    changed: dict[str, Any],
    cards: str,
) -> rules.Options:
    words = {card.rstrip("*") for card in cards.split()} | set(spaces)
    is_escape = not words <= set(SYMBOL_SETS["classic"]) or bool(changed.get("black_magic"))
    preset = "complete" if "sloop" in names else "dungeon" if is_escape else "jamaica"
    basis: dict[str, Any] = {"preset": preset, "players": players}
    if not is_escape:
        basis |= {"symbols": "classic"}
    else:
        basis |= {"board": "random"}
    if row is not None:
        basis |= {"supply": "row", "row_size": 3}
    if "*" in cards:
        basis |= {"scoundrels": True}
    return rules.parse_options(basis | changed)


def layout_of(position: rules.Position) -> str:
    """Return the layout of a position."""
    route = position.ruleset.route
    words = []
    for place, name in enumerate(route.names):
        word = name if isinstance(name, str) else route.symbols[name - 1]
        if name == "sloop":
            word += f"@{position.sloop}"
        if place in position.tokens:
            word += f"({position.tokens[place]})"
        here = "".join(LETTERS[seat] * places.count(place) for seat, places in enumerate(position.pirates))
        words.append(f"{word}:{here}" if here else word)
    return " ".join(words)


def hand(position: rules.Position, colour: str) -> str:
    return " ".join(position.hand_names(seat_of(colour)))


def deck(position: rules.Position) -> str:
    """Return the cards of the deck, top first."""
    return _words(position, bytes(reversed(position.deck)))


def row(position: rules.Position) -> str:
    return _words(position, bytes(position.row))


def discard(position: rules.Position) -> str:
    """Return the discards, oldest first."""
    return _words(position, bytes(position.discard))


def _words(position: rules.Position, cards: bytes) -> str:
    return " ".join(position.ruleset.kinds.names[kind] for kind in cards)


def play(position: rules.Position, *actions: rules.Action, by: str | None = None) -> rules.Position:
    """Return the position after the actions, each by the seat that has to act, or all by one seat."""
    return play_with_events(position, *actions, by=by)[0]


def play_with_events(
    position: rules.Position, *actions: rules.Action, by: str | None = None
) -> tuple[rules.Position, list[dict[str, Any]]]:
    """Like `play`, but also return the full JSON of all events."""
    events_json = []
    for action in actions:
        seat = rules.seats_to_act(position)[0] if by is None else seat_of(by)
        position, events = rules.apply(position, seat, action)
        events_json += [rules.event_to_json(event) for event in events]
    return position, events_json


def is_legal(position: rules.Position, action: rules.Action, by: str | None = None) -> bool:
    """Return whether the action is in the seat's legal list, and check that `apply` agrees."""
    seat = position.turn_seat if by is None else seat_of(by)
    is_listed = action in rules.legal(position, seat)
    try:
        rules.apply(position, seat, action)
    except rules.RuleError:
        assert not is_listed, f"{action} is listed but refused."
        return False
    assert is_listed, f"{action} is not listed but taken."
    return True


def refusal_code(position: rules.Position, action: rules.Action, by: str | None = None) -> str:
    """Return the error code of the refusal, or an empty text if the action is accepted."""
    try:
        rules.apply(position, position.turn_seat if by is None else seat_of(by), action)
    except rules.RuleError as refused:
        code, message = refused.code, refused.message
    else:
        return ""
    assert message.endswith("."), "A refusal is a sentence."
    return code


def legal_types(position: rules.Position) -> set[str]:
    """Return the types of the legal actions of the seat whose turn it is."""
    return {rules.action_to_json(action)["type"] for action in rules.legal(position, position.turn_seat)}
