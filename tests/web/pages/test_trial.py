"""Trials: playing on from a turn of a finished game against bots, without state on the server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app import rules
from app.bots.choosing import fallback_action
from app.bots.levels import LEVELS
from app.play.refusals import Refusal
from app.rules import RuleError
from app.web.errors import BadRequest
from app.web.pages.trial import MAX_ACTIONS, Trial
from tests.choices import choices_of
from tests.web.running_site import code_of, running
from tests.web.tables import play_table

GOLDEN = Path(__file__).parents[2] / "golden"
RECORD = rules.record_from_json(json.loads((GOLDEN / "jamaica.json").read_text()))
Json = dict[str, Any]


class RecordingBot:
    """A bot that plays the first offered action and records its inputs."""

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
        fixed_budget: tuple[int, str] | None = None,
        person: str = "",
    ) -> Json:
        self.asked.append((seat, view, list(history)))
        ends = [action for action in actions if action["type"] == "end"]
        return (ends or list(actions))[0]


def test_a_trial_starts_at_the_step_in_the_seat_to_act() -> None:
    for step, (position, _) in zip(range(12), rules.replay(RECORD), strict=False):
        trial = Trial(RECORD, step, [])
        assert trial.position == position
        assert trial.seat == rules.seats_to_act(position)[0]
        to_json = trial.to_json(0)
        assert to_json["view"] == rules.view(position, trial.seat)
        assert (to_json["choices"], to_json["steps"]) == (choices_of(position, trial.seat), [])


def test_replaying_the_original_actions_gives_the_original_position() -> None:
    move = RECORD.moves[0]
    given = {"seat": move.seat, "action": rules.action_to_json(move.action)}
    trial = Trial(RECORD, 0, [given])
    assert trial.position == list(rules.replay(RECORD))[1][0]
    assert trial.to_json(0)["steps"][0]["action"] == given["action"]
    assert trial.to_json(1)["steps"] == [], "known actions are not sent again"


async def test_bots_reply_from_their_own_views_until_the_persons_turn() -> None:
    trial, bot = Trial(RECORD, 0, []), RecordingBot()
    while trial.bot_to_act() is None:
        action = await bot.choose({}, [c["action"] for c in trial.to_json(0)["choices"]], [], "", 0, seat=-1)
        trial.play(trial.seat, action, "person")
    bot.asked.clear()
    while (seat := trial.bot_to_act()) is not None:
        await trial.reply(bot, seat)
    assert trial.to_json(0)["choices"]
    assert {step["by"] for step in trial.steps} == {"person", "bot"}
    for seat, view, history in bot.asked:
        assert seat != trial.seat
        assert view["seed"] is None
        assert isinstance(view["deck"], int)
        assert history


def test_illegal_actions_are_refused() -> None:
    with pytest.raises(RuleError):
        Trial(RECORD, 0, [{"seat": 0, "action": {"type": "fly"}}])
    with pytest.raises(RuleError):
        Trial(RECORD, 0, [{"seat": 1 - Trial(RECORD, 0, []).seat, "action": {"type": "end"}}])
    with pytest.raises(BadRequest):
        Trial(RECORD, 0, [{"seat": 99, "action": {"type": "end"}}])
    with pytest.raises(Refusal):
        Trial(RECORD, len(RECORD.moves), [])


async def test_running_games_and_invalid_requests_are_refused(sqlite_url: str) -> None:
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
            {**start, "why": 5},
            {**start, "why": {"place": -1}},
            {**start, "actions": [{}] * (MAX_ACTIONS + 1)},
        ):
            assert (await ann.post(f"/g/{game}/try", json=wrong)).status_code == 422, wrong
        ends = {"seat": begun["seat"], "action": begun["choices"][0]["action"]}
        after = (await ann.post(f"/g/{game}/try", json={**start, "actions": [ends]})).json()
        assert after["steps"][0]["action"] == ends["action"]
        asked = (await ann.post(f"/g/{game}/try", json={**start, "why": {"place": 36}})).json()["why"]
        assert (asked["code"], asked["params"]["n"]) == ("illegal", 36)
        # The hand decides which.
        assert asked["why"] in ("no_pirate_on", "no_card_with_symbol", "nearer_space")
        # nothing is stored: the game's record is unchanged
        record = (await ann.get(f"/api/v1/games/{game}/record")).json()
        assert len(record["actions"]) == 2


async def test_trials_are_charged_before_they_are_played(sqlite_url: str) -> None:
    async with running(sqlite_url, writes_per_second=0.01, writes_burst=10) as site:
        stranger = site.browser("203.0.113.9")
        body = {"step": 0, "known": 0, "actions": []}
        answers = [await stranger.post("/g/no-such-game-here/try", json=body) for _ in range(12)]
        assert (answers[-1].status_code, code_of(answers[-1])) == (429, "too_many")


class SimpleBot:
    """A bot that plays a simple legal action, including forced responses."""

    async def choose(
        self,
        view: Json,
        actions: Sequence[Json],
        history: Sequence[Json],
        level: str,
        budget: float,
        *,
        seat: int,
        fixed_budget: tuple[int, str] | None = None,
        person: str = "",
    ) -> Json:
        return fallback_action(view, actions, seat)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
async def test_a_game_with_every_module_can_be_continued_from_any_turn(path: Path) -> None:
    record = rules.record_from_json(json.loads(path.read_text()))
    for step in (0, len(record.moves) // 2, len(record.moves) - 1):
        trial, bot = Trial(record, step, []), SimpleBot()
        for _ in range(12):
            while (seat := trial.bot_to_act()) is not None:
                await trial.reply(bot, seat)
            to_json = trial.to_json(0)
            if to_json["result"] is not None:
                break
            listed = [choice["action"] for choice in to_json["choices"]]
            trial.play(trial.seat, fallback_action(to_json["view"], listed, trial.seat), "person")
        again = Trial(
            record, step, [{"seat": each["seat"], "action": each["action"]} for each in trial.steps]
        )
        assert again.position == trial.position, "sending the steps back gives the same position"


class LevelBot(SimpleBot):
    """A bot that records the level it was asked to play at."""

    def __init__(self) -> None:
        self.levels: dict[int, str] = {}

    async def choose(self, *given: Any, **named: Any) -> Json:
        self.levels[named["seat"]] = given[3]
        return await super().choose(*given, **named)


async def test_bots_of_the_game_keep_their_level() -> None:
    record = rules.record_from_json(json.loads((GOLDEN / "everything.json").read_text()))
    levels = ["sailor", None, "legend", None, "not-a-level"]
    record = replace(record, players=tuple((f"P{n}", levels[n]) for n in range(record.options.players)))
    trial, bot = Trial(record, 0, []), LevelBot()
    for _ in range(6):
        while (seat := trial.bot_to_act()) is not None:
            await trial.reply(bot, seat)
        choices = [choice["action"] for choice in trial.to_json(0)["choices"]]
        trial.play(trial.seat, fallback_action(trial.to_json(0)["view"], choices, trial.seat), "person")
    played = {seat: levels[seat] if levels[seat] in LEVELS else "mate" for seat in bot.levels}
    assert bot.levels == played
    assert len(played) >= 2
    assert trial.reply_cost_ms(2) > trial.reply_cost_ms(0) > 0
