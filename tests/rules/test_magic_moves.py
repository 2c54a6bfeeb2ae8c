"""Powers that move pirates: parrots, the hook, and the chest with its snake."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Advance
from app.rules.core.chance import shuffle
from app.rules.modules.black_magic.chest import OpenChest
from app.rules.modules.black_magic.chest_tokens import CHEST_TOKENS
from app.rules.modules.black_magic.hook import AdvanceWithHook
from app.rules.modules.black_magic.parrot import AdvanceWithParrots
from tests.rules.layout import SEED, deck, discard, hand, is_legal, lay_out, layout_of, play, play_with_events

LINE = "start:rb chest hook:rr rum parrot lantern goal"


def magic(line=LINE, **more):
    return lay_out(line, options={"black_magic": True} | more.pop("options", {}), **more)


# --- parrot


@pytest.mark.parametrize("symbol", ["chest", "hook", "lantern", "parrot", "rum"])
def test_two_parrots_advance_with_any_symbol(symbol):
    line = "start:rb chest hook lantern parrot rum goal"
    after, events = play_with_events(
        magic(line, red="parrot parrot"), AdvanceWithParrots(("parrot", "parrot"), symbol, "start")
    )
    assert f"{symbol}:r" in layout_of(after)
    assert (after.actions_taken, hand(after, "red"), discard(after)) == (1, "", "parrot parrot")
    assert events[0]["as"] == symbol


def test_a_parrot_advance_follows_the_rules_of_an_advance():
    after = play(magic(red="parrot parrot"), AdvanceWithParrots(("parrot", "parrot"), "pistol", 2))
    assert layout_of(after) == "start:rb chest hook:r rum parrot lantern goal:r"


def test_one_parrot_is_not_enough():
    assert not is_legal(magic(red="parrot rum"), AdvanceWithParrots(("parrot", "parrot"), "rum", "start"))
    assert not is_legal(magic(red="parrot parrot"), AdvanceWithParrots(("parrot",), "rum", "start"))
    assert not is_legal(
        magic(red="parrot parrot parrot"), AdvanceWithParrots(("parrot", "parrot", "parrot"), "rum", "start")
    )


def test_both_cards_must_be_parrots():
    assert not is_legal(magic(red="parrot rum"), AdvanceWithParrots(("parrot", "rum"), "rum", "start"))


def test_a_light_and_a_dark_parrot_are_listed_once_and_accepted_in_any_order():
    before = magic(red="parrot parrot*", options={"scoundrels": True})
    listed = [action for action in rules.legal(before, 0) if isinstance(action, AdvanceWithParrots)]
    assert {action.cards for action in listed} == {("parrot", "parrot*")}
    one = play(before, AdvanceWithParrots(("parrot", "parrot*"), "rum", "start"))
    assert one == play(before, AdvanceWithParrots(("parrot*", "parrot"), "rum", "start"))
    assert discard(one) == "parrot parrot*"


def test_parrots_work_from_the_sloop_only_at_tortuga():
    line = "start:rb chest hook sloop@cartagena:r rum pistol goal"
    cards = ("parrot", "parrot")
    assert not is_legal(magic(line, red="parrot parrot"), AdvanceWithParrots(cards, "rum", "sloop"))
    assert is_legal(
        magic(line.replace("cartagena", "tortuga"), red="parrot parrot"),
        AdvanceWithParrots(cards, "rum", "sloop"),
    )


def test_parrots_never_work_from_the_goal():
    before = magic("start:rb chest hook rum goal:r", red="parrot parrot")
    assert not is_legal(before, AdvanceWithParrots(("parrot", "parrot"), "rum", "goal"))


# --- hook


def test_a_hook_advances_two_pirates_together_by_the_second_card():
    after, events = play_with_events(magic(red="hook lantern rum"), AdvanceWithHook("hook", "lantern", 2))
    assert layout_of(after) == "start:rb chest hook rum parrot lantern:rr goal"
    assert hand(after, "red") == "rum"
    assert events == [
        {"type": "hook_advanced", "seat": 0, "card": "hook", "with": "lantern", "from": 2, "to": 5}
    ]


def test_a_hook_costs_two_actions():
    assert play(magic(red="hook lantern"), AdvanceWithHook("hook", "lantern", 2)).actions_taken == 2
    assert is_legal(magic(red="hook lantern", taken=1), AdvanceWithHook("hook", "lantern", 2))
    assert not is_legal(magic(red="hook lantern", taken=2), AdvanceWithHook("hook", "lantern", 2))
    assert not is_legal(
        magic(red="hook lantern", options={"actions": 1}), AdvanceWithHook("hook", "lantern", 2)
    )


def test_a_hook_lies_on_the_discards_before_the_card_played_with_it():
    assert discard(play(magic(red="hook chest"), AdvanceWithHook("hook", "chest", 2))) == "hook chest"


def test_the_second_card_may_be_a_hook_if_two_are_held():
    assert is_legal(magic(red="hook hook"), AdvanceWithHook("hook", "hook", 2))
    assert not is_legal(magic(red="hook"), AdvanceWithHook("hook", "hook", 2))


def test_a_light_and_a_dark_hook_are_listed_both_ways_round():
    before = magic(red="hook hook*", options={"scoundrels": True})
    listed = {(a.card, a.second) for a in rules.legal(before, 0) if isinstance(a, AdvanceWithHook)}
    assert listed == {("hook", "hook*"), ("hook*", "hook")}
    assert discard(play(before, AdvanceWithHook("hook*", "hook", 2))) == "hook* hook"


def test_a_hook_moves_both_pirates_to_the_first_empty_space_or_the_goal():
    line = "start:rb chest hook:rr rum:b rum lantern goal"
    assert layout_of(play(magic(line, red="hook rum"), AdvanceWithHook("hook", "rum", 2))) == (
        "start:rb chest hook rum:b rum:rr lantern goal"
    )
    assert layout_of(play(magic(line, red="hook chest"), AdvanceWithHook("hook", "chest", 2))) == (
        "start:rb chest hook rum:b rum lantern goal:rr"
    )


def test_a_hook_leaves_a_third_pirate_behind():
    line = "start:rb chest hook:rrr rum lantern goal"
    assert layout_of(play(magic(line, red="hook rum"), AdvanceWithHook("hook", "rum", 2))) == (
        "start:rb chest hook:r rum:rr lantern goal"
    )


def test_a_hook_needs_two_pirates_of_the_same_colour():
    assert not is_legal(
        magic("start:rr chest hook:rb rum lantern goal", red="hook rum"), AdvanceWithHook("hook", "rum", 2)
    )


@pytest.mark.parametrize("origin", ["start", "sloop", "goal"])
def test_a_hook_never_works_from_start_sloop_or_goal(origin):
    line = "start:rrb chest hook sloop@tortuga:rr rum pistol goal:rr"
    assert not is_legal(magic(line, red="hook rum"), AdvanceWithHook("hook", "rum", origin))


def test_a_hook_needs_room_for_both_pirates_on_the_sloop():
    line = "start:rb chest:rr hook sloop@cartagena:r rum pistol goal"
    after = play(magic(line, red="hook rum"), AdvanceWithHook("hook", "rum", 1))
    assert layout_of(after) == "start:rb chest hook sloop@cartagena:rrr rum pistol goal"
    full = "start:rb chest:rr hook sloop@cartagena:rr rum pistol goal"
    assert not is_legal(magic(full, red="hook rum"), AdvanceWithHook("hook", "rum", 1))
    assert is_legal(magic(full, red="hook rum"), Advance("rum", 1))


# --- chest

AT_CHEST = "start:rb rum chest({}):r hook rum:b chest(2) lantern goal"


@pytest.mark.parametrize(("token", "cards"), [("1", 1), ("2", 2), ("3", 3), ("empty", 0)])
def test_a_chest_gives_up_to_three_cards(token, cards):
    before = magic(AT_CHEST.format(token), red="chest", deck="hook hook hook hook")
    after, events = play_with_events(before, OpenChest("chest", 2))
    assert hand(after, "red").split() == ["hook"] * cards
    assert (after.actions_taken, discard(after)) == (1, "chest")
    assert events[0] == {"type": "chest_opened", "seat": 0, "card": "chest", "from": 2, "token": token}


def test_an_opened_token_is_removed():
    after = play(magic(AT_CHEST.format("1"), red="chest chest", deck="hook"), OpenChest("chest", 2))
    assert layout_of(after) == "start:rb rum chest:r hook rum:b chest(2) lantern goal"
    assert not is_legal(after, OpenChest("chest", 2))


def test_opening_a_chest_needs_a_pirate_on_a_face_down_token():
    before = magic(AT_CHEST.format("1"), red="chest", deck="hook")
    for place in (1, 3, 4, 5, "start", "goal"):
        assert not is_legal(before, OpenChest("chest", place))


def test_several_tokens_may_be_opened_one_after_the_other():
    line = "start:rb chest(1):r hook chest(2):r rum goal"
    after = play(
        magic(line, red="chest chest", deck="hook hook hook"), OpenChest("chest", 1), OpenChest("chest", 3)
    )
    assert (hand(after, "red"), after.actions_taken) == ("hook hook hook", 2)
    assert deck(after) == ""


# --- snake


def strike_with_snake(line, space):
    after, events = play_with_events(magic(line, red="chest", deck="hook hook"), OpenChest("chest", space))
    assert [event["type"] for event in events] == ["chest_opened", "snake_struck", "chests_laid"]
    assert hand(after, "red") == ""
    after.tokens = {}  # another test checks the tokens
    return layout_of(after)


def test_the_snake_sends_the_pirate_back_to_the_nearest_empty_rum_space():
    line = "start:rb rum hook rum hook chest(snake):r goal"
    assert strike_with_snake(line, 5) == "start:rb rum hook rum:r hook chest goal"


def test_the_snake_skips_occupied_rum_spaces():
    line = "start:rb rum hook rum:b hook chest(snake):r goal"
    assert strike_with_snake(line, 5) == "start:rb rum:r hook rum:b hook chest goal"


def test_the_snake_ignores_rum_spaces_ahead():
    line = "start:rb hook:b lantern pistol chest(snake):r rum goal"
    assert strike_with_snake(line, 4) == "start:rb hook:b lantern:r pistol chest rum goal"


def test_without_a_rum_space_the_snake_sends_the_pirate_to_the_lowest_empty_space():
    line = "start:rb hook lantern rum:b chest(snake):r goal"
    assert strike_with_snake(line, 4) == "start:rb hook:r lantern rum:b chest goal"


def test_without_an_empty_space_behind_the_snake_leaves_the_pirate():
    line = "start:rb hook:b rum:b chest(snake):r goal"
    assert strike_with_snake(line, 3) == "start:rb hook:b rum:b chest:r goal"


def test_the_snake_leaves_a_pirate_on_the_first_space():
    assert strike_with_snake("start:rb chest(snake):r rum goal", 1) == "start:rb chest:r rum goal"


def test_the_snake_stays_on_the_pirates_side():
    first_of_the_jungle = "start:rb rum hook sloop@cartagena chest(snake):r pistol goal"
    assert (
        strike_with_snake(first_of_the_jungle, 3) == "start:rb rum hook sloop@cartagena chest:r pistol goal"
    )
    deeper = "start:rb rum pistol sloop@cartagena hook:b chest(snake):r goal"
    assert strike_with_snake(deeper, 4) == "start:rb rum pistol sloop@cartagena hook:b chest:r goal"


def test_after_the_snake_all_eight_tokens_are_shuffled_and_laid_anew():
    line = "start:rb chest rum chest(snake):r chest(3) goal"
    after, events = play_with_events(magic(line, red="chest", aside="1 1 2 empty"), OpenChest("chest", 3))
    tokens = shuffle(SEED, "chests:1", CHEST_TOKENS)
    assert list(after.tokens.values()) == tokens[:3]
    assert list(after.tokens_aside) == tokens[3:]
    assert after.token_shuffles == 1
    assert events[-1] == {"type": "chests_laid", "spaces": [1, 3, 4], "aside": 5}


def test_only_the_snake_reshuffles_the_tokens():
    line = "start:rb chest rum chest(empty):r chest(snake) goal"
    after = play(magic(line, red="chest"), OpenChest("chest", 3))
    assert (len(after.tokens), after.token_shuffles) == (1, 0)
