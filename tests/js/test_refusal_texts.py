"""Refusals of the rules have the same translated sentence on the page and on the server."""

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


def mostly_illegal_actions(dice: random.Random) -> Iterator[dict[str, Any]]:
    """Yield well-formed actions of every kind, most of which are illegal."""
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


def refusals_in_play() -> list[tuple[str, dict[str, Any]]]:
    """Return reason and parameters of all refusals met in one game of each preset."""
    met: dict[str, tuple[str, dict[str, Any]]] = {}
    for number, options in enumerate(PRESETS):
        dice = random.Random(number)
        position = rules.new_game(rules.parse_options(options), f"{number:064x}")
        for step in range(180):
            if position.winner is not None:
                break
            seat = dice.choice(rules.seats_to_act(position))
            if step % 15 == 0 or position.pending is not None:
                for given in mostly_illegal_actions(dice):
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


DESCRIBE = """async ({describeRefusal}, {catalogue, asked}) => {
    const {setCatalogue} = await import("/static/js/core/i18n.js");
    setCatalogue(catalogue);
    try { return await Promise.all(asked.map(describeRefusal)); } finally { setCatalogue({}); }
}"""


def page_sentences(
    run: Callable[..., Any], words: Catalogue, asked: list[tuple[str, dict[str, Any]]]
) -> list[str]:
    refusals = [{"code": "illegal", "message": "", "why": why, "params": params} for why, params in asked]
    given = {"catalogue": orjson.loads(words.script_json), "asked": refusals}
    answers: list[str] = run("core/refusals.js", DESCRIBE, given)
    return answers


@pytest.mark.parametrize("code", LANGUAGES)
def test_page_and_server_have_the_same_sentence_for_every_reason(run: Callable[..., Any], code: str) -> None:
    words = Languages(LOCALES).catalogue(code)
    samples = {"card": "rum*", "symbol": "hook", "place": "sloop"}
    asked = [
        (reason.name, {name: samples.get(name, 7) for name in re.findall(r"{(\w+)}", reason.value)})
        for reason in rules.reasons()
    ]
    assert len(asked) > 60
    by_page = page_sentences(run, words, asked)
    assert by_page == [words.reason(why, params) for why, params in asked]
    assert not [sentence for sentence in by_page if "{" in sentence or "undefined" in sentence]
    assert len(set(by_page)) == len(by_page)


def test_every_refusal_met_in_play_has_a_sentence(run: Callable[..., Any]) -> None:
    words = Languages(LOCALES).catalogue("de")
    met = refusals_in_play()
    by_page = page_sentences(run, words, met)
    assert by_page == [words.reason(why, params) for why, params in met]
    assert not [
        sentence for sentence in by_page if "{" in sentence or "*" in sentence or "undefined" in sentence
    ]
    assert len({why for why, _ in met}) > 35  # most reasons occur


def test_unconfirmed_outcome_is_not_reported_as_failure(run: Callable[..., Any]) -> None:
    script = "async ({describeRefusal}, asked) => Promise.all(asked.map(describeRefusal))"
    unconfirmed = Unconfirmed().as_json()
    by_older_server = {"code": "try_again", "message": "That could not be confirmed just now."}
    sure, unsure = run("core/refusals.js", script, [by_older_server, unconfirmed])
    assert unsure == "We do not know whether that worked. Check before you try again."
    assert sure == "The server could not do that just now. Try again in a moment."
    every = run("core/refusals.js", "({SENTENCES}) => Object.values(SENTENCES)")
    assert [sentence for sentence in (*every, unconfirmed["message"]) if "othing was" in sentence] == []


def test_refusal_without_a_reason_is_described_by_its_code(run: Callable[..., Any]) -> None:
    """Older servers send no reason, and errors of programs have none."""
    script = "async ({describeRefusal}, asked) => Promise.all(asked.map(describeRefusal))"
    stale = {"code": "stale", "message": "Never shown."}
    unknown = {"code": "not_your_turn", "message": "It is the turn of seat 1.", "why": "turn_of_others"}
    assert run("core/refusals.js", script, [stale, unknown]) == [
        "The game has moved on; look again.",
        "It is not your turn.",
    ]


def test_refused_webhook_says_which_addresses_are_accepted(run: Callable[..., Any]) -> None:
    script = (
        "({describeRefusalCode}) => describeRefusalCode('bad_webhook', 'A webhook begins with https://.')"
    )
    assert "Use an https address that is open to the internet" in run("core/refusals.js", script)
