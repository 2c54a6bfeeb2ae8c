"""Set-up of a game: board, deck, hands, row, tokens, first seat."""

from __future__ import annotations

from .chance import below, check_seed, shuffle, stream
from .options import SYMBOLS, full_options
from .refusal import Json
from .supply import lay_row

PRINTED = {
    "A": "bottle pistol hat skull dagger key",
    "B": "dagger bottle key pistol hat skull",
    "C": "hat key pistol bottle skull dagger",
    "D": "key bottle skull dagger hat pistol",
    "E": "pistol key dagger hat skull bottle",
    "F": "hat dagger key bottle pistol skull",
}
TOKENS = ["1", "1", "2", "2", "3", "3", "empty", "snake"]


def all_cards(options: Json) -> list[str]:
    cards = []
    for symbol in SYMBOLS[options["symbols"]]:
        dark = 2 if options["scoundrels"] else 0
        cards += [symbol] * (options["copies"] - dark) + [symbol + "*"] * dark
    return cards


def new(given: object, seed: object) -> Json:
    options = full_options(given)
    check_seed(seed)
    assert isinstance(seed, str)
    first = options["first"]
    if first == "random":
        first = below(stream(seed, "first"), options["players"])

    position: Json = {
        "format": "cartagena/1",
        "options": options,
        "seed": seed,
        "board": make_board(options, seed),
        "players": [],
        "deck": shuffle(seed, "deck:0", all_cards(options)),
        "row": [],
        "discard": [],
        "shuffles": 0,
        "sloop": "cartagena" if options["scenario"] == "complete" else None,
        "chests": {},
        "chests_aside": [],
        "chest_shuffles": 0,
        "turn": {"seat": first, "taken": 0, "captain_used": False},
        "forced_passes": 0,
        "pending": None,
        "winner": None,
    }
    for _ in range(options["players"]):
        hand = sorted(position["deck"][:6])
        position["deck"] = position["deck"][6:]
        pirates = ["start"] * options["pirates"]
        position["players"].append({"hand": hand, "pirates": pirates, "resigned": False})
    if options["supply"] == "row":
        lay_row(position)
    if options["black_magic"]:
        lay_chests(position)
    return position


def make_board(options: Json, seed: str) -> list[str]:
    boards: list[list[str]] = []
    if options["board"] == "printed":
        numbers = stream(seed, "turned")
        for letter in shuffle(seed, "board", list(PRINTED)):
            board = PRINTED[letter].split()
            if below(numbers, 2) == 1:
                board.reverse()
            boards.append(board)
    else:
        for number in range(1, options["passage_boards"] + options["jungle_boards"] + 1):
            boards.append(shuffle(seed, f"board:{number}", SYMBOLS[options["symbols"]]))
    return [symbol for board in boards for symbol in board]


def chest_spaces(position: Json) -> list[int]:
    return [n for n, symbol in enumerate(position["board"], start=1) if symbol == "chest"]


def lay_chests(position: Json) -> None:
    tokens = shuffle(position["seed"], f"chests:{position['chest_shuffles']}", TOKENS)
    spaces = chest_spaces(position)
    position["chests"] = {str(space): token for space, token in zip(spaces, tokens, strict=False)}
    position["chests_aside"] = tokens[len(spaces) :]
