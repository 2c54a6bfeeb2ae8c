"""Validation of positions."""

from __future__ import annotations

from collections import Counter

from .options import SYMBOLS, check_options
from .refusal import Json, Refusal, is_number
from .route import is_place, order_on_route, route_end, seats_in, standing_on
from .setup import TOKENS, all_cards, chest_spaces

FIELDS = {
    "format", "options", "seed", "board", "players", "deck", "row", "discard", "shuffles", "sloop",
    "chests", "chests_aside", "chest_shuffles", "turn", "forced_passes", "pending", "winner",
}  # fmt: skip
PENDING_FIELDS = {
    "steal": {"kind", "seat", "from", "dark"},
    "share": {"kind", "seat", "cards", "dark"},
    "stack": {"kind", "seat", "cards", "dark"},
    "discard": {"kind", "owed"},
}


def refuse_if(wrong: bool, sentence: str) -> None:
    if wrong:
        raise Refusal("bad_position", sentence)


def is_texts(thing: object) -> bool:
    return isinstance(thing, list) and all(isinstance(item, str) for item in thing)


def is_count(thing: object) -> bool:
    return is_number(thing) and isinstance(thing, int) and thing >= 0


def check_position(position: object) -> None:
    refuse_if(not isinstance(position, dict), "a position is a JSON object")
    assert isinstance(position, dict)
    refuse_if(set(position) != FIELDS, "a field is missing or unknown")
    refuse_if(position["format"] != "cartagena/1", "the format is cartagena/1")
    refuse_if(not isinstance(position["options"], dict), "options are a JSON object")
    try:
        check_options(position["options"])
    except Refusal as refusal:
        raise Refusal("bad_position", refusal.message) from refusal
    seed = position["seed"]
    is_hex = isinstance(seed, str) and len(seed) == 64 and set(seed) <= set("0123456789abcdef")
    refuse_if(not is_hex, "the seed is 64 lower-case hex digits")
    for name in ("board", "deck", "row", "discard", "chests_aside"):
        refuse_if(not is_texts(position[name]), f"{name} is a list of words")
    for name in ("shuffles", "chest_shuffles", "forced_passes"):
        refuse_if(not is_count(position[name]), f"{name} is a number, 0 or more")
    check_board(position)
    check_players(position)
    check_turn(position)
    check_supply(position)
    check_tokens(position)
    check_winner(position)
    check_pending(position)
    check_cards(position)


def check_board(position: Json) -> None:
    board, options = position["board"], position["options"]
    refuse_if(len(board) != route_end(options), "the board has 6 spaces a board")
    for begin in range(0, len(board), 6):
        six = sorted(board[begin : begin + 6])
        refuse_if(six != SYMBOLS[options["symbols"]], "every board has each of the six symbols")


def check_players(position: Json) -> None:
    options, players = position["options"], position["players"]
    refuse_if(not isinstance(players, list), "players are a list")
    refuse_if(len(players) != options["players"], "there is one player a seat")
    for player in players:
        fits = isinstance(player, dict) and set(player) == {"hand", "pirates", "resigned"}
        refuse_if(not fits, "a player has hand, pirates and resigned")
        hand, pirates = player["hand"], player["pirates"]
        refuse_if(not is_texts(hand), "a hand is a list of cards")
        refuse_if(hand != sorted(hand), "hands are sorted")
        refuse_if(not isinstance(pirates, list), "pirates are a list")
        refuse_if(len(pirates) != options["pirates"], "every seat has its number of pirates")
        refuse_if(not all(is_place(options, place) for place in pirates), "there is no such place")
        by_route = sorted(pirates, key=lambda place: order_on_route(options, place))
        refuse_if(pirates != by_route, "pirates are in route order")
        refuse_if(pirates.count("sloop") > 3, "at most 3 of a colour are aboard")
        refuse_if(not isinstance(player["resigned"], bool), "resigned is true or false")
        refuse_if(player["resigned"] and bool(hand), "a resigned seat holds no cards")
    for space in range(1, route_end(options) + 1):
        refuse_if(standing_on(position, space) > 3, "at most 3 stand on a space")


def check_turn(position: Json) -> None:
    options, turn = position["options"], position["turn"]
    fits = isinstance(turn, dict) and set(turn) == {"seat", "taken", "captain_used"}
    refuse_if(not fits, "turn has seat, taken and captain_used")
    refuse_if(not is_seat(position, turn["seat"]), "there is no such seat")
    refuse_if(not is_count(turn["taken"]), "taken is a number")
    refuse_if(turn["taken"] > options["actions"], "taken is at most the number of actions")
    refuse_if(not isinstance(turn["captain_used"], bool), "captain_used is true or false")
    refuse_if(turn["captain_used"] and options["scenario"] != "complete", "no captain outside complete")
    left = len(seats_in(position))
    # After a win by resignation, the turn may still be with the resigned seat.
    won_by_resignation = left == 1 and position["winner"] is not None
    out_in_turn = position["players"][turn["seat"]]["resigned"]
    refuse_if(out_in_turn and not won_by_resignation, "a resigned seat is not in turn")
    refuse_if(position["forced_passes"] >= max(left, 1), "forced_passes is below the seats still in")


def is_seat(position: Json, seat: object) -> bool:
    return is_number(seat) and seat in range(len(position["players"]))


def check_supply(position: Json) -> None:
    options = position["options"]
    refuse_if(options["supply"] == "deck" and bool(position["row"]), "there is no row with a deck")
    sloop = position["sloop"]
    if options["scenario"] == "complete":
        at_an_end = isinstance(sloop, str) and sloop in ("cartagena", "tortuga")
        refuse_if(not at_an_end, "the sloop lies at cartagena or tortuga")
    else:
        refuse_if(sloop is not None, "there is no sloop outside complete")


def check_tokens(position: Json) -> None:
    chests, aside = position["chests"], position["chests_aside"]
    refuse_if(not isinstance(chests, dict), "chests are a JSON object")
    refuse_if(not all(isinstance(token, str) for token in chests.values()), "a token is a word")
    if not position["options"]["black_magic"]:
        refuse_if(bool(chests) or bool(aside), "there are no tokens without black magic")
        refuse_if(position["chest_shuffles"] > 0, "what is not there is not shuffled")
        return
    spaces = [str(space) for space in chest_spaces(position)]
    refuse_if(not set(chests) <= set(spaces), "tokens lie on chest spaces")
    tokens = Counter([*chests.values(), *aside])
    refuse_if(bool(tokens - Counter(TOKENS)), "there are no such tokens")
    # The snake is never among the opened tokens, because opening it lays all tokens anew.
    refuse_if("snake" not in tokens, "the snake is never out")
    # Tokens aside are never opened, so their number is constant.
    refuse_if(len(aside) != len(TOKENS) - len(spaces), "the number of tokens aside never changes")


def check_winner(position: Json) -> None:
    winner, left = position["winner"], seats_in(position)
    home = [seat for seat in left if all(place == "goal" for place in position["players"][seat]["pirates"])]
    if winner is None:
        refuse_if(bool(home) or len(left) < 2, "a seat has won, but the winner is null")
    else:
        refuse_if(not is_seat(position, winner), "there is no such seat")
        refuse_if(winner not in home and left != [winner], "the winner has not won")
        refuse_if(position["pending"] is not None, "nothing is owed when the game is over")


def check_pending(position: Json) -> None:
    pending, options = position["pending"], position["options"]
    if pending is None:
        return
    refuse_if(not isinstance(pending, dict), "pending is null or a JSON object")
    kind = pending.get("kind")
    known = isinstance(kind, str) and kind in PENDING_FIELDS and set(pending) == PENDING_FIELDS[kind]
    refuse_if(not known, "pending has no such fields")
    if kind == "discard":
        refuse_if(not options["scoundrels"], "discards are owed with scoundrels only")
        check_owed(position, pending["owed"])
        return
    refuse_if(not options["black_magic"], "there is no such choice without black magic")
    seat, left = pending["seat"], seats_in(position)
    refuse_if(not is_seat(position, seat), "there is no such seat")
    refuse_if(seat != position["turn"]["seat"], "the choice is the turn's seat's")
    refuse_if(not isinstance(pending["dark"], bool), "dark is true or false")
    refuse_if(pending["dark"] and not options["scoundrels"], "dark cards need scoundrels")
    if kind == "steal":
        victim = pending["from"]
        refuse_if(not is_seat(position, victim), "there is no such seat")
        refuse_if(victim == seat or victim not in left, "a steal is from another seat still in")
        refuse_if(not position["players"][victim]["hand"], "a steal needs a card to take")
        return
    cards = pending["cards"]
    refuse_if(not is_texts(cards), "cards are a list of cards")
    refuse_if(cards != sorted(cards), "pending cards are sorted")
    if kind == "stack":
        refuse_if(not 1 <= len(cards) <= 4, "a stack is of 1 to 4 cards")
    else:
        fits = len(left) + 1 <= len(cards) <= options["players"] + 1
        refuse_if(not fits, "a share has one card a seat and one more")


def check_owed(position: Json, owed: object) -> None:
    refuse_if(not isinstance(owed, dict) or not owed, "owed names the seats that owe")
    assert isinstance(owed, dict)
    for seat, number in owed.items():
        refuse_if(seat not in [str(left) for left in seats_in(position)], "only seats still in owe")
        refuse_if(not is_number(number) or number < 1, "a seat owes at least one card")
        too_many = len(position["players"][int(seat)]["hand"]) - 7
        refuse_if(number != too_many, "a seat owes what it holds above 7")


def check_cards(position: Json) -> None:
    cards = Counter([*position["deck"], *position["row"], *position["discard"]])
    for player in position["players"]:
        cards.update(player["hand"])
    if position["pending"] is not None:
        cards.update(position["pending"].get("cards", []))
    full = Counter(all_cards(position["options"]))
    refuse_if(cards != full, "the cards are not exactly the full set")
