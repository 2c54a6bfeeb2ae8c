"""Positions from outside: any valid one is taken, anything else is refused with a sentence.

Not checked: whether the position follows from its seed or can be reached at all.
"""

from __future__ import annotations

from app.rules.core import Json
from app.rules.core.cards import SYMBOLS, CardKinds
from app.rules.core.chance import check_seed
from app.rules.core.errors import BadOptions, BadPosition, BadSeed
from app.rules.core.movement import MOST_ABOARD
from app.rules.core.position import CARTAGENA, TORTUGA, Pending, Position
from app.rules.core.route import BOARD_LENGTH, Route
from app.rules.core.ruleset import DEBTS, MODULES, make_ruleset
from app.rules.formats.view import FORMAT
from app.rules.options import Options, parse_options

_FIELDS = frozenset(
    (
        *("format", "options", "seed", "board", "players", "deck", "row", "discard", "shuffles", "sloop"),
        *("turn", "forced_passes", "pending", "winner"),
    )
)
_PLAYER_FIELDS = frozenset(("hand", "pirates", "resigned"))
_TURN_FIELDS = frozenset(("seat", "taken", "captain_used"))
_OPTION_COUNT = 19
_MOST_ON_A_SPACE = 3


def position_from_json(value: object) -> Position:
    states = [module.state for module in MODULES if module.state is not None]
    fields = _object(value, _FIELDS.union(*(state.fields for state in states)), "A position")
    if fields["format"] != FORMAT:
        raise BadPosition(f'The format of a position is "{FORMAT}".')
    options = _options(fields["options"])
    try:
        seed = check_seed(fields["seed"])
    except BadSeed as wrong:
        raise BadPosition(wrong.message) from None
    ruleset = make_ruleset(options, _board(fields["board"], options))
    kinds = ruleset.kinds
    position = Position()
    position.ruleset = ruleset
    position.seed = seed
    _seat_players(position, fields["players"])
    position.deck = _cards(fields["deck"], kinds, "The deck")[::-1]
    position.row = _cards(fields["row"], kinds, "The row")
    if position.row and not ruleset.has_row:
        raise BadPosition("With the deck supply there is no row.")
    position.discard = _cards(fields["discard"], kinds, "The discards")
    position.shuffles = _count(fields["shuffles"], "The count of shuffles")
    position.sloop = _sloop(fields["sloop"], options)
    for state in states:
        state.from_json(position, fields)
    _take_turn(position, fields["turn"], fields["forced_passes"])
    winner = fields["winner"]
    position.winner = None if winner is None else _number(winner, 0, options.players - 1, "The winner")
    position.pending = _pending(fields["pending"], position)
    _check_cards(position)
    _check_end(position)
    return position


def _object(value: object, names: frozenset[str], what: str) -> Json:
    if not isinstance(value, dict):
        raise BadPosition(f"{what} is an object.")
    if value.keys() != names:
        missing = sorted(names - value.keys())
        if missing:
            raise BadPosition(f"{what} lacks the field {missing[0]}.")
        unknown = sorted(str(name) for name in value.keys() - names)
        raise BadPosition(f"{what} has no field {unknown[0][:40]!r}.")
    return value


def _number(value: object, low: int, high: int, what: str) -> int:
    if type(value) is not int or not low <= value <= high:
        raise BadPosition(f"{what} must be a whole number from {low} to {high}.")
    return value


def _count(value: object, what: str) -> int:
    if type(value) is not int or value < 0:
        raise BadPosition(f"{what} must be a whole number from 0 on.")
    return value


def _options(value: object) -> Options:
    try:
        options = parse_options(value)
    except BadOptions as wrong:
        raise BadPosition(wrong.message) from None
    if not isinstance(value, dict) or len(value) != _OPTION_COUNT:
        raise BadPosition("The options of a position must all be written out.")
    return options


def _board(value: object, options: Options) -> tuple[str, ...]:
    length = options.boards * BOARD_LENGTH
    if not isinstance(value, list) or len(value) != length:
        raise BadPosition(f"The board must be a list of {length} symbols: six for each of its boards.")
    symbols = SYMBOLS[options.symbols]
    for first in range(0, length, BOARD_LENGTH):
        part = value[first : first + BOARD_LENGTH]
        if not all(isinstance(name, str) for name in part) or sorted(part) != list(symbols):
            raise BadPosition(
                f"Spaces {first + 1} to {first + BOARD_LENGTH} must show each of {', '.join(symbols)} once."
            )
    return tuple(value)


def _cards(value: object, kinds: CardKinds, what: str) -> bytes:
    if not isinstance(value, list):
        raise BadPosition(f"{what} must be a list of cards.")
    numbers = kinds.numbers
    try:
        return bytes([numbers[card] for card in value])
    except (KeyError, TypeError):
        raise BadPosition(f"{what} must hold only cards of this game: {', '.join(kinds.names)}.") from None


def _seat_players(position: Position, value: object) -> None:
    options = position.options
    if not isinstance(value, list) or len(value) != options.players:
        raise BadPosition(f"The players must be a list of {options.players}.")
    route = position.ruleset.route
    kinds = position.ruleset.kinds
    position.pirates = []
    position.hands = []
    position.held = []
    position.crowd = bytearray(len(route.names))
    resigned = []
    for seat, entry in enumerate(value):
        player = _object(entry, _PLAYER_FIELDS, f"Player {seat}")
        if type(player["resigned"]) is not bool:
            raise BadPosition(f"Whether player {seat} has resigned must be true or false.")
        resigned.append(player["resigned"])
        cards = _cards(player["hand"], kinds, f"The hand of player {seat}")
        # Kinds are numbered in text order.
        if list(cards) != sorted(cards):
            raise BadPosition(f"The hand of player {seat} must be sorted as text.")
        if player["resigned"] and cards:
            raise BadPosition(f"Player {seat} has resigned and so holds no cards.")
        hand = bytearray(len(kinds.names))
        for kind in cards:
            if hand[kind] == 255:
                raise BadPosition("The cards are not exactly the full set.")
            hand[kind] += 1
        position.hands.append(hand)
        position.held.append(len(cards))
        places = _pirates(player["pirates"], options, route, seat)
        for place in places:
            position.crowd[place] += 1
        position.pirates.append(places)
    position.resigned = tuple(resigned)
    for place, count in enumerate(position.crowd):
        if count > _MOST_ON_A_SPACE and route.symbol[place] >= 0:
            raise BadPosition(f"No more than three pirates can stand on space {route.names[place]}.")


def _pirates(value: object, options: Options, route: Route, seat: int) -> list[int]:
    if not isinstance(value, list) or len(value) != options.pirates:
        raise BadPosition(f"Player {seat} must have a list of {options.pirates} pirates.")
    places = []
    for name in value:
        if type(name) not in (int, str) or name not in route.places:
            raise BadPosition(f"A pirate of player {seat} stands at a place that this route does not have.")
        places.append(route.places[name])
    if places != sorted(places):
        raise BadPosition(f"The pirates of player {seat} must stand in the order of the route.")
    if route.sloop >= 0 and places.count(route.sloop) > MOST_ABOARD:
        raise BadPosition(f"No more than three pirates of player {seat} can be aboard the sloop.")
    return places


def _sloop(value: object, options: Options) -> str | None:
    if not options.has_sloop:
        if value is not None:
            raise BadPosition("Only the complete scenario has a sloop; it must be null here.")
        return None
    if value not in (CARTAGENA, TORTUGA):
        raise BadPosition(f'The sloop lies at "{CARTAGENA}" or "{TORTUGA}".')
    return CARTAGENA if value == CARTAGENA else TORTUGA


def _pending(value: object, position: Position) -> Pending | None:
    """What is owed, read and checked against the rest of the table."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise BadPosition("What is pending must be null or an object.")
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in DEBTS:
        raise BadPosition(f"The kind of what is pending is one of {', '.join(DEBTS)}.")
    names = DEBTS[kind].fields
    if value.keys() != names:
        raise BadPosition(f"A pending {kind} has exactly the fields {', '.join(sorted(names))}.")
    return DEBTS[kind].from_json(value, position)


def _take_turn(position: Position, value: object, forced_passes: object) -> None:
    options = position.options
    turn = _object(value, _TURN_FIELDS, "The turn")
    position.seat = _number(turn["seat"], 0, options.players - 1, "The seat in turn")
    position.taken = _number(turn["taken"], 0, options.actions, "The number of actions taken")
    if type(turn["captain_used"]) is not bool:
        raise BadPosition("Whether the captain's sail is used must be true or false.")
    if turn["captain_used"] and not options.has_sloop:
        raise BadPosition("Only the complete scenario has a captain's sail; captain_used must be false here.")
    position.captain_used = turn["captain_used"]
    still_in = position.resigned.count(False)
    if not still_in:
        raise BadPosition("At least one seat must still be in.")
    position.forced_passes = _number(forced_passes, 0, still_in - 1, "The count of forced passes")


def _check_cards(position: Position) -> None:
    counts = [0] * len(position.ruleset.kinds.names)
    for hand in position.hands:
        for kind, count in enumerate(hand):
            counts[kind] += count
    pending = () if position.pending is None else position.pending.choice_cards
    for cards in (position.deck, position.row, position.discard, pending):
        for kind in cards:
            counts[kind] += 1
    if tuple(counts) != position.ruleset.kinds.copies:
        raise BadPosition("The cards in hands, deck, row, discards and pending are not exactly the full set.")


def _check_end(position: Position) -> None:
    goal = position.ruleset.route.goal
    home = [seat for seat in position.seats_in if position.pirates[seat][0] == goal]
    still_in = position.seats_in
    winners = still_in if len(still_in) == 1 else home
    if position.winner is None:
        if winners:
            raise BadPosition(f"Player {winners[0]} has won, so the winner cannot be null.")
        if position.resigned[position.seat]:
            raise BadPosition("A seat that has resigned cannot be in turn.")
        return
    if position.winner not in winners and position.winner not in home:
        raise BadPosition(f"Player {position.winner} has not won: not all its pirates are at the goal.")
    if position.pending is not None:
        raise BadPosition("When the game is won nothing is owed.")
    if position.resigned[position.seat] and len(still_in) > 1:
        raise BadPosition("A seat that has resigned cannot be in turn.")
