"""Sentences that depend on the state of a table: each is checked in every state in which it could be shown.

The facts are computed here from the state, apart from the pages, and compared with what the sentence claims.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.bots.reasons import MEASURES, REASONS
from tests.js.random_games import PRESETS, play_at_random

Run = Callable[..., Any]
Json = dict[str, Any]
NAMES = ("Ann", "Bo", "Cai", "Dee", "Eve")
ROUTE = {"scenario": "passage", "passage_boards": 6, "jungle_boards": 0, "actions": 3}


def seats(people: int, bots: int) -> list[Json]:
    found: list[Json] = [
        {"person": f"p{n}", "name": NAMES[n], "bot": None, "colour": None} for n in range(people)
    ]
    return found + [
        {"person": None, "name": NAMES[people + n], "bot": "sailor", "colour": None} for n in range(bots)
    ]


# the end of a game

VERDICTS = """async ({verdict}, states) => {
  const {StatusBar} = await import("/static/js/table/status_bar.js");
  return states.map((state) => {
    const root = document.createElement("header");
    StatusBar(root).update({...state, choices: [], presence: {watching: 0, seats: []}});
    return {...verdict(state), status: root.querySelector("h1").textContent};
  });
}"""


def endings() -> Iterator[Json]:
    """Yield every way in which a game of two to five players can be over, or be over for a player."""
    for count in range(2, 6):
        for bots in range(count):
            people = count - bots
            info = seats(people, bots)
            for viewer in (None, *range(people)):
                for winner, reason in (
                    *((n, "goal") for n in range(count)),
                    *((n, "resigned") for n in range(count)),
                    *([(None, "resigned")] if bots > 1 else []),
                    (None, "aborted"),
                    (None, "running"),
                ):
                    for left in (0, 20, 200):
                        state = ending(info, viewer, winner, reason, left)
                        if state is not None:
                            yield state


def ending(info: list[Json], viewer: int | None, winner: int | None, reason: str, left: int) -> Json | None:
    players = [{"pirates": ["goal"] * 6, "resigned": False} for _ in info]
    for seat, player in enumerate(players):
        if seat != winner:
            far = ["start"] * 6 if left == 200 else [37 - max(left, 1), *["goal"] * 5]
            player["pirates"] = far
        is_out = {
            "resigned": seat != winner if winner is not None else info[seat]["person"] is not None,
            "running": seat == viewer,
        }.get(reason, False)
        player["resigned"] = is_out
    if reason == "running" and viewer is None:
        return None
    status = {"running": "running", "aborted": "aborted"}.get(reason, "finished")
    result = None if reason == "running" else {"winner": winner, "reason": reason, "places": [1] * len(info)}
    view = {
        "options": ROUTE,
        "players": players,
        "winner": winner,
        "pending": None,
        "turn": {"seat": 0, "taken": 0},
    }
    table = {"status": status, "result": result, "seats": info, "options": {"preset": "jamaica"}}
    return {"table": table, "view": view, "you": {"seat": viewer}}


def name_of(state: Json, seat: int) -> str:
    return str(state["table"]["seats"][seat]["name"])


def is_true(sentence: str, state: Json) -> bool:
    """Return whether a sentence of the end of a game is true. Raise KeyError for one that is not known here."""
    result, viewer = state["table"]["result"] or {"winner": None, "reason": "running"}, state["you"]["seat"]
    players, info = state["view"]["players"], state["table"]["seats"]
    winner, reason = result["winner"], result["reason"]
    out = [n for n, player in enumerate(players) if player["resigned"]]
    people = [n for n, seat in enumerate(info) if seat["person"]]
    mine = (
        None
        if viewer is None
        else sum(37 - ({"start": 0, "goal": 37}.get(p, p)) for p in players[viewer]["pirates"])
    )
    if match := re.fullmatch(r"(\w+) has won!", sentence):
        return winner is not None and name_of(state, winner) == match[1]
    if match := re.fullmatch(r"(\w+) has resigned\.", sentence):
        return match[1] in [name_of(state, n) for n in out]
    if match := re.fullmatch(r"All of (\w+)'s pirates have escaped\.", sentence):
        return reason == "goal" and name_of(state, winner) == match[1]
    if match := re.fullmatch(
        r"You were (\d+) spaces? short of bringing all your pirates to the goal\.", sentence
    ):
        return mine == int(match[1]) and winner != viewer
    facts: dict[str, bool] = {
        "You have won!": winner is not None and winner == viewer,
        "You have resigned.": viewer in out,
        "All your pirates have escaped.": reason == "goal" and winner == viewer,
        "Everyone else resigned.": out == [n for n in range(len(players)) if n != winner] and len(out) > 1,
        "All players except the bots have resigned.": out == people and len(people) > 1,
        "The game is over.": reason != "running",
        "The game was ended without a winner.": reason == "aborted",
        "Ended without a winner": reason == "aborted",
        "The others are playing on.": reason == "running",
        "You can watch them, or start a new game.": reason == "running",
        "So close!": mine is not None and mine <= 14,
        "Well sailed.": mine is not None and mine <= 60,
        "It's Ann's turn.": reason == "running",
        "Your turn": reason == "running",
    }
    return facts[sentence]


def sentences_of(text: str) -> list[str]:
    return re.findall(r"[^.!]+(?:[.!]|$)", text)


def test_every_sentence_about_the_end_is_true(run: Run) -> None:
    states = list(endings())
    assert len(states) > 500
    met = set()
    for state, shown in zip(states, run("table/verdict.js", VERDICTS, states), strict=True):
        for text in (shown["heading"], shown["words"], shown["status"]):
            for sentence in map(str.strip, sentences_of(text)):
                assert is_true(sentence, state), (sentence, state)
                met.add(re.sub("|".join(NAMES), "N", re.sub(r"\d+", "0", sentence)))
    assert len(met) >= 14, met


# the tray

TRAY = """async ({Tray}, states) => {
  const root = document.createElement("section");
  document.body.replaceChildren(root);
  const tray = Tray(root, {onAction() {}, onUndo() {}, onClear() {}});
  return states.map((state) => {
    tray.update({candidates: null, hint: null, undo: false, isWaiting: false, ...state});
    return root.querySelector(".tray-hint").textContent;
  });
}"""


def plays_card(choice: Json) -> bool:
    return "card" in choice["action"] or "cards" in choice["action"]


def fits(choice: Json, selection: Json) -> bool:
    action = choice["action"]
    cards = action.get("cards", [action.get("card")])
    return selection.get("card", cards[0]) in cards and selection.get(
        "from", action.get("from")
    ) == action.get("from")


def check_tray(sentence: str, choices: list[Json], selection: Json) -> None:
    kinds = {choice["action"]["type"] for choice in choices}
    fitting = [choice for choice in choices if fits(choice, selection)]
    if "end your turn" in sentence:
        assert kinds == {"end"}
    if "Choose a card" in sentence or "a card for the pirate" in sentence:
        assert any(plays_card(choice) for choice in fitting)
    if "Choose a pirate" in sentence or "or a pirate" in sentence:
        assert any("from" in choice["action"] for choice in fitting)
    if "highlighted space" in sentence:
        assert any("to" in choice for choice in fitting)
    if "Choose a button" in sentence:
        assert not any(plays_card(choice) or "from" in choice["action"] for choice in choices)


def test_the_tray_asks_only_for_what_can_be_chosen(run: Run) -> None:
    asked: list[tuple[Json, list[Json], Json]] = []
    for number, options in enumerate(PRESETS):
        info = seats(options["players"], 0)
        table = {"status": "running", "seats": info, "paused": False}
        for frame, seat in itertools.product(
            play_at_random(options, f"{number:064x}", 60)[::3], range(options["players"])
        ):
            choices, view = frame["choices"][str(seat)], frame["views"][str(seat)]
            state = {"table": table, "view": view, "you": {"seat": seat}, "choices": choices}
            selections: list[Json] = [{}]
            if view["pending"] is None:
                selections += [
                    {"card": card}
                    for card in sorted({c["action"]["card"] for c in choices if "card" in c["action"]})
                ]
                places = {
                    str(c["action"]["from"]): c["action"]["from"] for c in choices if "from" in c["action"]
                }
                selections += [{"from": place} for place in places.values()]
            asked += [({**state, "selection": selection}, choices, selection) for selection in selections]
    shown = run("table/tray.js", TRAY, [state for state, _, _ in asked])
    met = {re.sub(r"\d+", "0", sentence) for sentence in shown}
    for sentence, (state, choices, selection) in zip(shown, asked, strict=True):
        check_tray(sentence, choices, selection)
        if not choices and state["view"]["pending"] is None and state["view"]["winner"] is None:
            assert sentence == f"It's {NAMES[state['view']['turn']['seat']]}'s turn."
    assert {
        "Your turn: 0 actions left. Choose a card or a pirate.",
        "Your turn: 0 actions left. Choose a pirate.",
    } <= met


def test_the_tray_with_an_empty_hand_a_pause_and_a_spectator(run: Run) -> None:
    view = play_at_random({"preset": "jamaica", "players": 2}, "1d" * 32, 0)[0]["views"]["0"]
    view["turn"] = {"seat": 0, "taken": 1, "captain_used": False}
    table = {"status": "running", "seats": seats(2, 0), "paused": False}
    state = {"table": table, "view": view, "you": {"seat": 0}, "selection": {}, "choices": []}
    end, retreat = (
        {"action": {"type": "end"}},
        {"action": {"type": "retreat", "from": 7}, "to": 3, "draws": 1},
    )
    chest = {"action": {"type": "chest", "card": "chest", "from": 7}}
    shown = run(
        "table/tray.js",
        TRAY,
        [
            {**state, "choices": [retreat, end]},
            {**state, "choices": [{"action": {"type": "draw"}}, end]},
            {**state, "choices": [{"action": {"type": "rum", "card": "rum"}}, end]},
            {
                **state,
                "choices": [{"action": {"type": "rum", "card": "rum"}}, end],
                "selection": {"card": "rum"},
            },
            {**state, "choices": [retreat, end], "selection": {"from": 7}},
            {**state, "choices": [chest, end], "selection": {"from": 7}},
            {**state, "choices": [end]},
            {**state, "table": {**table, "paused": True}},
            {**state, "you": {"seat": None}},
        ],
    )
    assert shown == [
        "Your turn: 2 actions left. Choose a pirate.",
        "Your turn: 2 actions left. Choose a button.",
        "Your turn: 2 actions left. Choose a card.",
        "Which of these do you want?",
        "Choose a highlighted space for the pirate on space 7.",
        "Choose a card for the pirate on space 7.",
        "There is nothing more to do: end your turn.",
        "The game is paused.",
        "You are watching. It's Ann's turn.",
    ]


# before the start, and after the end

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
        waits = [seat for seat in people if not seat["ready"]]
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
