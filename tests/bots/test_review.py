"""The review of a finished game: chances, luck, losses and better turns."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise
from typing import Any

import httpx
import pytest

from app import rules
from app.bots.review import review
from app.client import Api, ApiError
from app.client.seat import Seat, play_seat
from tests.bots.tables import choose_action, seed
from tests.bots.test_third_party import create_token
from tests.sockets.running_server import in_process

Json = dict[str, Any]

NONCES = ("0" * 32, "1" * 32, "2" * 32)


def record_of(options: Json, levels: tuple[str, ...], resigning: int | None = None) -> rules.Record:
    """Return the record of a game between bots, in which one may resign instead of its first action."""
    server_seed = seed("review")
    nonces = NONCES[: len(levels)]
    given = rules.parse_options({"players": len(levels), **options})
    position = rules.new_game(given, rules.seed_from(server_seed, nonces))
    moves: list[rules.Move] = []
    histories: list[list[Json]] = [[] for _ in levels]
    while position.winner is None:
        seat = rules.seats_to_act(position)[0]
        move = {"type": "resign"}
        if seat != resigning:
            move = choose_action(position, seat, histories[seat], levels[seat], 100, f"review|{len(moves)}")
        action = rules.action_from_json(move)
        marks = ("hint",) if len(moves) == 4 else ()
        moves.append(rules.Move(seat, action, len(moves), "bot", marks))
        position, events = rules.apply(position, seat, action)
        for other, history in enumerate(histories):
            history += rules.events_for(events, other, given)
    return rules.Record(
        options=given,
        commitment=rules.commitment_of(server_seed),
        server_seed=server_seed,
        nonces=nonces,
        players=tuple((level, level) for level in levels),
        moves=tuple(moves),
        winner=position.winner,
        places=tuple(rules.finishing_places(position)),
        reason="goal",
    )


@pytest.fixture(scope="module")
def record() -> rules.Record:
    return record_of({"preset": "jamaica"}, ("mate", "cabin-boy"))


def test_turns_cover_the_whole_game(record: rules.Record):
    turns = review(record)["turns"]
    assert turns[0]["first_step"] == 0
    assert turns[-1]["step"] == len(record.moves)
    assert all(one["step"] == two["first_step"] for one, two in pairwise(turns))
    for turn in turns:
        movers = {move.seat for move in record.moves[turn["first_step"] : turn["step"]]}
        assert movers == {turn["seat"]}


def test_chances_add_up_and_end_with_the_winner(record: rules.Record):
    found = review(record)
    for chances in [found["start"], *(turn["chances"] for turn in found["turns"])]:
        assert sum(chances) == pytest.approx(1, abs=0.001)
        assert all(0 <= chance <= 1 for chance in chances)
    assert found["turns"][-1]["chances"][record.winner or 0] == 1


def test_a_cabin_boy_loses_more_chance_than_a_mate(record: rules.Record):
    loss = review(record)["loss"]
    assert loss[1] > 2 * loss[0]


def test_a_better_turn_is_given_as_events_of_that_seat(record: rules.Record):
    better = [turn for turn in review(record)["turns"] if turn["better"]]
    assert better
    for turn in better:
        assert turn["loss"] > 0
        assert 1 >= turn["better_chance"] >= turn["loss"]
        assert {event["seat"] for event in turn["better"] if "seat" in event} == {turn["seat"]}


def test_luck_of_all_draws_is_summed_and_cancels_between_seats(record: rules.Record):
    found = review(record)
    assert sum(found["result_luck"]) == pytest.approx(0, abs=0.001)
    # With two seats, what one draws is as bad for the other.
    assert found["result_luck"][0] == pytest.approx(found["luck"][0] - found["luck"][1], abs=0.01)
    assert 0 < found["result_error"] < 0.6
    with_row = {"preset": "tortuga", "passage_boards": 4, "board": "random"}
    without_luck = review(record_of(with_row, ("mate", "mate")))
    assert (without_luck["result_luck"], without_luck["result_error"]) == (None, None)


def test_resigning_gives_nothing_away(record: rules.Record):
    turn = next(turn for turn in review(record)["turns"] if turn["turn"] == 9)
    step, seat = turn["first_step"], turn["seat"]
    moves = (
        *record.moves[:step],
        rules.Move(seat, rules.action_from_json({"type": "resign"}), step, "person"),
    )
    last = review(replace(record, moves=moves, winner=1 - seat, reason="resigned"))["turns"][-1]
    assert (last["seat"], last["turn"], last["loss"], last["better"]) == (seat, 9, 0, None)
    assert last["chances"][seat] == 0


def test_a_player_who_resigned_has_no_chance_in_any_later_turn() -> None:
    short = {"preset": "tortuga", "board": "random", "passage_boards": 4, "pirates": 4}
    turns = review(record_of(short, ("mate", "mate", "mate"), resigning=1))["turns"]
    left = next(number for number, turn in enumerate(turns) if turn["seat"] == 1)
    assert any(0.98 in turn["chances"] for turn in turns[left:]), "choose a game with a winning turn"
    for turn in turns[left:]:
        assert turn["chances"][1] == 0
        assert sum(turn["chances"]) == pytest.approx(1, abs=0.001)


def test_a_win_thrown_away_costs_all_that_the_chances_say():
    """The last seat to move passes instead of winning, and the other one wins at once."""
    options = {"preset": "hispaniola", "pirates": 4, "passage_boards": 4, "board": "random", "copies": 16}
    short = record_of(options, ("sailor", "sailor"))
    found = review(short)["turns"][-1]
    step, seat = found["first_step"], found["seat"]
    position = list(rules.replay(short))[step][0]
    moves = [*short.moves[:step]]
    for mover, action in (
        (seat, {"type": "end"}),
        (1 - seat, {"type": "advance", "card": "dagger", "from": 16}),
        (1 - seat, {"type": "advance", "card": "hat", "from": 22}),
    ):
        moves.append(rules.Move(mover, rules.action_from_json(action), len(moves), "person"))
        position, _ = rules.apply(position, mover, moves[-1].action)
    assert position.winner == 1 - seat
    passed = review(replace(short, moves=tuple(moves), winner=1 - seat))["turns"][-2]
    assert (passed["seat"], passed["better_chance"]) == (seat, 1)
    assert passed["loss"] == pytest.approx(1 - passed["chances"][seat])
    assert passed["loss"] > 0.95


def test_hints_are_counted(record: rules.Record):
    assert sum(review(record)["hints"]) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "complete", "black_magic": True, "scoundrels": True, "card_gain": "both"},
        {"preset": "tortuga", "card_gain": "morgan"},
    ],
)
def test_every_module_can_be_reviewed(options: Json):
    found = review(record_of(options, ("sailor", "mate", "sailor")))
    assert found["turns"][-1]["chances"].count(1) == 1


async def test_only_a_finished_game_can_be_reviewed(sqlite_url: str):
    async with in_process(sqlite_url) as server, Api(server.base, await create_token(server, "Ann")) as api:
        game = await api.create(
            {"preset": "jamaica", "players": 2}, visibility="unlisted", pace=0, hints=True
        )
        await api.sit(game)
        await api.add_bot(game, "cabin-boy")
        await api.start(game)
        with pytest.raises(ApiError) as early:
            await api.request("GET", f"/games/{game}/review")
        assert early.value.code == "not_over"
        asked = []

        async def play_hints(seat: Seat) -> Json:
            state = await api.state(game)
            asked.append(state["seq"])
            if len(asked) > 5:
                return {"type": "resign"}
            body = {"id": f"hint-{len(asked):05}", "version": state["seq"]}
            return dict((await api.request("POST", f"/games/{game}/hint", body))["action"])

        async with asyncio.timeout(100):
            await play_seat(api, game, play_hints)
        found = await api.request("GET", f"/games/{game}/review")
        assert found["result"]["reason"] == "resigned"
        assert sum(found["hints"]) >= 1
        async with httpx.AsyncClient() as browser:
            page = await browser.get(f"{server.base}/g/{game}/review")
        assert page.status_code == 200
        assert "data-review" in page.text
