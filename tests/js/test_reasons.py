"""Whatever the rules really refuse, the pages know the sentence: nonsense is tried on positions of every kind."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from app import rules
from tests.js.random_games import PRESETS

SYMBOLS = ("bottle", "chest", "hook", "key", "lantern", "parrot", "pistol", "rum", "skull")
PLACES: tuple[int | str, ...] = ("start", 1, 17, 19, 30, 99, "sloop", "goal")


def nonsense(dice: random.Random) -> Iterator[dict[str, Any]]:
    """Well-formed actions of every kind; most of them are not allowed anywhere."""
    for place in PLACES:
        yield {"type": "retreat", "from": place}
        for player in (0, 1, 7):
            yield {"type": "morgan", "player": player, "from": place}
        for card in (*SYMBOLS, "skull*", "rum*"):
            yield {"type": "advance", "card": card, "from": place}
        card, other = dice.choice(SYMBOLS), dice.choice(SYMBOLS)
        yield {"type": "parrot", "cards": ["parrot", "parrot"], "as": other, "from": place}
        yield {"type": "parrot", "cards": ["parrot", card], "as": "bottle", "from": place}
        yield {"type": "hook", "card": "hook", "with": other, "from": place}
        yield {"type": "chest", "card": "chest", "from": place}
    for card in SYMBOLS:
        yield from ({"type": "pistol", "card": card, "player": player} for player in (0, 1, 2, 7))
        yield from ({"type": kind, "card": card} for kind in ("rum", "lantern", "steal"))
        yield {"type": "stack", "keep": card, "back": []}
        yield {"type": "discard", "cards": [card, card]}
    yield from ({"type": kind} for kind in ("sail", "draw", "end"))
    yield {"type": "share", "keep": ["rum"], "give": {"1": "rum"}}


def refused() -> set[str]:
    """The sentences of all refusals met on the way through a game of each kind."""
    said: set[str] = set()
    for number, options in enumerate(PRESETS):
        dice = random.Random(number)
        position = rules.new_game(rules.parse_options(options), f"{number:064x}")
        for step in range(180):
            if position.winner is not None:
                break
            seat = dice.choice(rules.seats_to_act(position))
            if step % 15 == 0 or position.pending is not None:
                for given in nonsense(dice):
                    try:
                        rules.apply(position, seat, rules.action_from_json(given))
                    except rules.Illegal as refusal:
                        said.add(refusal.message)
            chosen = rules.action_to_json(dice.choice(rules.legal(position, seat)))
            if chosen["type"] == "discard":
                hand = rules.view(position, seat)["players"][seat]["hand"]
                chosen = {"type": "discard", "cards": sorted(hand)[: chosen["count"]]}
            position, _ = rules.apply(position, seat, rules.action_from_json(chosen))
    return said


ASK = "({ruleRefusal, PATTERNS}, said) => [said.map((each) => ruleRefusal(each)), PATTERNS.length]"


def test_every_refusal_met_in_play_is_recognised(run: Callable[..., Any]) -> None:
    said = sorted(refused())
    told, patterns = run("pages/rule_refusals.js", ASK, said)
    assert [sentence for sentence, answer in zip(said, told, strict=True) if answer is None] == []
    assert not any("{" in answer or "undefined" in answer for answer in told)
    # most of what the rules can say was met, so that the test means something
    assert patterns > 40
    assert len(said) > 40
