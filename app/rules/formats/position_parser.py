"""Parser for positions from untrusted JSON. It does not check whether a position is reachable or fits its seed."""

from __future__ import annotations

from app.rules.core import Json
from app.rules.core.cards import SYMBOL_SETS, CardKinds
from app.rules.core.chance import check_seed
from app.rules.core.errors import BadOptions, BadPosition, BadSeed, Reason
from app.rules.core.movement import MAX_ABOARD
from app.rules.core.position import CARTAGENA, TORTUGA, Pending, Position
from app.rules.core.route import BOARD_LENGTH, Route
from app.rules.core.ruleset import MODULES, PENDING_TYPES, make_ruleset
from app.rules.formats.view import POSITION_FORMAT
from app.rules.options import Options, parse_options

_BASE_FIELDS = frozenset(
    (
        *("format", "options", "seed", "board", "players", "deck", "row", "discard", "shuffles", "sloop"),
        *("turn", "forced_passes", "pending", "winner"),
    )
)
_PLAYER_FIELDS = frozenset(("hand", "pirates", "resigned"))
_TURN_FIELDS = frozenset(("seat", "taken", "captain_used"))
_OPTION_COUNT = 19
_MAX_PIRATES_ON_SPACE = 3


class PositionReason(Reason):
    """Reasons for a person who sets up a position; the message of the error is for programs."""

    space_overfull = "There are more than three pirates on space {n}. Move some of them."
    sloop_overfull = "A player has more than three pirates aboard the sloop. Move some of them."
    position_won = "A player has all pirates at the goal, so this game is over. Move one of them back."


def position_from_json(value: object) -> Position:
    """Parse a position. Raise BadPosition if it is malformed or breaks a rule."""
    states = [module.state for module in MODULES if module.state is not None]
    fields = _parse_object(value, _BASE_FIELDS.union(*(state.json_fields for state in states)), "A position")
    if fields["format"] != POSITION_FORMAT:
        raise BadPosition(f'The format of a position is "{POSITION_FORMAT}".')
    options = _parse_options(fields["options"])
    try:
        seed = check_seed(fields["seed"])
    except BadSeed as wrong:
        raise BadPosition(wrong.message) from None
    ruleset = make_ruleset(options, _parse_board(fields["board"], options))
    kinds = ruleset.kinds
    position = Position()
    position.ruleset = ruleset
    position.seed = seed
    _parse_players(position, fields["players"])
    position.deck = _parse_cards(fields["deck"], kinds, "The deck")[::-1]
    position.row = _parse_cards(fields["row"], kinds, "The row")
    if position.row and not ruleset.has_row:
        raise BadPosition("With the deck supply there is no row.")
    position.discard = _parse_cards(fields["discard"], kinds, "The discards")
    position.shuffles = _parse_count(fields["shuffles"], "The count of shuffles")
    position.sloop = _parse_sloop(fields["sloop"], options)
    for state in states:
        state.from_json(position, fields)
    _parse_turn(position, fields["turn"], fields["forced_passes"])
    winner = fields["winner"]
    position.winner = None if winner is None else _parse_number(winner, 0, options.players - 1, "The winner")
    position.pending = _parse_pending(fields["pending"], position)
    _check_cards(position)
    _check_winner(position)
    return position


def _parse_object(value: object, names: frozenset[str], what: str) -> Json:
    if not isinstance(value, dict):
        raise BadPosition(f"{what} is an object.")
    if value.keys() != names:
        missing = sorted(names - value.keys())
        if missing:
            raise BadPosition(f"{what} lacks the field {missing[0]}.")
        unknown = sorted(str(name) for name in value.keys() - names)
        raise BadPosition(f"{what} has no field {unknown[0][:40]!r}.")
    return value


def _parse_number(value: object, low: int, high: int, what: str) -> int:
    if type(value) is not int or not low <= value <= high:
        raise BadPosition(f"{what} must be a whole number from {low} to {high}.")
    return value


def _parse_count(value: object, what: str) -> int:
    if type(value) is not int or value < 0:
        raise BadPosition(f"{what} must be a whole number of at least 0.")
    return value


def _parse_options(value: object) -> Options:
    try:
        options = parse_options(value)
    except BadOptions as wrong:
        raise BadPosition(wrong.message) from None
    if not isinstance(value, dict) or len(value) != _OPTION_COUNT:
        raise BadPosition("A position must contain all options.")
    return options


def _parse_board(value: object, options: Options) -> tuple[str, ...]:
    length = options.boards * BOARD_LENGTH
    if not isinstance(value, list) or len(value) != length:
        raise BadPosition(f"The board must be a list of {length} symbols: six for each of its boards.")
    symbols = SYMBOL_SETS[options.symbols]
    for first in range(0, length, BOARD_LENGTH):
        part = value[first : first + BOARD_LENGTH]
        if not all(isinstance(name, str) for name in part) or sorted(part) != list(symbols):
            raise BadPosition(
                f"Spaces {first + 1} to {first + BOARD_LENGTH} must show each of {', '.join(symbols)} once."
            )
    return tuple(value)


def _parse_cards(value: object, kinds: CardKinds, what: str) -> bytes:
    if not isinstance(value, list):
        raise BadPosition(f"{what} must be a list of cards.")
    numbers = kinds.by_name
    try:
        return bytes([numbers[card] for card in value])
    except (KeyError, TypeError):
        raise BadPosition(f"{what} must hold only cards of this game: {', '.join(kinds.names)}.") from None


def _parse_players(position: Position, value: object) -> None:
    options = position.options
    if not isinstance(value, list) or len(value) != options.players:
        raise BadPosition(f"The players must be a list of {options.players}.")
    route = position.ruleset.route
    kinds = position.ruleset.kinds
    position.pirates = []
    position.hands = []
    position.hand_sizes = []
    position.occupancy = bytearray(len(route.names))
    resigned = []
    for seat, entry in enumerate(value):
        player = _parse_object(entry, _PLAYER_FIELDS, f"Player {seat}")
        if type(player["resigned"]) is not bool:
            raise BadPosition(f"resigned of player {seat} must be true or false.")
        resigned.append(player["resigned"])
        cards = _parse_cards(player["hand"], kinds, f"The hand of player {seat}")
        # Kinds are numbered in text order.
        if list(cards) != sorted(cards):
            raise BadPosition(f"The hand of player {seat} must be sorted as text.")
        if player["resigned"] and cards:
            raise BadPosition(f"Player {seat} has resigned and must not hold cards.")
        hand = bytearray(len(kinds.names))
        for kind in cards:
            if hand[kind] == 255:
                raise BadPosition("The cards are not exactly the full set.")
            hand[kind] += 1
        position.hands.append(hand)
        position.hand_sizes.append(len(cards))
        places = _parse_pirates(player["pirates"], options, route, seat)
        for place in places:
            position.occupancy[place] += 1
        position.pirates.append(places)
    position.resigned = tuple(resigned)
    for place, count in enumerate(position.occupancy):
        if count > _MAX_PIRATES_ON_SPACE and route.symbol[place] >= 0:
            space = route.names[place]
            sentence = f"No more than three pirates can stand on space {space}."
            raise BadPosition(sentence, PositionReason.space_overfull, n=space)


def _parse_pirates(value: object, options: Options, route: Route, seat: int) -> list[int]:
    if not isinstance(value, list) or len(value) != options.pirates:
        raise BadPosition(f"Player {seat} must have a list of {options.pirates} pirates.")
    places = []
    for name in value:
        if type(name) not in (int, str) or name not in route.places:
            raise BadPosition(f"A pirate of player {seat} is at a place that this route does not have.")
        places.append(route.places[name])
    if places != sorted(places):
        raise BadPosition(f"The pirates of player {seat} must be in route order.")
    if route.sloop >= 0 and places.count(route.sloop) > MAX_ABOARD:
        sentence = f"No more than three pirates of player {seat} can be aboard the sloop."
        raise BadPosition(sentence, PositionReason.sloop_overfull)
    return places


def _parse_sloop(value: object, options: Options) -> str | None:
    if not options.has_sloop:
        if value is not None:
            raise BadPosition("Only the complete scenario has a sloop; it must be null here.")
        return None
    if value not in (CARTAGENA, TORTUGA):
        raise BadPosition(f'The sloop lies at "{CARTAGENA}" or "{TORTUGA}".')
    return CARTAGENA if value == CARTAGENA else TORTUGA


def _parse_pending(value: object, position: Position) -> Pending | None:
    """Parse the pending choice and check it against the rest of the position."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise BadPosition("pending must be null or an object.")
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in PENDING_TYPES:
        raise BadPosition(f"The kind of a pending choice must be one of {', '.join(PENDING_TYPES)}.")
    names = PENDING_TYPES[kind].json_fields
    if value.keys() != names:
        raise BadPosition(f"A pending {kind} must have exactly the fields {', '.join(sorted(names))}.")
    return PENDING_TYPES[kind].from_json(value, position)


def _parse_turn(position: Position, value: object, forced_passes: object) -> None:
    options = position.options
    turn = _parse_object(value, _TURN_FIELDS, "The turn")
    position.turn_seat = _parse_number(turn["seat"], 0, options.players - 1, "The seat in turn")
    position.actions_taken = _parse_number(turn["taken"], 0, options.actions, "The number of actions taken")
    if type(turn["captain_used"]) is not bool:
        raise BadPosition("captain_used must be true or false.")
    if turn["captain_used"] and not options.has_sloop:
        raise BadPosition("Only the complete scenario has a captain's sail; captain_used must be false here.")
    position.captain_used = turn["captain_used"]
    still_in = position.resigned.count(False)
    if not still_in:
        raise BadPosition("At least one seat must still be in.")
    position.forced_passes = _parse_number(forced_passes, 0, still_in - 1, "The count of forced passes")


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


def _check_winner(position: Position) -> None:
    goal = position.ruleset.route.goal
    at_goal = [seat for seat in position.active_seats if position.pirates[seat][0] == goal]
    still_in = position.active_seats
    winners = still_in if len(still_in) == 1 else at_goal
    if position.winner is None:
        if winners:
            sentence = f"Player {winners[0]} has won, so the winner cannot be null."
            raise BadPosition(sentence, PositionReason.position_won)
        if position.resigned[position.turn_seat]:
            raise BadPosition("It cannot be the turn of a seat that has resigned.")
        return
    if position.winner not in winners and position.winner not in at_goal:
        raise BadPosition(f"Player {position.winner} has not won: not all its pirates are at the goal.")
    if position.pending is not None:
        raise BadPosition("When the game is won, pending must be null.")
    if position.resigned[position.turn_seat] and len(still_in) > 1:
        raise BadPosition("It cannot be the turn of a seat that has resigned.")
