"""Sentences that depend on the state of a table: each is checked in every state in which it could be shown.

The facts are computed here from the state, apart from the pages, and compared with what the sentence claims.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

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
