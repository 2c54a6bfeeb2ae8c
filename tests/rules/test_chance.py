"""Randomness: the published vectors (vectors.json) and statistical tests."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from app import rules
from app.rules.core.chance import Stream, shuffle
from tools.make_vectors import vectors

VECTORS = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))


def test_the_published_file_is_what_the_independent_program_writes():
    assert vectors() == VECTORS


@pytest.mark.parametrize("case", VECTORS["streams"], ids=lambda case: f"{case['seed'][:4]} {case['label']}")
def test_streams(case):
    stream = Stream(case["seed"], case["label"])
    assert [str(stream.next_number()) for _ in case["numbers"]] == case["numbers"]


@pytest.mark.parametrize("case", VECTORS["below"], ids=lambda case: f"{case['seed'][:4]} {case['label']}")
def test_numbers_below_a_bound(case):
    stream = Stream(case["seed"], case["label"])
    assert [str(stream.below(int(bound))) for bound in case["bounds"]] == case["answers"]


def test_the_vectors_contain_rejected_numbers():
    rejecting = [case for case in VECTORS["below"] if case["rejects"]]
    assert rejecting
    for case in rejecting:
        first = Stream(case["seed"], case["label"]).next_number()
        bound = int(case["bounds"][0])
        assert first >= 2**64 - 2**64 % bound
        assert case["answers"] != [str(first % bound)]


@pytest.mark.parametrize("case", VECTORS["shuffles"], ids=lambda case: f"{case['seed'][:4]} {case['label']}")
def test_shuffles(case):
    assert shuffle(case["seed"], case["label"], case["items"]) == case["shuffled"]
    assert shuffle(case["seed"], case["label"], reversed(case["items"])) == case["shuffled"]


@pytest.mark.parametrize("case", VECTORS["seeds"], ids=lambda case: str(len(case["nonces"])))
def test_commitment_seed_and_bots_nonces(case):
    assert rules.commitment_of(case["server_seed"]) == case["commitment"]
    assert rules.seed_from(case["server_seed"], case["nonces"]) == case["seed"]
    bots = [rules.bot_nonce(case["server_seed"], seat) for seat in range(len(case["nonces"]))]
    assert bots == case["bot_nonces"]
    assert [rules.seal_of(case["commitment"], nonce) for nonce in case["nonces"]] == case["seals"]


@pytest.mark.parametrize("case", VECTORS["set_ups"], ids=lambda case: case["options"]["preset"])
def test_whole_set_ups(case):
    position = rules.position_to_json(rules.new_game(rules.parse_options(case["options"]), case["seed"]))
    assert position["turn"]["seat"] == case["first"]
    assert [player["hand"] for player in position["players"]] == case["hands"]
    for name in ("board", "row", "deck", "chests", "chests_aside"):
        assert position[name] == case[name], name


def test_every_preset_is_among_the_set_ups():
    assert {case["options"]["preset"] for case in VECTORS["set_ups"]} == set(rules.PRESETS)


@pytest.mark.parametrize("nonce", ["", "0" * 31, "0" * 33, "A" * 32, None, 5])
def test_a_nonce_is_32_lower_case_hexadecimal_digits(nonce):
    with pytest.raises(rules.BadSeed):
        rules.seed_from("0" * 64, [nonce])


# --- statistical tests; the seeds are fixed, so the results never change

# The value that chi-square exceeds with probability 1/10,000, by degrees of freedom (from tables).
CHI_SQUARE_LIMIT = {1: 15.14, 2: 18.42, 3: 21.11, 4: 23.51, 5: 25.74, 35: 76.0, 119: 184.0}


def chi_square(counts: Counter, kinds: int) -> float:
    expected = counts.total() / kinds
    empty = (kinds - len(counts)) * expected
    return empty + sum((count - expected) ** 2 / expected for count in counts.values())


def make_seeds(count):
    return (f"{number:064x}" for number in range(count))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_seat_starts_equally_often(players):
    counts = Counter(Stream(seed, "first").below(players) for seed in make_seeds(3000))
    assert chi_square(counts, players) < CHI_SQUARE_LIMIT[players - 1]


def test_a_shuffle_gives_every_order_equally_often():
    counts = Counter("".join(shuffle(seed, "deck:0", "ABCDE")) for seed in make_seeds(6000))
    assert chi_square(counts, 120) < CHI_SQUARE_LIMIT[119]


def test_every_board_lies_at_every_place_equally_often():
    orders = [shuffle(seed, "board", "ABCDEF") for seed in make_seeds(3000)]
    for place in range(6):
        assert chi_square(Counter(order[place] for order in orders), 6) < CHI_SQUARE_LIMIT[5]


def test_every_board_is_turned_half_of_the_time():
    counts: Counter[int] = Counter()
    for seed in make_seeds(800):
        stream = Stream(seed, "turned")
        counts.update(stream.below(2) for _ in range(6))
    assert chi_square(counts, 2) < CHI_SQUARE_LIMIT[1]


def test_deals_give_every_seat_every_symbol_equally_often():
    options = rules.parse_options({"preset": "jamaica", "players": 3})
    counts = [Counter(), Counter(), Counter()]  # type: list[Counter[str]]
    for seed in make_seeds(400):
        position = rules.new_game(options, seed)
        for seat in range(3):
            counts[seat].update(position.hand_names(seat))
    for seat in range(3):
        # The six cards of a hand are slightly dependent, which only makes the counts more even.
        assert chi_square(counts[seat], 6) < CHI_SQUARE_LIMIT[5]


def test_the_snake_lies_under_every_chest_equally_often():
    options = rules.parse_options(
        {"preset": "dungeon", "players": 2, "black_magic": True, "passage_boards": 4}
    )
    counts: Counter[str] = Counter()
    for seed in make_seeds(500):
        position = rules.new_game(options, seed)
        tokens = [*position.tokens.values(), *position.tokens_aside]
        counts[str(tokens.index("snake") // 2)] += 1
    assert chi_square(counts, 4) < CHI_SQUARE_LIMIT[3]


def test_streams_of_different_labels_are_independent():
    pairs = Counter(
        (Stream(seed, "first").below(6), Stream(seed, "board").below(6)) for seed in make_seeds(4000)
    )
    assert chi_square(pairs, 36) < CHI_SQUARE_LIMIT[35]
