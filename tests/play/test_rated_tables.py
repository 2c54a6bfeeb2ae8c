"""Rated tables: who may sit down, what they forbid, when they count, and the ranks of their players."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from app.play.create import new_table
from app.play.engines import CURRENT_RULES_VERSION
from app.play.log.entries import Entry
from app.play.log.fold import fold
from app.play.log.reading import build_record, read_whole_log
from app.play.log.table import Table
from app.play.log.terms import parse_terms
from app.play.refusals import Refusal
from app.rules.formats.record import record_from_json
from tests.play.stage import Guest, Stage

CLOCK = {"kind": "turn", "seconds": 60}


async def get_table(guest: Guest) -> Table:
    return (await guest.room()).table


async def read_result(stage: Stage, game: str) -> dict[str, Any]:
    """The result as lists of games and the ratings read it."""
    row = await stage.store.log.read_game(game)
    assert row is not None
    assert row.summary is not None
    assert row.summary.result is not None
    return row.summary.result


def block_of(guest: Guest) -> dict[str, Any]:
    found: dict[str, Any] = next(m["table"] for m in reversed(guest.listener.received) if m.get("table"))
    return found


# -- who may create and join one ---------------------------------------------------------------------


async def test_a_guest_can_neither_create_a_rated_table_nor_sit_down_at_one(stage: Stage) -> None:
    bo = stage.guest("bo")
    with pytest.raises(Refusal) as refused:
        await stage.open_table(bo, rated=True)
    assert refused.value.code == "account_required"
    assert refused.value.message == "Log in or create an account to create a rated table."
    ann = stage.guest("ann").with_account()
    game = await stage.open_table(ann, rated=True)
    await bo.enter(game)
    assert await bo.expect_refusal("sit") == "account_required"
    await ann.enter(game)
    await ann.sit()


@pytest.mark.parametrize(
    ("terms", "bots", "is_from_screen", "sentence"),
    [
        ({"hints": True}, [], False, "A rated table cannot have hints. Turn one of them off."),
        ({}, [], True, "A table on a big screen cannot be rated."),
        (
            {"absence": 0},
            [],
            False,
            "A rated table without a clock needs a time until absence. Choose one, or a clock.",
        ),
        (
            {},
            ["mate", "mate"],
            False,
            "A rated table needs seats for at least two people. Seat fewer bots.",
        ),
    ],
)
def test_a_table_that_cannot_be_rated_is_refused_with_the_reason(
    terms: dict[str, Any], bots: list[str], is_from_screen: bool, sentence: str
) -> None:
    parsed, _ = parse_terms(terms)
    options = {"preset": "jamaica", "players": 3}
    with pytest.raises(Refusal) as refused:
        new_table(
            "p_ann",
            options,
            parsed,
            bots,
            1,
            CURRENT_RULES_VERSION,
            is_from_screen=is_from_screen,
            is_rated=True,
        )
    assert (refused.value.code, refused.value.message) == ("bad_options", sentence)


async def test_tables_are_not_rated_unless_their_creator_asks_for_it(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    assert not (await get_table(ann)).is_rated
    assert "rated" not in block_of(ann)
    await bo.act({"type": "resign"})
    assert await read_result(stage, ann.game) == {"winner": 0, "places": [1, 2], "reason": "resigned"}


# -- before the start, it says whether it will count -------------------------------------------------


async def test_the_table_says_before_the_start_whether_it_will_count(stage: Stage) -> None:
    ann, bo = stage.guest("ann").with_account(), stage.guest("bo").with_account()
    game = await stage.open_table(ann, players=3, rated=True)
    await ann.enter(game)
    await ann.sit()
    assert block_of(ann)["rated"] == {"pool": "group-hidden", "counts": False}
    await ann.send("bot", level="mate")
    assert block_of(ann)["rated"] == {"pool": "duel-hidden", "counts": False}
    await bo.enter(game)
    await bo.sit()
    assert block_of(ann)["rated"] == {"pool": "group-hidden", "counts": True}
    (row,) = await stage.game_server.lobby.read_own_games(ann.actor)
    assert row["rated"]


async def test_a_game_that_one_person_starts_against_bots_is_not_rated(stage: Stage) -> None:
    ann = stage.guest("ann").with_account()
    game = await stage.open_table(ann, players=2, rated=True)
    await ann.enter(game)
    await ann.sit()
    await ann.send("bot", level="mate")
    await ann.send("ready", ready=True)
    await ann.send("start")
    assert "rated" not in block_of(ann)
    await ann.act({"type": "resign"})
    assert "ranks" not in await read_result(stage, game)
    row = await stage.store.log.read_game(game)
    assert row is not None
    assert row.summary is not None
    assert not row.summary.is_rated


async def test_a_seat_taken_through_an_older_worker_makes_the_game_unrated(stage: Stage) -> None:
    """Workers of the previous release let guests sit down; their entries do not say that it is an account."""
    ann, _ = await stage.start_game("ann", "bo", rated=True)
    entries = await read_whole_log(stage.store.log, ann.game)
    row = await stage.store.log.read_game(ann.game)
    assert row is not None
    for is_old, expected in ((False, True), (True, False)):
        table = Table.from_row(row)
        for entry in entries:
            body = {name: value for name, value in entry.body.items() if not is_old or name != "account"}
            fold(table, msgspec.structs.replace(entry, body=body))
        assert table.is_rated is expected


# -- ranks -------------------------------------------------------------------------------------------


async def test_who_resigns_is_last_and_the_result_has_ranks(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", rated=True)
    await ann.act({"type": "resign"})
    assert await read_result(stage, ann.game) == {
        "winner": 1,
        "places": [2, 1],
        "reason": "resigned",
        "ranks": [2, 1],
    }
    assert block_of(bo)["result"]["ranks"] == [2, 1]


async def test_everyone_who_gave_up_ties_for_last(stage: Stage) -> None:
    ann, bo, cy = await stage.start_game("ann", "bo", "cy", rated=True)
    await bo.act({"type": "resign"})
    await ann.act({"type": "resign"})
    assert (await read_result(stage, cy.game))["ranks"] == [2, 2, 1]


async def test_bots_have_no_rank(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", rated=True, bots=["cabin-boy", "cabin-boy"])
    await bo.act({"type": "resign"})
    await ann.act({"type": "resign"})
    await stage.advance_and_sweep(1)
    result = await read_result(stage, ann.game)
    assert result["places"] == [3, 4, 1, 1], "the server ended it, because only bots were left"
    assert result["ranks"] == [1, 1, None, None], "both gave up"


async def test_a_seat_that_a_bot_took_over_is_last_even_if_its_player_returns_and_wins(stage: Stage) -> None:
    ann, bo, cy = await stage.start_game("ann", "bo", "cy", rated=True)
    await ann.hand_seat_to_bot()
    await ann.send("return")
    await cy.act({"type": "resign"})
    await bo.act({"type": "resign"})
    result = await read_result(stage, ann.game)
    assert result["winner"] == 0
    assert result["ranks"] == [1, 1, 1], "all three gave up"
    assert "timed_out" not in result


async def test_running_out_of_time_for_good_is_giving_up(stage: Stage) -> None:
    ann, _, _ = await stage.start_game("ann", "bo", "cy", rated=True, clock=CLOCK)
    assert (await get_table(ann)).to_act == (0,)
    while (await get_table(ann)).to_act == (0,):
        await stage.advance_and_sweep(61)
    table = await get_table(ann)
    assert table.clock_played == {0}
    ended = msgspec.structs.replace(table, position=None)
    last = Entry(table.id, table.seq + 1, "action", 1, {}, "person", table.at, None, "p_bo")
    ended.end_game("finished", last, 1, "goal", [2, 1, 3])
    assert ended.result is not None
    assert (ended.result["ranks"], ended.result["timed_out"]) == ([3, 1, 2], [0])


@pytest.mark.parametrize("terms", [{"clock": CLOCK}, {"clock": {"kind": "days", "days": 1}}])
async def test_resigning_after_the_leaders_late_turn_is_still_a_loss(
    stage: Stage, terms: dict[str, Any]
) -> None:
    ann, bo = await stage.start_game("ann", "bo", rated=True, **terms)
    while (await get_table(ann)).to_act == (0,):
        await stage.advance_and_sweep(3601)
    assert (await get_table(ann)).clock_played == {0}
    await bo.act({"type": "resign"})
    result = await read_result(stage, ann.game)
    assert result["ranks"] == [1, 2]
    assert "timed_out" not in result


async def test_who_plays_on_after_running_out_of_time_has_not_given_up(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", rated=True, clock=CLOCK)
    while (await get_table(ann)).to_act == (0,):
        await stage.advance_and_sweep(61)
    while (await get_table(ann)).to_act == (1,):
        await bo.act(await pick(bo))
    await ann.act(await pick(ann))
    await bo.act({"type": "resign"})
    result = await read_result(stage, ann.game)
    assert result["ranks"] == [1, 2]
    assert "timed_out" not in result


async def pick(guest: Guest) -> dict[str, Any]:
    """The end of the turn if this guest may choose it, else the first action."""
    table = await get_table(guest)
    assert guest.seat is not None
    choices: list[dict[str, Any]] = msgspec.json.decode(table.choices_json(guest.seat))
    actions: list[dict[str, Any]] = [choice["action"] for choice in choices]
    return next((action for action in actions if action["type"] == "end"), actions[0])


async def test_a_game_lost_to_the_clock_s_bot_says_who_timed_out(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", rated=True, clock=CLOCK, on_timeout="bot")
    await stage.advance_and_sweep(61)
    assert (await get_table(ann)).taken_over == {0}
    await bo.act({"type": "resign"})
    result = await read_result(stage, ann.game)
    assert (result["ranks"], result["timed_out"]) == ([1, 1], [0])


async def test_an_aborted_game_has_no_ranks(stage: Stage) -> None:
    ann, _ = await stage.start_game("ann", "bo", rated=True)
    await stage.game_server.close_room(ann.game, "test")
    assert await read_result(stage, ann.game) == {"winner": None, "places": None, "reason": "aborted"}


# -- what they forbid --------------------------------------------------------------------------------


async def test_hints_are_refused(stage: Stage) -> None:
    ann, _ = await stage.start_game("ann", "bo", rated=True)
    assert await ann.expect_refusal("hint", version=(await get_table(ann)).seq) == "no_hints"


async def test_nothing_takes_back_what_was_revealed(stage: Stage) -> None:
    """An undo reaches back to the last reveal; there is no vote or agreement that reaches further."""
    ann, _ = await stage.start_game("ann", "bo", rated=True)
    before = (await get_table(ann)).seq
    while not (await get_table(ann)).is_undo_closed:
        choices: list[dict[str, Any]] = msgspec.json.decode((await get_table(ann)).choices_json(0))
        actions = [choice["action"] for choice in choices]
        revealing = [a for a in actions if a["type"] == "retreat"]
        await ann.act(revealing[0] if revealing else actions[0])
    assert (await get_table(ann)).seq > before
    assert await ann.expect_refusal("undo", version=(await get_table(ann)).seq) == "undo_blocked"
    assert await ann.expect_refusal("consent", to="undo", yes=True) == "bad_message"


# -- afterwards --------------------------------------------------------------------------------------


async def test_the_rematch_of_a_rated_table_is_rated(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", rated=True)
    await bo.act({"type": "resign"})
    await ann.send("rematch")
    next_game = (await get_table(ann)).next_game
    assert next_game is not None
    cy = await stage.guest("cy").enter(next_game)
    assert (await get_table(cy)).is_rated
    assert await cy.expect_refusal("sit") == "account_required"


async def test_the_record_says_that_the_game_was_rated_and_leaves_out_ranks(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", rated=True)
    await bo.act({"type": "resign"})
    row = await stage.store.log.read_game(ann.game)
    assert row is not None
    record = build_record(row, await read_whole_log(stage.store.log, ann.game), stage.game_server.names)
    assert record["rated"] is True
    assert record["result"] == {"winner": 0, "places": [1, 2], "reason": "resigned"}
    assert record_from_json(record).winner == 0
