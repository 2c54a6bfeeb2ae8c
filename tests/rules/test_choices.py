"""Choices: what the browser receives for each action, the default action, and what can be undone."""

from __future__ import annotations

from app import rules
from app.rules import Advance, Draw, End, Retreat
from app.rules.modules.black_magic.lantern import PendingStack, Stack
from app.rules.modules.black_magic.pistol import PendingSteal, Steal
from app.rules.modules.black_magic.rum import PendingShare, Share
from app.rules.modules.complete import Sail
from app.rules.modules.morgan import MoveWithMorgan
from app.rules.modules.scoundrels import Discard, PendingDiscards
from tests.choices import choices_of
from tests.rules.layout import lay_out

LINE = "start:rrb hat:b key bottle:r goal"


def choice(position, action, seat=0):
    form = rules.action_to_json(action)
    (found,) = [one for one in choices_of(position, seat) if one["action"] == form]
    del found["action"]
    return found


def test_an_advance_shows_its_destination_and_can_be_undone():
    assert choice(lay_out(LINE, red="key"), Advance("key", "start")) == {"to": 2, "final": False}


def test_a_retreat_shows_destination_and_cards_and_is_final():
    assert choice(lay_out(LINE, deck="hat hat"), Retreat(3)) == {"to": 1, "draws": 1, "final": True}


def test_a_retreat_that_draws_no_card_can_be_undone():
    assert choice(lay_out(LINE), Retreat(3)) == {"to": 1, "final": False}


def test_a_winning_advance_is_final():
    position = lay_out("start:b hat:r key:b goal:r", red="key")
    assert choice(position, Advance("key", 1)) == {"to": "goal", "final": True}


def test_morgan_draws_nothing_if_the_other_seat_wins():
    position = lay_out("start:r hat:r key:b goal:b", options={"card_gain": "morgan"}, deck="key hat skull")
    assert choice(position, MoveWithMorgan(1, 2)) == {"to": "goal", "final": True}


def test_a_sail_can_be_undone_but_ending_the_turn_cannot():
    position = lay_out("start:rb chest hook sloop@cartagena:r rum pistol goal", taken=1)
    assert choice(position, Sail()) == {"final": False}
    assert choice(position, End()) == {"final": True}


def test_the_relief_draw_shows_that_it_draws_a_card():
    assert choice(lay_out(LINE, options={"relief": "rest"}, deck="hat"), Draw()) == {
        "draws": 1,
        "final": True,
    }


def test_a_pending_discard_is_one_choice_with_a_count():
    position = lay_out("start:rb hat goal", pending=PendingDiscards(((1, 2),)), options={"scoundrels": True})
    assert choices_of(position, 1) == [{"action": {"type": "discard", "count": 2}, "final": True}]


# --- the default action


def test_the_default_action_ends_the_turn_if_legal():
    assert rules.default_action(lay_out(LINE, red="key", taken=1), 0) == End()


def test_the_default_action_is_else_the_first_retreat():
    assert rules.default_action(lay_out(LINE, red="key"), 0) == Retreat(3)


def test_the_default_action_is_else_the_first_action():
    position = lay_out("start:rb hat key goal", red="key")
    assert rules.default_action(position, 0) == rules.legal(position, 0)[0] == Advance("key", "start")


def test_the_default_action_settles_a_pending_choice_like_resigning():
    magic = {"black_magic": True}
    line = "start:rb hook rum goal"
    steal = lay_out(line, pending=PendingSteal(0, 1, False), blue="rum hook", options=magic)
    assert rules.default_action(steal, 0) == Steal("hook")
    stack = lay_out(line, pending=PendingStack(0, (1, 2, 5), False), options=magic)
    assert rules.default_action(stack, 0) == Stack("hook", ("lantern", "rum"))
    share = lay_out(line, pending=PendingShare(0, (1, 2, 5), False), options=magic)
    assert rules.default_action(share, 0) == Share(("hook", "lantern"), ((1, "rum"),))
    owed = lay_out(
        "start:rb hat goal",
        pending=PendingDiscards(((1, 2),)),
        blue="key hat bottle",
        options={"scoundrels": True},
    )
    assert rules.default_action(owed, 1) == Discard(("bottle", "hat"))


# --- undo


def events(position, action, seat=0):
    return rules.apply(position, seat, action)[1]


def test_a_move_with_a_card_the_player_chose_can_be_undone():
    assert rules.is_undoable(events(lay_out(LINE, red="key"), Advance("key", "start")))


def test_nothing_that_was_revealed_can_be_undone():
    assert not rules.is_undoable(events(lay_out(LINE, deck="hat"), Retreat(3)))
    assert not rules.is_undoable(events(lay_out(LINE, row="hat"), Retreat(3)))
    assert not rules.is_undoable(events(lay_out(LINE, taken=1), End()))
