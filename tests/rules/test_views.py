"""Views: what each audience may see of a position."""

from __future__ import annotations

from app import rules
from app.rules import Advance, Draw, Resign, Retreat
from app.rules.modules.black_magic.lantern import LightLantern, Stack
from app.rules.modules.black_magic.pistol import AimPistol, Steal
from app.rules.modules.black_magic.rum import PourRum, Share
from tests.choices import choices_of
from tests.rules.layout import hand, lay_out, play

LINE = "start:rby hat:b key bottle:r goal"


def events_of_seat(events, seat, options):
    return rules.events_for(events, seat, options)


def events_seen(position, action, audience, by=0):
    _, events = rules.apply(position, by, action)
    return rules.events_for(events, audience, position.options)


def test_a_seat_sees_its_own_hand_and_the_sizes_of_the_others():
    view = rules.view(lay_out(LINE, red="hat key", blue="skull"), 0)
    assert [(p["hand"], p["cards"]) for p in view["players"]] == [(["hat", "key"], 2), (None, 1), (None, 0)]


def test_a_spectator_sees_no_hidden_hand():
    view = rules.view(lay_out(LINE, red="hat key", blue="skull"), None)
    assert [(p["hand"], p["cards"]) for p in view["players"]] == [(None, 2), (None, 1), (None, 0)]


def test_open_hands_are_seen_by_all():
    position = lay_out(LINE, red="hat key", blue="skull", options={"hands": "open"})
    for audience in (None, 0, 1, 2):
        view = rules.view(position, audience)
        assert [(p["hand"], p["cards"]) for p in view["players"]] == [
            (["hat", "key"], 2),
            (["skull"], 1),
            ([], 0),
        ]


def test_deck_seed_and_tokens_are_counted_but_not_shown():
    position = lay_out(
        "start:rb chest(snake) hook chest(1) goal",
        deck="hook rum",
        aside="2 3",
        options={"black_magic": True},
    )
    view = rules.view(position, 0)
    assert (view["seed"], view["deck"], view["chests_aside"]) == (None, 2, 2)
    assert view["chests"] == {"1": None, "3": None}


def test_everything_else_is_public():
    position = lay_out(LINE, row="hat key", discard="skull", taken=2)
    view, whole = rules.view(position, None), rules.position_to_json(position)
    for name in ("format", "options", "board", "row", "discard", "shuffles", "sloop", "turn", "winner"):
        assert view[name] == whole[name]
    assert [p["pirates"] for p in view["players"]] == [p["pirates"] for p in whole["players"]]
    assert view.keys() == whole.keys()


def test_each_view_is_a_new_object():
    position = lay_out(LINE, red="hat")
    rules.view(position, 0)["players"][0]["hand"].append("key")
    assert rules.view(position, 0)["players"][0]["hand"] == ["hat"]


def test_when_the_game_is_over_nothing_is_hidden():
    over = play(lay_out("start:b hat:r key:b goal", red="key", blue="skull", deck="hat"), Advance("key", 1))
    for audience in (None, 0, 1):
        assert rules.view(over, audience) == rules.position_to_json(over)


# --- events


def test_only_the_drawing_seat_sees_a_card_from_the_deck():
    position = lay_out(LINE, deck="skull")
    assert events_seen(position, Retreat(3), 0)[1]["cards"] == ["skull"]
    for audience in (1, 2, None):
        assert events_seen(position, Retreat(3), audience)[1]["cards"] is None
        assert events_seen(position, Retreat(3), audience)[1]["count"] == 1


def test_everyone_sees_a_card_taken_from_the_row():
    position = lay_out(LINE, row="skull hat")
    for audience in (0, 1, None):
        assert events_seen(position, Retreat(3), audience)[1]["cards"] == ["skull"]


def test_the_relief_card_from_the_deck_is_hidden_even_where_there_is_a_row():
    position = lay_out(LINE, row="skull hat", deck="key", options={"relief": "rest"})
    assert events_seen(position, Draw(), 1)[1]["cards"] is None


def test_everyone_sees_the_hand_of_a_resigning_seat():
    assert events_seen(lay_out(LINE, red="hat"), Resign(), None)[0]["cards"] == ["hat"]


# --- steal, share, stack


MAGIC = "start:rby hook rum goal"


def magic(**more):
    return lay_out(MAGIC, options={"black_magic": True}, deck="hook rum chest parrot rum", **more)


def hands_seen(position, audience):
    return [player["hand"] for player in rules.view(position, audience)["players"]]


def test_only_the_thief_sees_the_victims_hand_while_a_steal_is_pending():
    aimed = play(magic(red="pistol", blue="rum", yellow="chest"), AimPistol("pistol", 1))
    assert hands_seen(aimed, 0) == [[], ["rum"], None]
    assert hands_seen(aimed, 2) == [None, None, ["chest"]]
    assert hands_seen(aimed, None) == [None, None, None]


def test_the_thief_no_longer_sees_the_hand_after_the_steal():
    after = play(magic(red="pistol", blue="rum chest"), AimPistol("pistol", 1), Steal("rum"))
    assert hands_seen(after, 0) == [["rum"], None, None]


def test_only_thief_and_victim_see_what_a_pistol_showed_and_took():
    position = magic(red="pistol", blue="rum chest")
    assert events_seen(position, AimPistol("pistol", 1), 0)[0]["hand"] == ["chest", "rum"]
    for audience in (1, 2, None):
        assert events_seen(position, AimPistol("pistol", 1), audience)[0]["hand"] is None
    aimed = play(position, AimPistol("pistol", 1))
    assert [events_seen(aimed, Steal("rum"), one)[0]["card"] for one in (0, 1, 2, None)] == [
        "rum",
        "rum",
        None,
        None,
    ]


def test_only_the_chooser_sees_the_cards_of_a_share_even_with_open_hands():
    for hands in ("hidden", "open"):
        position = lay_out(
            MAGIC, options={"black_magic": True, "hands": hands}, red="rum", deck="hook rum hook rum"
        )
        poured = play(position, PourRum("rum"))
        pending = {"kind": "share", "seat": 0, "cards": ["hook", "hook", "rum", "rum"], "dark": False}
        assert rules.view(poured, 0)["pending"] == pending
        for audience in (1, 2, None):
            assert rules.view(poured, audience)["pending"] == pending | {"cards": None, "count": 4}


def test_a_receiver_sees_its_own_card_and_no_other():
    poured = play(magic(red="rum"), PourRum("rum"))
    share = Share(("chest", "hook"), ((1, "parrot"), (2, "rum")))
    given = [events_seen(poured, share, audience)[0] for audience in (0, 1, 2, None)]
    assert [event["give"] for event in given] == [
        {"1": "parrot", "2": "rum"},
        {"1": "parrot", "2": None},
        {"1": None, "2": "rum"},
        {"1": None, "2": None},
    ]
    assert [event["keep"] for event in given] == [["chest", "hook"], None, None, None]


def test_only_the_chooser_sees_what_a_lantern_shows_and_puts_back():
    lit = play(magic(red="lantern"), LightLantern("lantern"))
    assert rules.view(lit, 1)["pending"]["cards"] is None
    stack = Stack("hook", ("rum", "chest", "parrot"))
    assert events_seen(lit, stack, 0)[0]["back"] == ["rum", "chest", "parrot"]
    for audience in (1, 2, None):
        event = events_seen(lit, stack, audience)[0]
        assert (event["keep"], event["back"], event["count"]) == (None, None, 3)


def test_the_log_contains_everything():
    _, events = rules.apply(magic(red="lantern"), 0, LightLantern("lantern"))
    assert rules.event_to_json(events[1])["cards"] == ["hook", "rum", "chest", "parrot"]


def test_only_the_seat_to_act_gets_a_list():
    position = lay_out(LINE, red="hat", blue="key")
    assert choices_of(position, 0)
    assert choices_of(position, 1) == choices_of(position, 2) == []
    assert hand(position, "blue") == "key"
