"""Sentences outside the board that depend on the state: seating, rematch, banners, notices, hints and reviews.

The facts are computed here from the state, apart from the pages, and compared with what the sentence claims.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.bots.measures import MEASURES
from app.bots.reasons import REASONS
from tests.js.test_sentences import ROUTE, seats

Run = Callable[..., Any]
Json = dict[str, Any]


SEATING = """async ({describeStart, hostHint, spectatorHint, startHint}, states) =>
  states.map((state) => [describeStart, hostHint, spectatorHint, startHint].map((write) => write(state)))"""


def lobbies() -> Iterator[Json]:
    """Yield tables of two and three seats: every mix of people, bots, reserved and empty seats."""
    kinds: list[Json] = [
        {"person": "p1", "ready": True},
        {"person": "p2", "ready": False},
        {"bot": "mate"},
        {"reserved": "me"},
        {"reserved": "p3"},
        {},
    ]
    plain = {"person": None, "bot": None, "reserved": None, "ready": False}
    for count in (2, 3):
        for mix in itertools.product(kinds, repeat=count):
            for spectators, series in ((True, None), (False, None), (True, {"wins": None})):
                info = [{**plain, **seat} for seat in mix]
                table = {"seats": info, "spectators": spectators, "series": series, "host": "me"}
                yield {"table": table, "you": {"seat": None, "person": "me"}}


def test_what_the_seating_says_is_true(run: Run) -> None:
    states = list(lobbies())
    for state, (start, host, spectator, seated) in zip(
        states, run("table/before_start.js", SEATING, states), strict=True
    ):
        info = state["table"]["seats"]
        filled = [seat for seat in info if seat["person"] or seat["bot"]]
        free = [seat for seat in info if seat not in filled and seat["reserved"] in (None, "me")]
        people = [seat for seat in info if seat["person"]]
        for sentence in (host, spectator):
            assert ("Sit down to play" in sentence) == bool(free), (sentence, info)
        assert ("seated player" in host) == bool(people)
        assert ("full" in spectator) == (len(filled) == len(info))
        assert ("reserved" in spectator) == (not free and len(filled) < len(info))
        assert not ("watch." in spectator and not state["table"]["spectators"])
        assert ("The host starts" in seated) == (state["table"]["series"] is None)
        waits = [seat for seat in people if not seat["ready"] and seat["person"] != "me"]
        if len(filled) < 2:
            assert start == "At least two seats must be filled."
        elif waits:
            assert start == "Not everyone is ready."
        else:
            assert start[:1] == (str(len(info) - len(filled)) if len(filled) < len(info) else "")


@pytest.mark.parametrize("people", range(1, 6))
@pytest.mark.parametrize("following", [None, "g2"])
def test_the_rematch_says_when_it_starts(run: Run, people: int, following: str | None) -> None:
    table = {"seats": seats(people, 5 - people), "next": following}
    note = run("table/rematch.js", "({rematchNote}, table) => rematchNote(table)", table)
    if people == 1:
        assert note == ""
    elif following:
        assert note == "A table for the rematch has been opened."
    else:
        assert ("30 seconds" in note) == (people > 2)
        assert ("both" in note) == (people == 2)


def test_statistics_count_only_turns_that_were_played(run: Run) -> None:
    ask = (
        "({statisticsOf}, [steps, options]) => [0, 1].map((seat) => statisticsOf(steps, seat, options).turns)"
    )
    first = {"type": "advanced", "seat": 0, "card": "key", "from": "start", "to": 7}
    passed = [{"type": "turn_passed", "seat": 0, "next": 1}]
    second = {"type": "advanced", "seat": 1, "card": "key", "from": "start", "to": 8}
    back = [{"type": "turn_passed", "seat": 1, "next": 0}]
    resigned = {"type": "resigned", "seat": 1, "cards": []}
    won = {"type": "game_won", "seat": 0}
    cases: list[tuple[list[Any], list[int]]] = [
        ([[first], passed, [second], back, [first, won]], [2, 1]),
        ([[first], passed, [resigned, won]], [1, 0]),
        ([[first], passed, [second], [resigned, won]], [1, 1]),
        ([[first], passed, [second], back, [resigned, won]], [1, 1]),
        ([[first], passed, [{"type": "morgan_moved", "seat": 1, "player": 0}, won]], [1, 1]),
        ([[first], passed, back], [1, 1]),
    ]
    for steps, turns in cases:
        given = [{"events": events} for events in steps]
        assert run("table/game_statistics.js", ask, [given, ROUTE]) == turns, steps


# banners, account, trial


def test_banners_speak_to_the_player_they_are_about(run: Run) -> None:
    ask = """({absenceText, awayText}) => [null, 0, 1].map((viewer) =>
      [absenceText(viewer, 1, "Bo"), awayText(viewer, 1, "Bo", 5)])"""
    watching, playing, oneself = run("table/banners.js", ask)
    assert "What should we do?" not in watching[0]
    assert "Bo" in watching[0]
    assert playing == ["Bo is absent. What should we do?", "Bo is away; the table can decide in 5 seconds."]
    assert not any("Bo" in sentence for sentence in oneself)


def test_connection_states_promise_no_seat(run: Run) -> None:
    """Spectators see them, too."""
    texts = run(
        "table/connection.js",
        "({CONNECTION_STATES}) => Object.values(CONNECTION_STATES).map(({text}) => text)",
    )
    assert not [text for text in texts if "seat" in text]


@pytest.mark.parametrize("offered", list(itertools.product((False, True), repeat=3)))
def test_only_channels_that_the_server_offers_are_named(run: Run, offered: tuple[bool, ...]) -> None:
    given = dict(zip(("push", "mail", "webhooks"), offered, strict=True))
    text = run("pages/notice_settings.js", "({everyChannelText}, given) => everyChannelText(given)", given)
    words = {"push": "this device", "mail": "e-mail", "webhooks": "webhook"}
    assert bool(text) == (sum(offered) > 1)
    for channel, word in words.items():
        assert (word in text) == (given[channel] and bool(text))


def test_a_trial_keeps_the_levels_of_bots(run: Run) -> None:
    ask = "({trialLevel}, seats) => seats.map(trialLevel)"
    info = [
        {"person": None, "bot": "sailor"},
        {"person": None, "bot": "legend"},
        {"person": "p1", "bot": None},
        {"person": "p1", "bot": "captain"},
    ]
    assert run("table/trial.js", ask, info) == ["sailor", "legend", "mate", "mate"]


# hints and reviews


def test_every_reason_has_a_sentence(run: Run) -> None:
    ask = """({describeHint}, reasons) => reasons.map((reason) => describeHint(reason))"""
    numbers = [{"n": n, "other": other} for n, other in ((0, 1), (1, 0), (2, -3), (7, 4))]
    asked = [{"why": why, "params": params} for why in REASONS for params in numbers]
    unknown = run("table/hint_text.js", ask, [{"why": "of_tomorrow", "params": {}}])[0]
    for reason, sentence in zip(asked, run("table/hint_text.js", ask, asked), strict=True):
        assert sentence.startswith("Hint: "), reason
        assert sentence != unknown, reason
        assert "{" not in sentence, reason
        assert "undefined" not in sentence, reason
        if reason["why"] == "spaces":  # only here the runner-up can go back
            assert "-" not in sentence, reason


def test_every_reason_of_a_review_has_a_sentence(run: Run) -> None:
    ask = """({describeBetter}, reasons) => reasons.map((reason) => describeBetter(reason))"""
    codes = [measure.why for measure in MEASURES if not measure.is_of_action] + ["wins", "best_chance"]
    asked = [
        {"why": why, "params": {"n": n, "other": other}}
        for why in codes
        for n, other in ((0, 1), (1, 0), (2, -3))
    ]
    for reason, sentence in zip(asked, run("pages/review_reasons.js", ask, asked), strict=True):
        assert sentence, reason
        assert "{" not in sentence, reason
        assert "undefined" not in sentence, reason
    assert run("pages/review_reasons.js", ask, [None, {"why": "of_tomorrow", "params": {}}]) == ["", ""]


def test_points_have_a_unit(run: Run) -> None:
    ask = "(m, shares) => shares.map((share) => [m.describePoints(share), m.describeSignedPoints(share)])"
    assert run("core/percentage_points.js", ask, [0.33, 0.01, -0.02, 0]) == [
        ["33 points", "+33 points"],
        ["1 point", "+1 point"],
        ["-2 points", "-2 points"],
        ["0 points", "0 points"],
    ]


@pytest.mark.parametrize(
    ("results", "ending"),
    [
        ([], "Your first attempt counts."),
        ([None], "This attempt counts."),
        (["beaten"], "another attempt does not count."),
        (["given_up"], "another attempt counts only for your streak."),
        (["given_up", None], "so it counts only for your streak."),
        (["won", None], "so it does not count."),
        (["given_up", "won"], "another attempt does not count."),
    ],
)
def test_the_deal_says_what_another_attempt_counts_for(
    run: Run, results: list[str | None], ending: str
) -> None:
    tries = [{"n": n, "how": how, "is_over": how is not None} for n, how in enumerate(results, 1)]
    script = "({playButtonTexts}, tries) => playButtonTexts(tries, false)[1]"
    assert run("pages/deal_results.js", script, tries).endswith(ending)


def test_attempt_that_is_unfinished_at_midnight_goes_on_for_the_streak(run: Run) -> None:
    script = "({playButtonTexts}, n) => playButtonTexts([{n, how: null, is_over: false}], true)"
    words, counts = run("pages/deal_results.js", script, 1)
    assert words == "Continue"
    assert counts.startswith("The day of this deal is over. Finishing it keeps your streak")


def test_only_a_finished_deal_is_called_the_first(run: Run) -> None:
    script = """({standingText}, results) =>
      results.map((how) => standingText({others: 0, worse: 0, equal: 0}, {how}))"""
    first = "You're the first here to finish this deal."
    assert run("pages/deal_results.js", script, ["won", "beaten", "given_up"]) == [first, first, ""]
