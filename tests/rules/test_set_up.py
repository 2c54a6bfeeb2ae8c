"""Set-up of a game: symbols, cards, hands, row, boards, chests and the first seat."""

from __future__ import annotations

from collections import Counter

import pytest

from app import rules
from app.rules.core.cards import PRINTED_BOARDS, SYMBOL_SETS
from app.rules.core.chance import Stream, shuffle
from tests.rules.layout import SEED

PRESETS = tuple(rules.PRESETS)


def new_position(preset="jamaica", players=3, seed=SEED, **changed):
    return rules.new_game(rules.parse_options({"preset": preset, "players": players, **changed}), seed)


def new_position_json(*arguments, **changed):
    return rules.position_to_json(new_position(*arguments, **changed))


def all_cards(position):
    hands = [card for player in position["players"] for card in player["hand"]]
    return [*hands, *position["deck"], *position["row"], *position["discard"]]


def test_the_classic_symbols_are_six_with_the_pistol():
    assert SYMBOL_SETS["classic"] == ("bottle", "dagger", "hat", "key", "pistol", "skull")


def test_the_escape_symbols_are_six_with_the_pistol():
    assert SYMBOL_SETS["escape"] == ("chest", "hook", "lantern", "parrot", "pistol", "rum")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_seat_begins_with_its_pirates_at_the_start_and_six_cards(preset, players):
    position = new_position_json(preset, players)
    assert len(position["players"]) == players
    for player in position["players"]:
        assert player["pirates"] == ["start"] * 6
        assert len(player["hand"]) == 6
        assert player["resigned"] is False


@pytest.mark.parametrize("pirates", [4, 5, 6, 7, 8])
def test_the_number_of_pirates_is_an_option(pirates):
    assert new_position_json(pirates=pirates)["players"][0]["pirates"] == ["start"] * pirates


@pytest.mark.parametrize("copies", [10, 17, 18, 30])
def test_the_deck_has_the_given_copies_of_each_symbol_and_no_arrow_card(copies):
    assert Counter(all_cards(new_position_json(copies=copies))) == dict.fromkeys(
        SYMBOL_SETS["classic"], copies
    )


@pytest.mark.parametrize(("preset", "size"), [("tortuga", 12), ("hispaniola", 12), ("first-escape", 10)])
def test_with_the_row_supply_a_row_lies_face_up(preset, size):
    assert len(new_position_json(preset)["row"]) == size


@pytest.mark.parametrize("size", [1, 7, 20])
def test_the_size_of_the_row_is_an_option(size):
    assert len(new_position_json("tortuga", row_size=size)["row"]) == size


def test_with_the_deck_supply_there_is_no_row():
    assert new_position_json("jamaica")["row"] == []


def test_the_deal_seat_0_takes_the_top_six_then_seat_1_then_the_row():
    position = new_position_json("tortuga", 3)
    cards = shuffle(SEED, "deck:0", [name for name in SYMBOL_SETS["classic"] for _ in range(17)])
    for seat, player in enumerate(position["players"]):
        assert player["hand"] == sorted(cards[6 * seat : 6 * seat + 6])
    assert position["row"] == cards[18:30]
    assert position["deck"] == cards[30:]


def test_hands_are_sorted_as_text_with_dark_cards_behind_their_light_ones():
    hand = new_position_json(scoundrels=True, seed="0" * 64)["players"][0]["hand"]
    assert hand == sorted(hand)


# --- boards


def test_printed_boards_are_the_six_of_the_2000_edition():
    texts = {letter: " ".join(symbols) for letter, symbols in PRINTED_BOARDS.items()}
    assert texts == {
        "A": "bottle pistol hat skull dagger key",
        "B": "dagger bottle key pistol hat skull",
        "C": "hat key pistol bottle skull dagger",
        "D": "key bottle skull dagger hat pistol",
        "E": "pistol key dagger hat skull bottle",
        "F": "hat dagger key bottle pistol skull",
    }


def test_printed_boards_lie_each_once_in_the_seeds_order_and_direction():
    turned = Stream(SEED, "turned")
    expected: list[str] = []
    for letter in shuffle(SEED, "board", "ABCDEF"):
        board = PRINTED_BOARDS[letter]
        expected += board[::-1] if turned.below(2) else board
    assert new_position_json("jamaica")["board"] == expected


def test_no_two_printed_boards_are_alike_in_either_direction_so_there_are_46_080_routes():
    both_ways = {tuple(b) for b in PRINTED_BOARDS.values()} | {
        tuple(b[::-1]) for b in PRINTED_BOARDS.values()
    }
    assert len(both_ways) == 12


@pytest.mark.parametrize(
    ("preset", "changed", "boards"),
    [
        ("dungeon", {"passage_boards": 4}, 4),
        ("dungeon", {"passage_boards": 8}, 8),
        ("jungle", {"jungle_boards": 5}, 5),
        ("complete", {"passage_boards": 5}, 8),
    ],
)
def test_random_boards_are_fresh_permutations_of_the_six_symbols(preset, changed, boards):
    board = new_position_json(preset, **changed)["board"]
    assert len(board) == boards * 6
    for number in range(1, boards + 1):
        expected = shuffle(SEED, f"board:{number}", SYMBOL_SETS["escape"])
        assert board[6 * number - 6 : 6 * number] == expected


def test_spaces_are_numbered_from_the_fortress_on():
    names = new_position("jungle").ruleset.route.names
    assert names == ("start", *range(1, 37), "goal")


# --- who starts


@pytest.mark.parametrize("first", [0, 1, 2])
def test_a_seat_may_be_named_to_start(first):
    assert new_position_json(first=first)["turn"] == {"seat": first, "taken": 0, "captain_used": False}


def test_the_first_seat_is_otherwise_random():
    for players in (2, 3, 4, 5):
        assert new_position_json(players=players)["turn"]["seat"] == Stream(SEED, "first").below(players)


# --- chests


def test_without_black_magic_there_are_no_tokens():
    position = new_position_json("dungeon")
    assert (position["chests"], position["chests_aside"]) == ({}, [])


@pytest.mark.parametrize("boards", [4, 6, 8])
def test_the_first_shuffled_tokens_lie_on_the_chest_spaces_in_ascending_order_the_rest_aside(boards):
    position = new_position_json("dungeon", black_magic=True, passage_boards=boards)
    tokens = shuffle(SEED, "chests:0", ["1", "1", "2", "2", "3", "3", "empty", "snake"])
    spaces = [str(space) for space, symbol in enumerate(position["board"], 1) if symbol == "chest"]
    assert list(position["chests"]) == spaces
    assert list(position["chests"].values()) == tokens[:boards]
    assert position["chests_aside"] == tokens[boards:]


def test_counts_start_at_zero():
    position = new_position_json("complete", black_magic=True)
    assert (position["shuffles"], position["chest_shuffles"], position["forced_passes"]) == (0, 0, 0)
    assert (position["pending"], position["winner"], position["discard"]) == (None, None, [])


@pytest.mark.parametrize("seed", ["", "0" * 63, "0" * 65, "G" * 64, "A" * 64, None, 7])
def test_a_seed_is_64_lower_case_hexadecimal_digits(seed):
    with pytest.raises(rules.BadSeed):
        new_position(seed=seed)


def test_the_seed_determines_the_table():
    assert new_position_json() == new_position_json()
    assert new_position_json() != new_position_json(seed="1" * 64)
