"""The commands rules, replay, verify and picture."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app import rules
from app.cli import main

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests" / "golden" / "resigned-to-the-last.json"


def run(capsys, *words) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def position_file(tmp_path: Path) -> Path:
    options = rules.parse_options({"preset": "complete", "players": 2, "black_magic": True})
    path = tmp_path / "position.json"
    path.write_text(json.dumps(rules.position_to_json(rules.new_game(options, "7" * 64))))
    return path


def test_rules_names_every_option_with_its_sentence(capsys):
    code, out, err = run(capsys, "rules")
    assert (code, err) == (0, "")
    for spec in rules.CATALOGUE:
        assert f"{spec.name}: " in out
        assert spec.sentence in out
    for conflict in rules.CONFLICTS:
        assert conflict.why.value in out


def test_rules_as_json_is_the_catalogue(capsys):
    _, out, _ = run(capsys, "rules", "--json")
    assert json.loads(out) == json.loads(json.dumps(rules.catalogue_to_json()))


def test_replay_prints_every_action(capsys):
    code, out, _ = run(capsys, "replay", RECORD)
    record = rules.record_from_json(json.loads(RECORD.read_text()))
    assert code == 0
    for number, move in enumerate(record.moves, 1):
        assert f"\n{number}. {rules.SEAT_LETTERS[move.seat]} {rules.action_to_text(move.action)}\n" in out


def test_replay_shows_one_step_from_one_seats_view(capsys):
    _, out, _ = run(capsys, "replay", RECORD, "--step", 3, "--seat", 1)
    record = rules.record_from_json(json.loads(RECORD.read_text()))
    position = [position for position, _ in rules.replay(record)][3]
    assert rules.view_to_diagram(rules.view(position, 1)) in out


def test_replay_of_one_seat_names_no_other_hidden_hand(capsys):
    golden = ROOT / "tests" / "golden" / "jamaica.json"
    _, out, _ = run(capsys, "replay", golden, "--step", 20, "--seat", 1)
    assert "hand r ?" in out
    assert "seed ?" in out


@pytest.mark.parametrize("words", [("--step", "9999"), ("--step", "-1"), ("--seat", "9")])
def test_replay_refuses_what_the_record_does_not_have(capsys, words):
    code, out, err = run(capsys, "replay", RECORD, *words)
    assert (code, out) == (1, "")
    assert err.startswith("cartagena: ")


def test_verify_accepts_a_true_record(capsys):
    code, out, err = run(capsys, "verify", RECORD, "--scheme", 1)
    assert (code, err) == (0, "")
    assert "commitment: matches" in out


@pytest.mark.parametrize(("words", "said"), [((), "pass --scheme 1"), (("--scheme", 2), "had scheme 2")])
def test_verify_refuses_an_unsealed_record_unless_its_table_is_known_to_be_unsealed(capsys, words, said):
    code, out, err = run(capsys, "verify", RECORD, *words)
    assert (code, out) == (1, "")
    assert said in err


@pytest.mark.parametrize("name", ["commitment", "server_seed"])
def test_verify_refuses_a_forged_record(capsys, tmp_path, name):
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(json.loads(RECORD.read_text()) | {name: "0" * 64}))
    code, out, err = run(capsys, "verify", forged, "--scheme", 1)
    assert (code, out) == (1, "")
    assert "does not fit the commitment" in err


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b"null", b"NaN"])
@pytest.mark.parametrize("command", ["verify", "replay", "picture"])
def test_a_file_of_another_kind_is_refused_with_a_message(capsys, tmp_path, command, content):
    path = tmp_path / "something"
    path.write_bytes(content)
    code, out, err = run(capsys, command, path)
    assert (code, out) == (1, "")
    assert err.startswith("cartagena: ")
    assert "Traceback" not in err


@pytest.mark.parametrize("command", ["verify", "replay", "picture"])
def test_a_missing_file_is_refused_with_a_message(capsys, tmp_path, command):
    code, _, err = run(capsys, command, tmp_path / "nothing")
    assert code == 1
    assert "cannot read" in err


def test_picture_prints_a_diagram_and_parses_it_back(capsys, tmp_path, position_file):
    _, layout_of, _ = run(capsys, "picture", position_file)
    path = tmp_path / "drawing.txt"
    path.write_text(layout_of)
    code, out, _ = run(capsys, "picture", "--json", path)
    assert code == 0
    assert json.loads(out) == json.loads(position_file.read_text())


def test_picture_of_one_seat_hides_what_it_does_not_see(capsys, position_file):
    _, layout_of, _ = run(capsys, "picture", position_file, "--seat", 0)
    assert "hand b ?6" in layout_of
    assert "snake" not in layout_of


@pytest.mark.parametrize(
    "text", ["", "cartagena/1", "cartagena/1\noptions preset=jamaica players=2\n", "\x00"]
)
def test_an_unreadable_diagram_is_refused_with_a_message(capsys, tmp_path, text):
    path = tmp_path / "drawing.txt"
    path.write_text(text)
    code, _, err = run(capsys, "picture", "--json", path)
    assert code == 1
    assert err.startswith("cartagena: ")


def test_the_commands_read_standard_input_too():
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", "verify", "-", "--scheme", "1"],
        input=RECORD.read_bytes(),
        cwd=ROOT,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert b"commitment: matches" in done.stdout
