"""A trial: a turn of a finished game played on against bots, with nothing kept and nothing trusted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from app import rules
from app.bots.choosing import safe_choice
from app.play.refusals import Refusal
from app.rules import RuleError
from app.web.errors import BadRequest
from app.web.pages.trial import MOST_ACTIONS, Trial
from tests.web.running_site import code_of, running
from tests.web.tables import play_table

GOLDEN = Path(__file__).parents[2] / "golden"
RECORD = rules.record_from_json(json.loads((GOLDEN / "jamaica.json").read_text()))
Json = dict[str, Any]


class Plain:
    """A bot that plays the first action it is offered, and remembers what it was asked with."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, Json, Sequence[Json]]] = []

    async def choose(
        self,
        view: Json,
        actions: Sequence[Json],
        history: Sequence[Json],
        level: str,
        budget: float,
        *,
        seat: int,
        fixed: tuple[int, str] | None = None,
        person: str = "",
    ) -> Json:
        self.asked.append((seat, view, list(history)))
        ends = [action for action in actions if action["type"] == "end"]
        return (ends or list(actions))[0]


def test_it_begins_where_the_game_stood_on_the_seat_that_was_in_turn() -> None:
    for step, (position, _) in zip(range(12), rules.replay(RECORD), strict=False):
        trial = Trial(RECORD, step, [])
        assert trial.position == position
        assert trial.seat == rules.seats_to_act(position)[0]
        shown = trial.shown(0)
        assert shown["view"] == rules.view(position, trial.seat)
        assert (shown["choices"], shown["steps"]) == (rules.choices(position, trial.seat), [])


def test_what_was_played_then_leads_to_where_it_led_then() -> None:
    move = RECORD.moves[0]
    given = {"seat": move.seat, "action": rules.action_to_json(move.action)}
    trial = Trial(RECORD, 0, [given])
    assert trial.position == list(rules.replay(RECORD))[1][0]
    assert trial.shown(0)["steps"][0]["action"] == given["action"]
    assert trial.shown(1)["steps"] == [], "what is known is not told again"


async def test_bots_reply_from_what_their_seats_know_until_it_is_ones_turn_again() -> None:
    trial, bot = Trial(RECORD, 0, []), Plain()
    while trial.bot_to_act() is None:
        action = await bot.choose({}, [c["action"] for c in trial.shown(0)["choices"]], [], "", 0, seat=-1)
        trial.play(trial.seat, action, "person")
    bot.asked.clear()
    while (seat := trial.bot_to_act()) is not None:
        await trial.reply(bot, seat)
    assert trial.shown(0)["choices"]
    assert {step["by"] for step in trial.steps} == {"person", "bot"}
    for seat, view, history in bot.asked:
        assert seat != trial.seat
        assert view["seed"] is None
        assert isinstance(view["deck"], int)
        assert history


def test_what_is_not_allowed_is_refused() -> None:
    with pytest.raises(RuleError):
        Trial(RECORD, 0, [{"seat": 0, "action": {"type": "fly"}}])
    with pytest.raises(RuleError):
        Trial(RECORD, 0, [{"seat": 1 - Trial(RECORD, 0, []).seat, "action": {"type": "end"}}])
    with pytest.raises(BadRequest):
        Trial(RECORD, 0, [{"seat": 99, "action": {"type": "end"}}])
    with pytest.raises(Refusal):
        Trial(RECORD, len(RECORD.moves), [])


async def test_a_stranger_cannot_try_a_running_game_or_send_what_is_no_trial(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        (ann, _), (bo, _) = await site.guest("Ann"), await site.guest("Bo")
        game = await play_table(ann, bo)
        start = {"step": 0, "known": 0, "actions": []}
        assert code_of(await ann.post(f"/g/{game}/try", json=start)) == "not_over"
        for browser in (ann, bo):
            state = (await browser.get(f"/api/v1/games/{game}")).json()
            if not state.get("choices"):
                continue
            body = {"id": "first-action", "version": state["seq"], "action": state["choices"][0]["action"]}
            assert (await browser.post(f"/api/v1/games/{game}/act", json=body)).status_code == 200
            body = {"id": "give-it-up", "version": state["seq"] + 1, "action": {"type": "resign"}}
            assert (await browser.post(f"/api/v1/games/{game}/act", json=body)).status_code == 200
            break
        begun = (await ann.post(f"/g/{game}/try", json=start)).json()
        assert begun["choices"]
        assert begun["view"]["winner"] is None
        assert begun["view"]["seed"] is None
        for wrong in (
            {**start, "step": 99},
            {**start, "step": True},
            {**start, "known": 1},
            {**start, "actions": "end"},
            {**start, "actions": [5]},
            {**start, "actions": [{}] * (MOST_ACTIONS + 1)},
        ):
            assert (await ann.post(f"/g/{game}/try", json=wrong)).status_code == 422, wrong
        ends = {"seat": begun["seat"], "action": begun["choices"][0]["action"]}
        after = (await ann.post(f"/g/{game}/try", json={**start, "actions": [ends]})).json()
        assert after["steps"][0]["action"] == ends["action"]
        # nothing of it is kept: the game's own record is as it was
        record = (await ann.get(f"/api/v1/games/{game}/record")).json()
        assert len(record["actions"]) == 2


async def test_trials_are_paid_for_before_they_are_played(sqlite_url: str) -> None:
    async with running(sqlite_url, writes_per_second=0.01, writes_burst=10) as site:
        stranger = site.browser("203.0.113.9")
        body = {"step": 0, "known": 0, "actions": []}
        answers = [await stranger.post("/g/no-such-game-here/try", json=body) for _ in range(12)]
        assert (answers[-1].status_code, code_of(answers[-1])) == (429, "too_many")


class Simple:
    """A bot that plays a plain legal move, what it owes too."""

    async def choose(
        self,
        view: Json,
        actions: Sequence[Json],
        history: Sequence[Json],
        level: str,
        budget: float,
        *,
        seat: int,
        fixed: tuple[int, str] | None = None,
        person: str = "",
    ) -> Json:
        return safe_choice(view, actions, seat)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
async def test_a_game_with_every_module_can_be_tried_from_any_of_its_turns(path: Path) -> None:
    record = rules.record_from_json(json.loads(path.read_text()))
    for step in (0, len(record.moves) // 2, len(record.moves) - 1):
        trial, bot = Trial(record, step, []), Simple()
        for _ in range(12):
            while (seat := trial.bot_to_act()) is not None:
                await trial.reply(bot, seat)
            shown = trial.shown(0)
            if shown["result"] is not None:
                break
            listed = [choice["action"] for choice in shown["choices"]]
            trial.play(trial.seat, safe_choice(shown["view"], listed, trial.seat), "person")
        again = Trial(
            record, step, [{"seat": each["seat"], "action": each["action"]} for each in trial.steps]
        )
        assert again.position == trial.position, "what the browser sends back leads to the same table"
