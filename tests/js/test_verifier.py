"""The independent verifiers of browser and server agree on every tampered record."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from app import rules
from app.rules.formats.record import FORMAT_BY_SCHEME
from app.web.pages.replay import steps_of
from tests.rules.tampering import Json, Tampered, rewrite_records, sample_record, tamper

# Each case is a sample with one value replaced: {base, path, value, scheme, index}. `plays[index]` is the server's
# replay as text; null: it refuses the record.
CHECK = """async ({checkRecord}, {samples, cases, plays}) => {
  const {RefusedError} = await import("/static/js/core/api.js");
  const replaced = (whole, [first, ...rest], value) => {
    const copy = Array.isArray(whole) ? [...whole] : {...whole};
    copy[first] = rest.length ? replaced(copy[first], rest, value) : value;
    return copy;
  };
  const verdicts = [];
  for (const {base, path, value, scheme, index} of cases) {
    const record = path.length ? replaced(samples[base], path, value) : value ?? samples[base];
    const playRecord = async () => {
      if (index === null) throw new RefusedError(422, "bad_record", "");
      return JSON.parse(plays[index]);
    };
    const ways = {playRecord, scheme, addCheck: (holds) => holds, addRemark: () => {}};
    try {
      verdicts.push(await checkRecord(record, ways));
    } catch {
      verdicts.push(false); // as the page does: it is not a whole record
    }
  }
  return verdicts;
}"""


def verdict(record: Json, scheme: int | None) -> bool:
    try:
        rules.verify(rules.record_from_json(record), scheme=scheme)
    except rules.BadRecord:
        return False
    return True


def play(record: Json) -> str | None:
    """Return what the page needs of the answer to `POST /replay/steps`; None if the record is refused."""
    try:
        played = steps_of(rules.record_from_json(record), None, everything=True)
    except rules.BadRecord:
        return None
    return json.dumps(
        {"view": played["view"], "steps": [{"events": step["events"]} for step in played["steps"]]}
    )


Case = tuple[int, int | None, Tampered]
"""The scheme of the sample, the scheme given to the verifiers, and the change."""


def check(run: Callable[..., Any], cases: list[Case]) -> list[tuple[Tampered, bool, bool]]:
    """Return the server's and the browser's verdict for each case."""
    plays: dict[str, int] = {}
    given: list[Json] = []
    for base, scheme, case in cases:
        played = play(case.record)
        index = None if played is None else plays.setdefault(played, len(plays))
        value = case.value if case.path else case.record
        given.append({"base": base, "path": case.path, "value": value, "scheme": scheme, "index": index})
    samples = {base: sample_record(base) for base in FORMAT_BY_SCHEME}
    verdicts = run("pages/verifier.js", CHECK, {"samples": samples, "cases": given, "plays": list(plays)})
    return [
        (case, verdict(case.record, scheme), found)
        for (_, scheme, case), found in zip(cases, verdicts, strict=True)
    ]


def test_both_verifiers_agree_on_every_changed_field(run: Callable[..., Any]) -> None:
    cases: list[Case] = [
        (scheme, scheme, Tampered("", "untouched", sample_record(scheme))) for scheme in FORMAT_BY_SCHEME
    ]
    for scheme in FORMAT_BY_SCHEME:
        cases += [(scheme, scheme, case) for case in tamper(sample_record(scheme)) if case.path]
    found = check(run, cases)
    assert [case[:2] for case, server, browser in found if server is not browser] == []
    assert [browser for case, _, browser in found if case.change == "untouched"] == [True] * len(
        FORMAT_BY_SCHEME
    )


def test_both_verifiers_refuse_rewritten_records(run: Callable[..., Any]) -> None:
    cases: list[Case] = [(2, None, case) for case in rewrite_records()]
    found = check(run, [*cases, (2, 2, next(rewrite_records()))])
    assert [(case.change, server, browser) for case, server, browser in found if server or browser] == []


def test_record_without_seals_does_not_match_the_stored_sealed_game(
    run: Callable[..., Any],
) -> None:
    """The record contains the browser's nonce, but not the seals that the browser was shown."""
    compare = """({sitFields, compareWithRecord}, {table, unsealed}) => {
      const {seal} = sitFields("tampered", table);
      const {nonces} = JSON.parse(localStorage.getItem("cartagena.chance.tampered"));
      unsealed.nonces[0] = nonces[seal];
      const found = compareWithRecord(unsealed, "tampered");
      localStorage.removeItem("cartagena.chance.tampered");
      return found;
    }"""
    unsealed = next(rewrite_records()).record
    table = {"commitment": unsealed["commitment"], "scheme": 2}
    assert run("core/sealing.js", compare, {"table": table, "unsealed": unsealed}) == "other"


# Replays the events of a whole game with open hands. In each case one event has a missing or null field.
FOLLOW = """({DeckReplay}, {seed, view, events, cases}) => {
  const follow = (changed) => {
    const deck = new DeckReplay(view.options, seed);
    try {
      deck.checkStart(view);
      changed.forEach((event) => deck.follow(event));
      return true;
    } catch {
      return false;
    }
  };
  const replaced = ({index, field, isNull}) => events.map((event, at) => {
    if (at !== index) return event;
    const {[field]: _, ...rest} = event;
    return isNull ? {...rest, [field]: null} : rest;
  });
  // up to that event alone: a later one would object to the hand that lacks the cards
  const passes = (each) => follow(replaced(each).slice(0, each.index + 1));
  return {untouched: follow(events), accepted: cases.filter(passes)};
}"""
# Fields about cards. All others only change the view, which the result is compared with.
OF_CARDS = set("card cards with keep give back hand hands deck token chests seed count".split())
SAID_TWICE = {("cards_drawn", "count"), ("choice_dealt", "count"), ("cards_stacked", "count")}


def whole_game(seed: str) -> tuple[Json, list[Json]]:
    """Return the first view and the events of a game with every module and nothing hidden."""
    dice = random.Random(3)
    modules = {"black_magic": True, "scoundrels": True, "card_gain": "both"}
    position = rules.new_game(rules.parse_options({"preset": "complete", "players": 3, **modules}), seed)
    view, events = rules.open_view(position), []
    while position.winner is None:
        seat = dice.choice(rules.seats_to_act(position))
        action = dice.choice(rules.legal(position, seat))
        chosen = rules.action_to_json(action)
        if "count" in chosen:  # an owed discard
            hand = rules.position_to_json(position)["players"][seat]["hand"]
            chosen = {"type": "discard", "cards": sorted(dice.sample(hand, chosen["count"]))}
        position, happened = rules.apply(position, seat, rules.action_from_json(chosen))
        events += [rules.event_to_json(event) for event in happened]
    return view, events


def test_event_with_missing_cards_is_refused(run: Callable[..., Any]) -> None:
    """The server replays the moves; a field that it omits must not be taken from the seed."""
    view, events = whole_game("7" * 64)
    firsts = {event["type"]: index for index, event in reversed(list(enumerate(events)))}
    cases = [
        {"index": index, "field": field, "isNull": is_null, "type": kind}
        for kind, index in firsts.items()
        for field in sorted(OF_CARDS & set(events[index]))
        if (kind, field) not in SAID_TWICE
        for is_null in (False, True)
    ]
    assert len({case["type"] for case in cases}) > 12
    found = run(
        "pages/deck_replay.js", FOLLOW, {"seed": "7" * 64, "view": view, "events": events, "cases": cases}
    )
    assert found == {"untouched": True, "accepted": []}
