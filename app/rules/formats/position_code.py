"""Position codes: a position as a short text for links, with all hands face up and the deck's order left out.

A code holds what is known once a game is over but for the order of the deck and of the face-down chest tokens, which
`position_from_code` shuffles by a seed made of the code itself. So a code always gives the same position.
docs/interchange.md describes the format.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

from app.rules.catalogue import PRESETS
from app.rules.core import Json
from app.rules.core.cards import SYMBOL_SETS
from app.rules.core.chance import shuffle
from app.rules.core.engine import new_game
from app.rules.core.errors import BadOptions, BadPosition
from app.rules.core.position import CARTAGENA, TORTUGA, Position, Ruleset
from app.rules.core.route import Place
from app.rules.formats.position_parser import position_from_json
from app.rules.formats.view import POSITION_FORMAT, position_to_json
from app.rules.modules.black_magic.chest_tokens import CHEST_TOKENS
from app.rules.options import Options, options_to_json, parse_options

__all__ = ["MAX_CODE_CHARS", "code_from_view", "position_from_code", "position_to_code"]

MAX_CODE_CHARS = 1_000
_VERSION = "1"
_PLACE_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CARD_LETTERS = "abcdefghijkl"
_TOKEN_LETTERS = {"1": "1", "2": "2", "3": "3", "e": "empty", "s": "snake"}
_LETTER_BY_TOKEN = {token: letter for letter, token in _TOKEN_LETTERS.items()}
_RESIGNED = "0"
_SLOOPS = {"": None, "c": CARTAGENA, "t": TORTUGA}
_LETTER_BY_SLOOP = {haven: letter for letter, haven in _SLOOPS.items()}
_MAX_TOKENS_ASIDE = 8
_CODE = re.compile(
    r"1~(?P<options>[a-z0-9_.-]{1,400})~(?P<board>[0-5]{1,48})~(?P<players>[A-Za-z0-9.]{1,500})"
    r"~(?P<row>[a-l]{0,20})~(?P<discard>[a-l0-9]{0,60})"
    r"~(?P<seat>[0-4])(?P<taken>[0-5])(?P<passes>[0-4])(?P<sloop>[ct]?)(?P<captain>u?)"
    r"~(?P<chests>[A-Za-z]{0,8})(?:\.(?P<tokens>[123es]{1,8}))?"
)
_CARDS = re.compile(r"([a-l])([1-9][0-9]{0,2})?")


def position_to_code(position: Position) -> str | None:
    """Return the code of a position; None if it has none, because a choice is pending or the game is over."""
    if position.pending is not None or position.winner is not None:
        return None
    return _encode(position_to_json(position), position.ruleset)


def code_from_view(view: Json) -> str:
    """Return the code of a view that shows every hand. Raise BadPosition if it does not, or is malformed."""
    try:
        code = _encode(view, _ruleset_of(parse_options(view["options"])))
    except BadOptions as problem:
        raise BadPosition(problem.message) from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise BadPosition("A position to analyse is a view of docs/interchange.md with all hands.") from None
    position_from_code(code)
    return code


@lru_cache(maxsize=64)
def _ruleset_of(options: Options) -> Ruleset:
    """Return a ruleset with the cards and places of these options, on any boards."""
    return new_game(options, "0" * 64).ruleset


def _encode(view: Json, ruleset: Ruleset) -> str:
    options, kinds, places = ruleset.options, ruleset.kinds.names, ruleset.route.names
    symbols = SYMBOL_SETS[options.symbols]
    if view.get("pending") is not None or view.get("winner") is not None:
        raise BadPosition("A position to analyse has no pending choice and no winner.")
    players = []
    for player in view["players"]:
        if player["hand"] is None:
            raise BadPosition("A position to analyse shows every hand.")
        spots = "".join(_PLACE_LETTERS[spot] for spot in sorted(map(places.index, player["pirates"])))
        hand = _RESIGNED if player["resigned"] else _encode_cards(player["hand"], kinds)
        players.append(spots + hand)
    turn = view["turn"]
    sloop = _LETTER_BY_SLOOP[view["sloop"]]
    spaces = sorted(int(space) for space in view["chests"])
    chests = "".join(_PLACE_LETTERS[places.index(space)] for space in spaces)
    tokens = _tokens_of(view)
    return "~".join(
        (
            _VERSION,
            _encode_options(options),
            "".join(str(symbols.index(symbol)) for symbol in view["board"]),
            ".".join(players),
            "".join(_CARD_LETTERS[kinds.index(card)] for card in view["row"]),
            _encode_cards(view["discard"], kinds),
            f"{turn['seat']}{turn['taken']}{view['forced_passes']}{sloop}{'u' * bool(turn['captain_used'])}",
            chests + ("." + "".join(sorted(_LETTER_BY_TOKEN[token] for token in tokens)) if tokens else ""),
        )
    )


def position_from_code(code: object) -> Position:
    """Parse a code. Raise BadPosition if it is malformed or its position breaks a rule."""
    found = _CODE.fullmatch(code) if isinstance(code, str) and len(code) <= MAX_CODE_CHARS else None
    if found is None:
        raise BadPosition("This is not the code of a position.")
    assert isinstance(code, str)
    parts = found.groupdict()
    try:
        options = _decode_options(parts["options"])
    except BadOptions as problem:
        raise BadPosition(problem.message) from None
    seed = sha256(f"position|{code}".encode("ascii")).hexdigest()
    symbols = SYMBOL_SETS[options.symbols]
    ruleset = _ruleset_of(options)
    kinds, places = ruleset.kinds.names, ruleset.route.names
    board = [symbols[int(digit)] for digit in parts["board"]]
    players = [_decode_player(part, options, places, kinds) for part in parts["players"].split(".")]
    row = _decode_cards(parts["row"], kinds)
    discard = sorted(_decode_cards(parts["discard"], kinds))
    used = Counter(row + discard)
    for player in players:
        used.update(player["hand"])
    full = Counter(dict(zip(kinds, ruleset.kinds.copies, strict=True)))
    if used - full:
        raise BadPosition("The position has more cards of a kind than the game.")
    tokens = [_TOKEN_LETTERS[letter] for letter in parts["tokens"] or ""]
    laid = shuffle(seed, "chests:0", tokens)
    spaces = [_name_at(places, letter) for letter in parts["chests"]]
    return position_from_json(
        {
            "format": POSITION_FORMAT,
            "options": options_to_json(options),
            "seed": seed,
            "board": board,
            "players": players,
            "deck": shuffle(seed, "deck:0", (full - used).elements()),
            "row": row,
            "discard": discard,
            "shuffles": 0,
            "sloop": _SLOOPS[parts["sloop"]],
            "chests": {str(space): token for space, token in zip(spaces, laid, strict=False)},
            "chests_aside": laid[len(spaces) :],
            "chest_shuffles": 0,
            "turn": {
                "seat": int(parts["seat"]),
                "taken": int(parts["taken"]),
                "captain_used": bool(parts["captain"]),
            },
            "forced_passes": int(parts["passes"]),
            "pending": None,
            "winner": None,
        }
    )


def _tokens_of(view: Json) -> list[str]:
    """Return the chest tokens that are face down; if the view does not tell, those that are opened last on average."""
    aside = view["chests_aside"]
    if type(aside) is int and 0 <= aside <= _MAX_TOKENS_ASIDE:
        aside = [None] * aside
    if not isinstance(aside, list) or len(aside) > _MAX_TOKENS_ASIDE:
        raise BadPosition("A position has at most 8 chest tokens that are set aside.")
    tokens = [*view["chests"].values(), *aside]
    return sorted(CHEST_TOKENS)[-len(tokens) :] if tokens and None in tokens else tokens


def _encode_options(options: Options) -> str:
    """Return the preset, the number of players and the options that differ from the preset."""
    values = options_to_json(options)
    usual = PRESETS[options.preset].values
    changed = [
        f"{name}-{_option_text(value)}"
        for name, value in values.items()
        if name not in ("preset", "players", "hands") and value != usual[name]
    ]
    return ".".join((options.preset, str(options.players), *changed))


def _option_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _decode_options(text: str) -> Options:
    preset, *rest = text.split(".")
    players, *changed = rest or [""]
    given: dict[str, Any] = {"preset": preset, "players": _option_value(players)}
    for item in changed:
        name, _, value = item.partition("-")
        given[name] = _option_value(value)
    return parse_options({**given, "hands": "open"})


def _option_value(text: str) -> str | int | bool:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isdigit() and len(text) <= 3 else text


def _decode_player(text: str, options: Options, places: Sequence[Place], kinds: Sequence[str]) -> Json:
    spots, held = text[: options.pirates], text[options.pirates :]
    is_out = held == _RESIGNED
    hand = [] if is_out else sorted(_decode_cards(held, kinds))
    return {"pirates": [_name_at(places, letter) for letter in spots], "hand": hand, "resigned": is_out}


def _name_at(places: Sequence[Place], letter: str) -> Place:
    number = _PLACE_LETTERS.find(letter)
    if not 0 <= number < len(places):
        raise BadPosition("A pirate or a chest is at a place that this route does not have.")
    return places[number]


def _encode_cards(cards: Iterable[str], kinds: Sequence[str]) -> str:
    counts = Counter(cards)
    parts = ((_CARD_LETTERS[kinds.index(card)], counts[card]) for card in sorted(counts))
    return "".join(letter if count == 1 else f"{letter}{count}" for letter, count in parts)


def _decode_cards(text: str, kinds: Sequence[str]) -> list[str]:
    cards: list[str] = []
    end = 0
    for found in _CARDS.finditer(text):
        kind = _CARD_LETTERS.index(found[1])
        if found.start() != end or kind >= len(kinds) or len(cards) > MAX_CODE_CHARS:
            break
        cards += [kinds[kind]] * int(found[2] or 1)
        end = found.end()
    if end != len(text):
        raise BadPosition("The position holds cards that this game does not have.")
    return cards
