"""The engine agrees with the reference implementation on everything.

The games are deterministic. tests/soak plays SOAK_GAMES of each family, `CARTAGENA_LONG=1` forty times as many; `-s`
prints the situations that occurred.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.reference import naive
from tests.reference.compare import Comparison, Disagreement
from tests.reference.engines import InProcess, Pipe

LONG = os.environ.get("CARTAGENA_LONG", "") not in ("", "0")

# Enough games of each family to cover its required situations; tests/soak plays more.
GAMES = {
    "presets": 20,
    "plain": 60,
    "rows": 50,
    "complete": 40,
    "morgan": 20,
    "scoundrels": 30,
    "magic": 30,
    "everything": 30,
    "instants": 380,
}
SOAK_GAMES = {
    "presets": 60,
    "plain": 90,
    "rows": 80,
    "complete": 80,
    "morgan": 60,
    "scoundrels": 80,
    "magic": 90,
    "everything": 90,
    "instants": 380,
}

# Situations that each family must cover.
REQUIRED_SITUATIONS: dict[str, tuple[str, ...]] = {
    "presets": ("advance", "retreat", "retreat from goal", "draw", "sail", "reshuffle", "won by resignation"),
    "plain": ("forced pass", "stalemate broken", "retreat past three", "relief in the middle of a turn"),
    "rows": (
        "row laid between the two cards of one draw",
        "reshuffle in the middle of laying a row",
        "short row laid",
        "row could not be laid",
        "empty row laid when a card is needed",
        "no card to be had",
        "relief from the deck beside a row",
        "relief beside an empty row",
        "relief from the row",
    ),
    "complete": (
        "free sail to tortuga",
        "free sail to cartagena",
        "paid sail to tortuga",
        "paid sail to cartagena",
        "captain with as many as another",
        "captain though a resigned seat has more aboard",
        "no captain: another has more aboard",
        "second sail after the captain's",
        "boarded from the passage",
        "retreat from sloop",
        "no room on the sloop",
        "relief before min_actions",
    ),
    "morgan": (
        "morgan from start",
        "morgan from start to the end of its side",
        "morgan from sloop",
        "morgan past three",
        "morgan to goal",
        "morgan to sloop",
        "won by morgan",
    ),
    "scoundrels": ("dark card, discards owed", "dark card, nothing owed", "several seats owe discards"),
    "magic": (
        "chest",
        "hook to a space",
        "lantern",
        "parrot",
        "pistol",
        "pistol at one card",
        "rum",
        "too few cards for rum",
    ),
    "everything": ("morgan", "discard", "steal", "share", "stack", "resigned seat skipped"),
    "instants": (
        "boarded from start",
        "from the sloop into the jungle",
        "from the sloop to the goal",
        "chest 1",
        "chest 2",
        "chest 3",
        "chest empty",
        "snake: to rum",
        "snake: to the lowest empty space",
        "snake: stays",
        "snake with every token on the route",
        "hook to goal",
        "hook to sloop",
        "hook with a hook, one of them dark",
        "no room for both on the sloop",
        "lantern with 1 cards",
        "lantern with 2 cards",
        "lantern with 3 cards",
        "parrot with 0 dark cards",
        "parrot with 1 dark cards",
        "parrot with 2 dark cards",
        "share keeps more than two",
        "relief without a card to be had",
        "resigned out of turn",
        "resigned owing a steal",
        "resigned owing a share",
        "resigned owing a stack",
        "resigned owing discards",
        "resigned owing a dark choice, discards follow",
        "receiver of a share resigned",
        "steal lapsed",
        "dark steal lapsed, discards follow",
        "fresh turn while discards are owed",
        "won by advance",
        "won by parrot",
        "won by hook",
        "won by resignation while a share stood",
        "won by resignation while a stack stood",
        "won by resignation while a discard stood",
        "won by resignation, turn stays with the resigned seat",
    ),
}


def play_many(comparison: Comparison, family: str, games: int) -> None:
    naive.COVERED.clear()
    for number in range(games):
        rng = random.Random(f"agreement|{family}|{number}")
        try:
            comparison.compare_game(rng, family)
            comparison.compare_options(rng)
        except Disagreement as difference:
            difference.add_note(
                f"reproduce with python -m tests.reference.compare, game agreement|{family}|{number}"
            )
            raise
    print(f"\n{family}: {dict(comparison.tally)}")
    for situation, times in sorted(naive.COVERED.items()):
        print(f"{times:8} {situation}")


@pytest.mark.parametrize("family", GAMES)
def test_both_engines_agree_on_every_position_list_view_and_refusal(family: str) -> None:
    check_engines_agree(family, SOAK_GAMES[family] * 40 if LONG else GAMES[family])


def check_engines_agree(family: str, games: int) -> None:
    play_many(Comparison(InProcess(1 if LONG else 4)), family, games)
    missing = [situation for situation in REQUIRED_SITUATIONS[family] if not naive.COVERED[situation]]
    assert not missing, f"{family} did not cover: {missing}"


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close()


def test_the_engine_command_agrees_line_by_line(pipe: Pipe) -> None:
    for family in ("presets", "everything", "instants"):
        play_many(Comparison(pipe), family, 100 if LONG else 8)


class ForgetsRetreats(InProcess):
    def legal(self, handle: Any) -> list[dict[str, Any]]:
        return [entry for entry in super().legal(handle) if entry["action"]["type"] != "retreat"]


class ListsTwice(InProcess):
    def legal(self, handle: Any) -> list[dict[str, Any]]:
        listed = super().legal(handle)
        return listed + listed[:1]


class ShowsTheDeck(InProcess):
    def view(self, handle: Any, seat: Any) -> dict[str, Any]:
        return {**super().view(handle, seat), "deck": self.dump(handle)["deck"]}


class ForgetsTheCount(InProcess):
    def dump(self, handle: Any) -> dict[str, Any]:
        return {**super().dump(handle), "forced_passes": 1}


class TakesAnything(InProcess):
    def load(self, position: Any) -> Any:
        try:
            return super().load(position)
        except naive.Refusal:
            return None


@pytest.mark.parametrize("fault", [ForgetsRetreats, ListsTwice, ShowsTheDeck, ForgetsTheCount, TakesAnything])
def test_a_planted_fault_is_found(fault: type[InProcess]) -> None:
    with pytest.raises(Disagreement):
        play_many(Comparison(fault()), "presets", 20)
