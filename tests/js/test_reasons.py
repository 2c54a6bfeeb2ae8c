"""What the rules refuse is said alike by the pages and by the server, in the reader's language."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest

from app import rules
from app.paths import LOCALES
from app.play.refusals import Unconfirmed
from app.web.i18n import LANGUAGES, Catalogue, Languages
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


def refused() -> list[tuple[str, dict[str, Any]]]:
    """Why, and about what: all refusals met on the way through a game of each kind."""
    met: dict[str, tuple[str, dict[str, Any]]] = {}
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
                        met[refusal.message] = refusal.why, {**refusal.params}
            chosen = rules.action_to_json(dice.choice(rules.legal(position, seat)))
            if chosen["type"] == "discard":
                hand = rules.view(position, seat)["players"][seat]["hand"]
                chosen = {"type": "discard", "cards": sorted(hand)[: chosen["count"]]}
            position, _ = rules.apply(position, seat, rules.action_from_json(chosen))
    return list(met.values())


SAY = """async ({fullRefusal}, {catalogue, asked}) => {
    const {useCatalogue} = await import("/static/js/core/i18n.js");
    useCatalogue(catalogue);
    try { return await Promise.all(asked.map(fullRefusal)); } finally { useCatalogue({}); }
}"""


def said_by_the_page(
    run: Callable[..., Any], words: Catalogue, asked: list[tuple[str, dict[str, Any]]]
) -> list[str]:
    refusals = [{"code": "illegal", "message": "", "why": why, "params": params} for why, params in asked]
    given = {"catalogue": orjson.loads(words.script_json), "asked": refusals}
    answers: list[str] = run("core/refusals.js", SAY, given)
    return answers


@pytest.mark.parametrize("code", LANGUAGES)
def test_page_and_server_have_a_sentence_for_every_reason_and_it_is_the_same(
    run: Callable[..., Any], code: str
) -> None:
    words = Languages(LOCALES).catalogue(code)
    samples = {"card": "rum*", "symbol": "hook", "place": "sloop"}
    asked = [
        (reason.name, {name: samples.get(name, 7) for name in re.findall(r"{(\w+)}", reason.value)})
        for reason in rules.reasons()
    ]
    assert len(asked) > 60
    by_page = said_by_the_page(run, words, asked)
    assert by_page == [words.reason(why, params) for why, params in asked]
    assert not [sentence for sentence in by_page if "{" in sentence or "undefined" in sentence]
    assert len(set(by_page)) == len(by_page)


def test_every_refusal_met_in_play_is_said_in_words(run: Callable[..., Any]) -> None:
    words = Languages(LOCALES).catalogue("de")
    met = refused()
    by_page = said_by_the_page(run, words, met)
    assert by_page == [words.reason(why, params) for why, params in met]
    assert not [
        sentence for sentence in by_page if "{" in sentence or "*" in sentence or "undefined" in sentence
    ]
    assert len({why for why, _ in met}) > 35  # most reasons were met, so that the test means something


def test_nobody_is_told_that_nothing_was_done_when_that_is_not_known(run: Callable[..., Any]) -> None:
    ask = "async ({fullRefusal}, asked) => Promise.all(asked.map(fullRefusal))"
    told = Unconfirmed().as_json()
    by_older_server = {"code": "try_again", "message": "That could not be confirmed just now."}
    sure, unsure = run("core/refusals.js", ask, [by_older_server, told])
    assert unsure == "It is not certain whether that was done. Look before you try it again."
    assert sure == "The server could not answer that just now. Try again in a moment."
    every = run("core/refusals.js", "({SENTENCES}) => Object.values(SENTENCES)")
    assert [sentence for sentence in (*every, told["message"]) if "othing was" in sentence] == []


def test_a_refusal_without_a_reason_is_said_by_its_code(run: Callable[..., Any]) -> None:
    """So it is with a server that is not updated yet, and with what only programs do wrong."""
    ask = "async ({fullRefusal}, asked) => Promise.all(asked.map(fullRefusal))"
    stale = {"code": "stale", "message": "Never shown."}
    unknown = {"code": "not_your_turn", "message": "It is the turn of seat 1.", "why": "turn_of_others"}
    assert run("core/refusals.js", ask, [stale, unknown]) == [
        "The table has moved on; look again.",
        "It is not your turn.",
    ]
