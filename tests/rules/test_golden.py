"""The golden games: every record in tests/golden replays to its playthrough, letter by letter.

When the rules change on purpose: `make golden`, and read the difference as a change of the rules.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app import rules
from app.rules.core.ruleset import MODULES
from tests.rules.playthrough import playthrough
from tests.rules.test_properties import ACTIONS, EVENTS
from tools.records import record_to_json

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.json"))
MAX_BYTES = 6_000_000


def read_record(name: str) -> rules.Record:
    return rules.record_from_json(json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_game_replays_to_its_playthrough(name):
    record = read_record(name)
    lines = playthrough(record).splitlines()
    stored = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for number, (new, old) in enumerate(zip(lines, stored, strict=False), 1):
        assert new == old, f"Line {number} of {name}.txt."
    assert len(lines) == len(stored)


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_record_verifies(name):
    """Commitment, board, all cards and the result verify, and the record round-trips."""
    record = read_record(name)
    assert rules.verify(record, scheme=1).winner == record.winner
    assert record_to_json(record) == json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_folding_events_gives_every_view_of_a_golden_game(name):
    record = read_record(name)
    audiences = [None, *range(record.options.players)]
    views: dict[int | None, dict] = {}
    for position, events in rules.replay(record):
        for audience in audiences:
            now = rules.view(position, audience)
            for event in rules.events_for(events, audience, record.options):
                rules.fold(views[audience], event, audience)
            assert views.setdefault(audience, now) == now


@pytest.fixture(scope="module")
def played() -> list[tuple[rules.Options, set[str], set[type]]]:
    """Return the options, event types and action types of each golden game."""
    games = []
    for name in NAMES:
        record = read_record(name)
        kinds = {rules.event_to_json(event)["type"] for _, events in rules.replay(record) for event in events}
        games.append((record.options, kinds, {type(move.action) for move in record.moves}))
    return games


def test_every_preset_has_a_golden_game(played):
    assert {options.preset for options, _, _ in played} == set(rules.PRESETS)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_every_module_has_a_golden_game_that_uses_all_it_offers(played, module):
    used = {action for options, _, actions in played if module.is_active(options) for action in actions}
    assert set(module.actions) - used == set()


@pytest.mark.parametrize("gain", ["retreat", "morgan", "both", "split"])
def test_every_way_to_win_cards_has_a_golden_game(played, gain):
    assert any(options.card_gain == gain for options, _, _ in played)


def test_modules_are_combined_in_golden_games(played):
    def is_met(**wanted):
        return any(all(getattr(o, name) == value for name, value in wanted.items()) for o, _, _ in played)

    assert is_met(black_magic=True, scoundrels=True, scenario="complete", card_gain="split")
    assert is_met(black_magic=True, scoundrels=True, scenario="complete", hands="open")
    assert is_met(scoundrels=True, supply="row", card_gain="both")
    assert is_met(black_magic=True, scenario="jungle")


def test_every_event_and_action_occurs_in_a_golden_game(played):
    happened = {kind for _, kinds, _ in played for kind in kinds}
    assert set(EVENTS.split()) - happened == set()
    acted = {kind.type for _, _, actions in played for kind in actions}
    assert set(ACTIONS.split()) - acted == set()


def test_every_playthrough_has_a_record_and_golden_files_stay_small():
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(NAMES)
    assert sum(path.stat().st_size for path in GOLDEN.iterdir()) < MAX_BYTES
