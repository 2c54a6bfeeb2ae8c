"""Presets, options and refused combinations."""

from __future__ import annotations

from .refusal import Json, Refusal, is_number

SYMBOLS = {
    "classic": ["bottle", "dagger", "hat", "key", "pistol", "skull"],
    "escape": ["chest", "hook", "lantern", "parrot", "pistol", "rum"],
}

BASE: Json = {
    "symbols": "classic", "hands": "hidden", "supply": "deck", "row_size": 12, "copies": 17,
    "scenario": "passage", "passage_boards": 6, "jungle_boards": 0, "board": "printed",
    "pirates": 6, "actions": 3, "min_actions": 1, "relief": "none", "card_gain": "retreat",
    "scoundrels": False, "black_magic": False, "first": "random",
}  # fmt: skip
ESCAPE: Json = {"symbols": "escape", "board": "random", "relief": "rest"}

PRESETS: dict[str, Json] = {
    "jamaica": BASE,
    "tortuga": {**BASE, "hands": "open", "supply": "row"},
    "hispaniola": {**BASE, "supply": "row", "min_actions": 0},
    "first-escape": {
        **BASE, "supply": "row", "row_size": 10, "copies": 18, "min_actions": 0, "relief": "start",
    },
    "dungeon": {**BASE, **ESCAPE},
    "jungle": {**BASE, **ESCAPE, "scenario": "jungle", "passage_boards": 0, "jungle_boards": 6},
    "complete": {**BASE, **ESCAPE, "scenario": "complete", "passage_boards": 3, "jungle_boards": 3},
}  # fmt: skip

WORDS = {
    "preset": list(PRESETS),
    "symbols": ["classic", "escape"],
    "hands": ["hidden", "open"],
    "supply": ["deck", "row"],
    "scenario": ["passage", "jungle", "complete"],
    "board": ["printed", "random"],
    "relief": ["none", "start", "rest"],
    "card_gain": ["retreat", "morgan", "both", "split"],
}
RANGES = {
    "players": (2, 5),
    "row_size": (1, 20),
    "copies": (10, 30),
    "passage_boards": (0, 8),
    "jungle_boards": (0, 8),
    "pirates": (4, 8),
    "actions": (1, 5),
}
ALL_OPTIONS = {"preset", "players", *BASE}


def full_options(given: object) -> Json:
    """Return the given options, completed from the preset and checked."""
    if not isinstance(given, dict):
        raise Refusal("bad_options", "options are a JSON object")
    for name in ("preset", "players"):
        if name not in given:
            raise Refusal("bad_options", f"{name} must be given")
    preset = given["preset"]
    if not isinstance(preset, str) or preset not in PRESETS:
        raise Refusal("bad_options", "there is no such preset")
    options = {**PRESETS[preset], **given}
    check_options(options)
    return options


def check_options(options: Json) -> None:
    """Refuse options that are not complete, valid and consistent."""

    def refuse_if(wrong: bool, sentence: str) -> None:
        if wrong:
            raise Refusal("bad_options", sentence)

    refuse_if(set(options) != ALL_OPTIONS, "an option is missing or unknown")
    for name, words in WORDS.items():
        value = options[name]
        refuse_if(not isinstance(value, str) or value not in words, f"{name} is one of {words}")
    for name, (low, high) in RANGES.items():
        value = options[name]
        refuse_if(not is_number(value) or not low <= value <= high, f"{name} is {low} to {high}")
    for name in ("scoundrels", "black_magic"):
        refuse_if(not isinstance(options[name], bool), f"{name} is true or false")

    least = options["min_actions"]
    refuse_if(
        not is_number(least) or not 0 <= least <= options["actions"],
        "min_actions is 0 to the number of actions",
    )
    first = options["first"]
    refuse_if(
        first != "random" and not (is_number(first) and 0 <= first < options["players"]),
        "first is random or a seat",
    )

    passage, jungle = options["passage_boards"], options["jungle_boards"]
    if options["scenario"] == "passage":
        refuse_if(not 4 <= passage <= 8 or jungle != 0, "passage: 4 to 8 passage boards, no jungle")
    if options["scenario"] == "jungle":
        refuse_if(not 4 <= jungle <= 8 or passage != 0, "jungle: 4 to 8 jungle boards, no passage")
    if options["scenario"] == "complete":
        refuse_if(
            not 3 <= passage <= 5 or not 3 <= jungle <= 5 or passage + jungle > 8,
            "complete: 3 to 5 boards of each side, at most 8",
        )
        refuse_if(options["relief"] == "none", "complete needs relief rest or start")
    if options["board"] == "printed":
        refuse_if(options["symbols"] != "classic", "printed boards need the classic symbols")
        refuse_if(passage + jungle != 6, "printed boards are exactly six")
    if options["card_gain"] == "split":
        refuse_if(options["scenario"] != "complete", "split needs the complete scenario")
    if options["black_magic"]:
        refuse_if(options["symbols"] != "escape", "black magic needs the escape symbols")
        refuse_if(options["supply"] != "deck", "black magic needs the deck supply")
