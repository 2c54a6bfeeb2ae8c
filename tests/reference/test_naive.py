"""The reference implementation passes the worked examples of the rules page."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reference import naive
from tests.reference.naive.chance import below, shuffle, stream
from tests.reference.naive.setup import PRINTED, all_cards

Json = dict[str, Any]
SEED = "5eed" * 16


def classic(hands: list[list[str]], pirates: list[list[int | str]], letters: str = "FBECDA") -> Json:
    """Return a jamaica position on printed boards, all forward, with the given hands and pirates."""
    position = naive.new({"preset": "jamaica", "players": len(hands), "first": 0}, SEED)
    position["board"] = [symbol for letter in letters for symbol in PRINTED[letter].split()]
    rest = all_cards(position["options"])
    for player, hand, places in zip(position["players"], hands, pirates, strict=True):
        for card in hand:
            rest.remove(card)
        player["hand"] = sorted(hand)
        player["pirates"] = places
    position["deck"] = rest
    naive.check_position(position)
    return position


def advanced(position: Json, card: str, source: int | str) -> Json:
    return naive.apply(position, 0, {"type": "advance", "card": card, "from": source})


def test_a_skull_moves_yellow_past_two_occupied_skulls() -> None:
    before = classic([["skull"], []], [[9, *["goal"] * 5], [12, 17, *["goal"] * 4]])
    assert advanced(before, "skull", 9)["players"][0]["pirates"] == [23, *["goal"] * 5]


def test_three_daggers_put_blue_on_7_15_and_24() -> None:
    # Board F has its dagger on 2, which is occupied.
    before = classic([["dagger"] * 3, []], [["start", 6, 6, *["goal"] * 3], [2, *["goal"] * 5]])
    one = advanced(before, "dagger", "start")
    two = advanced(one, "dagger", 6)
    three = advanced(two, "dagger", 6)
    assert [p["players"][0]["pirates"][:3] for p in (one, two, three)] == [[6, 6, 7], [6, 7, 15], [7, 15, 24]]
    assert three["discard"] == ["dagger"] * 3
    assert naive.legal(three) == [{"seat": 0, "action": {"type": "end"}}]


def test_red_on_8_retreats_to_two_pirates_on_6_for_two_cards() -> None:
    before = classic([[], []], [[8, *["goal"] * 5], [6, 6, *["goal"] * 4]])
    after = naive.apply(before, 0, {"type": "retreat", "from": 8})
    assert after["players"][0]["pirates"][0] == 6
    assert after["players"][0]["hand"] == sorted(before["deck"][:2])


def test_blue_on_17_and_18_retreats_past_three_and_then_into_two() -> None:
    position = classic([[], []], [[17, 18, *["goal"] * 4], [12, 17, 17, *["goal"] * 3]])
    gained = []
    for source in (17, 18, 17):
        held = len(position["players"][0]["hand"])
        position = naive.apply(position, 0, {"type": "retreat", "from": source})
        gained.append(len(position["players"][0]["hand"]) - held)
    assert position["players"][0]["pirates"] == [12, 12, *["goal"] * 4]
    assert gained == [1, 2, 2]


def test_with_every_bottle_ahead_occupied_a_bottle_leads_to_the_goal() -> None:
    position = classic([["bottle"], []], [[17, *["goal"] * 5], [18, 18, 22, 26, 31, 31]])
    taken = {n for n, symbol in enumerate(position["board"], 1) if symbol == "bottle" and n > 17}
    assert taken == {18, 22, 26, 31}
    after = advanced(position, "bottle", 17)
    assert after["winner"] == 0
    assert after["turn"] == {"seat": 0, "taken": 1, "captain_used": False}
    assert naive.legal(after) == []
    with pytest.raises(naive.Refusal, match="game_over"):
        naive.apply(after, 1, {"type": "resign"})


def test_a_pirate_retreats_from_the_goal_for_a_card() -> None:
    before = classic([[], []], [["start", *["goal"] * 5], [36, *["goal"] * 5]])
    after = naive.apply(before, 0, {"type": "retreat", "from": "goal"})
    assert after["players"][0]["pirates"] == ["start", 36, *["goal"] * 4]
    assert len(after["players"][0]["hand"]) == 1


def test_stream_numbers_stay_below_the_bound_and_shuffles_keep_all_items() -> None:
    numbers = stream(SEED, "first")
    assert all(0 <= below(numbers, 5) < 5 for _ in range(100))
    assert sorted(shuffle(SEED, "board", list("FEDCBA"))) == list("ABCDEF")
    assert shuffle(SEED, "board", list("FEDCBA")) == shuffle(SEED, "board", list("ABCDEF"))
