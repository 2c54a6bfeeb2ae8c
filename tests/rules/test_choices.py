"""Choices: what the browser is told of each action; the default move; what can be taken back."""

from __future__ import annotations

from app import rules
from app.rules import Advance, Draw, End, Retreat
from app.rules.modules.black_magic.lantern import OwedStack, Stack
from app.rules.modules.black_magic.pistol import OwedSteal, Steal
from app.rules.modules.black_magic.rum import OwedShare, Share
from app.rules.modules.complete import Sail
from app.rules.modules.morgan import Morgan
from app.rules.modules.scoundrels import Discard, OwedDiscards
from tests.rules.table import picture

LINE = "start:rrb hat:b key bottle:r goal"


def choice(position, action, seat=0):
    form = rules.action_to_json(action)
    (found,) = [one for one in rules.choices(position, seat) if one["action"] == form]
    del found["action"]
    return found


def test_an_advance_tells_where_it_leads_and_can_be_taken_back():
    assert choice(picture(LINE, red="key"), Advance("key", "start")) == {"to": 2, "final": False}


def test_a_retreat_tells_place_and_cards_and_is_final():
    assert choice(picture(LINE, deck="hat hat"), Retreat(3)) == {"to": 1, "draws": 1, "final": True}


def test_a_retreat_without_cards_to_be_had_can_be_taken_back():
    assert choice(picture(LINE), Retreat(3)) == {"to": 1, "final": False}


def test_a_winning_advance_is_final():
    position = picture("start:b hat:r key:b goal:r", red="key")
    assert choice(position, Advance("key", 1)) == {"to": "goal", "final": True}


def test_a_morgan_that_lets_the_other_win_draws_nothing():
    position = picture("start:r hat:r key:b goal:b", options={"card_gain": "morgan"}, deck="key hat skull")
    assert choice(position, Morgan(1, 2)) == {"to": "goal", "final": True}


def test_a_sail_can_be_taken_back_ending_the_turn_cannot():
    position = picture("start:rb chest hook sloop@cartagena:r rum pistol goal", taken=1)
    assert choice(position, Sail()) == {"final": False}
    assert choice(position, End()) == {"final": True}


def test_the_relief_draw_tells_its_card():
    assert choice(picture(LINE, options={"relief": "rest"}, deck="hat"), Draw()) == {
        "draws": 1,
        "final": True,
    }


def test_an_owed_discard_is_one_choice_with_a_count():
    position = picture("start:rb hat goal", pending=OwedDiscards(((1, 2),)), options={"scoundrels": True})
    assert rules.choices(position, 1) == [{"action": {"type": "discard", "count": 2}, "final": True}]


# --- the default move


def test_the_default_ends_the_turn_if_it_may():
    assert rules.default_action(picture(LINE, red="key", taken=1), 0) == End()


def test_else_it_is_the_first_retreat_listed():
    assert rules.default_action(picture(LINE, red="key"), 0) == Retreat(3)


def test_else_the_first_action_listed():
    position = picture("start:rb hat key goal", red="key")
    assert rules.default_action(position, 0) == rules.legal(position, 0)[0] == Advance("key", "start")


def test_what_is_owed_is_settled_as_in_resigning():
    magic = {"black_magic": True}
    line = "start:rb hook rum goal"
    steal = picture(line, pending=OwedSteal(0, 1, False), blue="rum hook", options=magic)
    assert rules.default_action(steal, 0) == Steal("hook")
    stack = picture(line, pending=OwedStack(0, (1, 2, 5), False), options=magic)
    assert rules.default_action(stack, 0) == Stack("hook", ("lantern", "rum"))
    share = picture(line, pending=OwedShare(0, (1, 2, 5), False), options=magic)
    assert rules.default_action(share, 0) == Share(("hook", "lantern"), ((1, "rum"),))
    owed = picture(
        "start:rb hat goal",
        pending=OwedDiscards(((1, 2),)),
        blue="key hat bottle",
        options={"scoundrels": True},
    )
    assert rules.default_action(owed, 1) == Discard(("bottle", "hat"))


# --- undo


def events(position, action, seat=0):
    return rules.apply(position, seat, action)[1]


def test_a_move_with_a_card_the_player_chose_can_be_undone():
    assert rules.is_undoable(events(picture(LINE, red="key"), Advance("key", "start")))


def test_nothing_that_became_known_can_be_undone():
    assert not rules.is_undoable(events(picture(LINE, deck="hat"), Retreat(3)))
    assert not rules.is_undoable(events(picture(LINE, row="hat"), Retreat(3)))
    assert not rules.is_undoable(events(picture(LINE, taken=1), End()))
