"""Write tests/rules/vectors.json: language-independent test vectors for the shuffle of docs/interchange.md.

It deliberately shares no code with app/rules: it follows the text of the rules, so that a mistake in either
shows in the test that compares them.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "tests" / "rules" / "vectors.json"

CLASSIC = "bottle dagger hat key pistol skull".split()
ESCAPE = "chest hook lantern parrot pistol rum".split()
TOKENS = "1 1 2 2 3 3 empty snake".split()
PRINTED = {
    "A": "bottle pistol hat skull dagger key",
    "B": "dagger bottle key pistol hat skull",
    "C": "hat key pistol bottle skull dagger",
    "D": "key bottle skull dagger hat pistol",
    "E": "pistol key dagger hat skull bottle",
    "F": "hat dagger key bottle pistol skull",
}
# preset: symbols, copies, row, boards (0: printed), chests
EDITIONS: dict[str, tuple[list[str], int, int, int]] = {
    "jamaica": (CLASSIC, 17, 0, 0),
    "tortuga": (CLASSIC, 17, 12, 0),
    "hispaniola": (CLASSIC, 17, 12, 0),
    "first-escape": (CLASSIC, 18, 10, 0),
    "dungeon": (ESCAPE, 17, 0, 6),
    "jungle": (ESCAPE, 17, 0, 6),
    "complete": (ESCAPE, 17, 0, 6),
}


def block(seed: str, label: str, counter: int) -> list[int]:
    digest = sha256(f"{seed}|{label}|{counter}".encode()).hexdigest()
    return [int(digest[at : at + 16], 16) for at in (0, 16, 32, 48)]


def below(seed: str, label: str, bounds: list[int]) -> list[int]:
    """Return the numbers of one stream below these bounds, in order."""
    numbers = [number for counter in range(4 + len(bounds)) for number in block(seed, label, counter)]
    answers = []
    for bound in bounds:
        while numbers[0] >= 2**64 - 2**64 % bound:
            del numbers[0]
        answers.append(numbers.pop(0) % bound)
    return answers


def shuffle(seed: str, label: str, items: list[str]) -> list[str]:
    items = sorted(items)
    swaps = range(len(items) - 1, 0, -1)
    for i, j in zip(swaps, below(seed, label, [i + 1 for i in swaps]), strict=True):
        items[i], items[j] = items[j], items[i]
    return items


def set_up(preset: str, players: int, seed: str, magic: bool = False, dark: bool = False) -> dict[str, Any]:
    symbols, copies, row, boards = EDITIONS[preset]
    if boards:
        board = [name for n in range(1, boards + 1) for name in shuffle(seed, f"board:{n}", symbols)]
    else:
        turned = below(seed, "turned", [2] * 6)
        laid = [PRINTED[letter].split() for letter in shuffle(seed, "board", list(PRINTED))]
        board = [name for one, turn in zip(laid, turned, strict=True) for name in one[:: -1 if turn else 1]]
    cards = [name + "*" * (dark and copy < 2) for name in symbols for copy in range(copies)]
    deck = shuffle(seed, "deck:0", cards)
    hands = [sorted(deck[6 * seat : 6 * seat + 6]) for seat in range(players)]
    tokens = shuffle(seed, "chests:0", TOKENS) if magic else []
    spaces = [space for space, name in enumerate(board, 1) if name == "chest"] if magic else []
    return {
        "options": {"preset": preset, "players": players, "black_magic": magic, "scoundrels": dark},
        "seed": seed,
        "first": below(seed, "first", [players])[0],
        "board": board,
        "hands": hands,
        "row": deck[6 * players : 6 * players + row],
        "deck": deck[6 * players + row :],
        "chests": {str(space): token for space, token in zip(spaces, tokens, strict=False)},
        "chests_aside": tokens[len(spaces) :],
    }


def rejection(seed: str) -> dict[str, Any]:
    """Return a case in which the first number of the stream is rejected and the next is taken."""
    label = next(f"rejection:{n}" for n in range(99) if block(seed, f"rejection:{n}", 0)[0] > 2**63)
    # With a bound above 2^63, every number from the bound on is rejected.
    bound = block(seed, label, 0)[0]
    return {
        "seed": seed,
        "label": label,
        "bounds": [str(bound)],
        "answers": [str(below(seed, label, [bound])[0])],
        "rejects": True,
    }


def vectors() -> dict[str, Any]:
    seeds = ["0" * 64, "f" * 64, sha256(b"cartagena").hexdigest()]
    labels = ["first", "board", "turned", "board:1", "board:8", "deck:0", "deck:12", "chests:0"]
    servers = [sha256(f"server {n}".encode()).hexdigest() for n in range(3)]
    nonces = [sha256(f"nonce {n}".encode()).hexdigest()[:32] for n in range(5)]
    bounds = [1, 2, 3, 5, 6, 10, 102, 2**32, 2**63, 2**64]
    cases = [(n % 2 == 1, n % 3 == 1) for n in range(8)]
    return {
        "about": "Chance of Cartagena, rules version 1. Numbers beyond 53 bits are written as decimal texts.",
        "streams": [
            {
                "seed": seed,
                "label": label,
                "numbers": [str(number) for counter in range(2) for number in block(seed, label, counter)],
            }
            for seed in seeds
            for label in labels
        ],
        "below": [
            *(
                {
                    "seed": seed,
                    "label": "first",
                    "bounds": [str(bound) for bound in bounds],
                    "answers": [str(answer) for answer in below(seed, "first", bounds)],
                    "rejects": False,
                }
                for seed in seeds
            ),
            *(rejection(seed) for seed in seeds),
        ],
        "shuffles": [
            {"seed": seed, "label": label, "items": items, "shuffled": shuffle(seed, label, items)}
            for seed in seeds
            for label, items in (
                ("board", list("FEDCBA")),
                ("board:3", ESCAPE),
                ("deck:1", ["key*", "key", "hat", "hat", "key", "bottle", "skull*"]),
                ("deck:2", ["rum"]),
                ("deck:3", []),
                ("chests:1", TOKENS),
            )
        ],
        "seeds": [
            {
                "server_seed": server,
                "commitment": sha256(server.encode()).hexdigest(),
                "nonces": nonces[:players],
                "seed": sha256("|".join([server, *nonces[:players]]).encode()).hexdigest(),
                "seals": [
                    sha256(f"{sha256(server.encode()).hexdigest()}|{nonce}".encode()).hexdigest()
                    for nonce in nonces[:players]
                ],
                "bot_nonces": [
                    sha256(f"{server}|bot|{seat}".encode()).hexdigest()[:32] for seat in range(players)
                ],
            }
            for server, players in zip(servers, (2, 3, 5), strict=True)
        ],
        "set_ups": [
            set_up(
                preset,
                2 + number % 4,
                seeds[number % 3],
                magic and EDITIONS[preset][0] is ESCAPE,
                dark,
            )
            for number, (preset, (magic, dark)) in enumerate(
                (preset, case) for preset in EDITIONS for case in cases[:4]
            )
        ],
    }


if __name__ == "__main__":
    TARGET.write_text(json.dumps(vectors(), indent=1) + "\n", encoding="utf-8")
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes")
