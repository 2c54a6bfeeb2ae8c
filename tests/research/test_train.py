"""Training is reproducible, resumes after an interruption, and improves predictions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.bots.evaluation import BANKS, FORMAT
from app.bots.tables import SIZE
from app.research.fit import fit_weights, gather, log_loss, to_array, to_banks
from app.research.hands import fit_factors, log_likelihood, play_games
from app.research.self_play import GameTask, RecordedGame, play_game
from app.research.start_weights import start_weights
from app.research.train import train


def play_training_games(count: int, table: tuple[tuple[str, object], ...]) -> list[RecordedGame]:
    return [play_game(GameTask(table, f"test|{number}"), start_weights()) for number in range(count)]


def test_training_is_reproducible_with_any_number_of_processes(tmp_path: Path) -> None:
    found = []
    for processes in (1, 2):
        target = tmp_path / f"{processes}.json"
        train(3, target, ("morgan",), 0.01, processes, tmp_path / str(processes))
        found.append(json.loads(target.read_text()))
    assert found[0] == found[1]
    assert found[0]["format"] == FORMAT
    assert found[0]["size"] == SIZE
    assert found[0]["weights"]["morgan"] != found[0]["weights"]["deck"]


def test_an_interrupted_run_resumes(tmp_path: Path) -> None:
    target, work = tmp_path / "weights.json", tmp_path / "work"
    train(4, target, ("complete",), 0.01, 1, work)
    first = target.read_text()
    (work / "complete-1.json").unlink()
    train(4, target, ("complete",), 0.01, 1, work)
    assert target.read_text() == first


@pytest.mark.parametrize("players", [2, 3])
def test_fitted_weights_predict_winners_better_than_start_weights(players: int) -> None:
    games = play_training_games(60, (("preset", "tortuga"), ("players", players)))
    parts = gather(games)
    start = to_array(start_weights()["row"])
    fitted = fit_weights(parts, start, start, 1, lambda text: None)
    assert log_loss(fitted, parts) < log_loss(start, parts) - 0.02
    assert {name: len(bank) for name, bank in to_banks(fitted).items()} == dict.fromkeys(BANKS, SIZE)


def test_inference_raises_the_likelihood_of_the_true_hands() -> None:
    found = play_games(12, 2)
    flat = [[1.0] * 8 for _ in range(3)]
    assert log_likelihood(found, fit_factors(found)) > log_likelihood(found, flat) + 0.01
