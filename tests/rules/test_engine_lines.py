"""`cartagena engine`: a JSON line in, a JSON line out, whatever comes."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import rules

ROOT = Path(__file__).resolve().parents[2]
SEED = "c0ffee" * 10 + "0123"
CODES = """bad_json bad_request bad_options bad_seed bad_position bad_action bad_seat not_your_turn illegal
    game_over""".split()
TIMEOUT_SECONDS = 180
"""Time limit of an answer, far more than a loaded machine needs."""


class Engine:
    """The `cartagena engine` command in a process of its own."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "app.cli", "engine"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )

    def line(self, line: bytes) -> Any:
        """Send one line and wait for its answer, which the engine must flush."""
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        return self.answer()

    def answer(self) -> Any:
        assert self.process.stdout
        text = b""
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], TIMEOUT_SECONDS)
            assert ready, "No answer came."
            part = self.process.stdout.read(1 << 20)
            assert part, "The engine is gone."
            text += part
        assert text.count(b"\n") == 1, "One request, one line."
        return json.loads(text)

    def ask(self, **request: Any) -> Any:
        return self.line(json.dumps(request).encode())

    def refused(self, **request: Any) -> str:
        return code_of(self.ask(**request))


def code_of(answer: Any) -> str:
    assert answer.keys() == {"error"}
    assert answer["error"].keys() == {"code", "message"}
    assert answer["error"]["code"] in CODES
    assert answer["error"]["message"].rstrip().endswith(".")
    return str(answer["error"]["code"])


@pytest.fixture(scope="module")
def running_engine() -> Iterator[Engine]:
    engine = Engine()
    yield engine
    out, err = engine.process.communicate(timeout=TIMEOUT_SECONDS)
    assert (out, err, engine.process.returncode) == (b"", b"", 0), (
        "The engine must exit quietly at end of file."
    )


@pytest.fixture
def engine(running_engine: Engine) -> Iterator[Engine]:
    """Return the shared engine and check afterwards that it still answers."""
    yield running_engine
    assert running_engine.ask(do="new", options={"preset": "jamaica", "players": 2}, seed=SEED).keys() == {
        "position"
    }


@pytest.fixture(scope="module")
def position() -> dict[str, Any]:
    options = rules.parse_options({"preset": "jamaica", "players": 3, "first": 0})
    return rules.position_to_json(rules.new_game(options, SEED))


# --- every request


def test_new_sets_up_the_table_of_the_seed(engine):
    for preset in rules.PRESETS:
        given = {"preset": preset, "players": 4}
        expected = rules.position_to_json(rules.new_game(rules.parse_options(given), SEED))
        assert engine.ask(do="new", options=given, seed=SEED) == {"position": expected}


def test_legal_lists_seat_and_action(engine, position):
    expected = [
        {"seat": seat, "action": rules.action_to_json(action)}
        for seat, action in rules.legal_for_all(rules.position_from_json(position))
    ]
    assert engine.ask(do="legal", position=position) == {"actions": expected}


def test_apply_returns_position_and_events(engine, position):
    action = {"type": "advance", "card": position["players"][0]["hand"][0], "from": "start"}
    answer = engine.ask(do="apply", position=position, seat=0, action=action)
    assert answer.keys() == {"position", "events"}
    assert answer["position"]["turn"]["taken"] == 1
    assert answer["events"][0]["type"] == "advanced"
    again = engine.ask(do="apply", position=position, seat=0, action=action)
    assert again == answer, "It keeps nothing between lines."


@pytest.mark.parametrize("seat", [None, 0, 2])
def test_view_is_for_a_seat_or_a_spectator(engine, position, seat):
    expected = rules.view(rules.position_from_json(position), seat)
    assert engine.ask(do="view", position=position, seat=seat) == {"view": expected}


def test_choose_returns_a_legal_action_from_a_position_or_a_view(engine, position):
    listed = [entry["action"] for entry in engine.ask(do="legal", position=position)["actions"]]
    assert engine.ask(do="choose", position=position, seat=0, bot="captain")["action"] in listed
    view = engine.ask(do="view", position=position, seat=0)["view"]
    answer = engine.ask(do="choose", view=view, seat=0, actions=listed, history=[])
    assert answer["action"] in listed


def test_a_whole_game_goes_through_the_pipe(engine):
    given = {"preset": "dungeon", "players": 2, "black_magic": True, "scoundrels": True, "pirates": 4}
    position = engine.ask(do="new", options=given, seed=SEED)["position"]
    for step in range(60):
        actions = engine.ask(do="legal", position=position)["actions"]
        chosen = actions[step * 7 % len(actions)]
        if chosen["action"]["type"] == "discard":
            hand = position["players"][chosen["seat"]]["hand"]
            chosen["action"] = {"type": "discard", "cards": hand[: chosen["action"]["count"]]}
        position = engine.ask(do="apply", position=position, **chosen)["position"]
    assert position["turn"]["seat"] in (0, 1)


# --- every error


def test_every_error_code_occurs(engine, position):
    won = json.loads(json.dumps(position))
    won["players"][1]["pirates"] = ["goal"] * 6
    won["winner"] = 1
    end = {"type": "end"}
    assert engine.refused(do="new", options={"preset": "tortuga"}, seed=SEED) == "bad_options"
    assert engine.refused(do="new", options={"preset": "tortuga", "players": 2}, seed="00") == "bad_seed"
    assert engine.refused(do="legal", position={}) == "bad_position"
    assert engine.refused(do="apply", position=position, seat=0, action={"type": "jump"}) == "bad_action"
    assert engine.refused(do="apply", position=position, seat=3, action=end) == "bad_seat"
    assert engine.refused(do="apply", position=position, seat=1, action=end) == "not_your_turn"
    assert engine.refused(do="apply", position=position, seat=0, action=end) == "illegal"
    assert engine.refused(do="apply", position=won, seat=0, action=end) == "game_over"
    assert engine.refused(do="sing") == "bad_request"
    assert code_of(engine.line(b"{")) == "bad_json"


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"   ",
        b"{",
        b'{"do":"new"',
        b'{"do":"legal","position":NaN}',
        b'{"do":"legal","position":Infinity}',
        b'{"do":"legal","position":-Infinity}',
        b'{"do":"\xff\xfe"}',
        b'{"do":"\\ud800"}',
        b'{"do":"new","options":{"preset":"\\udfff","players":2},"seed":"0"}',
        b"{'do':'new'}",
        b"new",
        b'{"do":"new"} {"do":"new"}',
        b"\x00",
        b"[" * 100_000,
        b"[" * 5_000 + b"]" * 5_000,
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    ],
    ids=lambda line: repr(line[:24]),
)
def test_invalid_json_is_answered_with_bad_json(engine, line):
    assert code_of(engine.line(line)) == "bad_json"


@pytest.mark.parametrize(
    "request_",
    [
        None,
        True,
        7,
        "new",
        [],
        {},
        {"do": None},
        {"do": ["new"]},
        {"do": True},
        {"do": "New"},
        {"do": "new"},
        {"do": "new", "options": {}},
        {"do": "new", "options": {}, "seed": SEED, "more": 1},
        {"do": "legal"},
        {"do": "legal", "position": {}, "seat": 0},
        {"do": "view", "position": {}},
        {"do": "apply", "position": {}, "seat": 0},
        {"do": "choose", "position": {}, "seat": 0},
        {"do": "choose", "view": {}, "seat": 0, "actions": []},
        {"do": "choose", "position": {}, "view": {}, "seat": 0},
    ],
    ids=repr,
)
def test_requests_have_exactly_the_named_fields(engine, request_):
    assert code_of(engine.line(json.dumps(request_).encode())) == "bad_request"


@pytest.mark.parametrize("seat", [True, False, -1, 3, 1.0, "0", [], 10**30])
def test_a_seat_is_a_number_of_the_table(engine, position, seat):
    assert engine.refused(do="view", position=position, seat=seat) == "bad_seat"
    assert engine.refused(do="apply", position=position, seat=seat, action={"type": "end"}) == "bad_seat"


def test_apply_needs_a_seat_but_view_does_not(engine, position):
    assert engine.refused(do="apply", position=position, seat=None, action={"type": "end"}) == "bad_seat"


@pytest.mark.parametrize("seed", [None, True, 5, "", "0" * 63, "0" * 65, "G" * 64, "A" * 64, "0" * 63 + "\n"])
def test_a_seed_is_64_digits(engine, seed):
    assert engine.refused(do="new", options={"preset": "jamaica", "players": 2}, seed=seed) == "bad_seed"


def test_a_line_of_ten_megabytes_is_refused_and_the_next_one_answered(engine):
    assert code_of(engine.line(b'{"do":"' + b"x" * 10_000_000 + b'"}')) in ("bad_json", "bad_request")
    assert code_of(engine.line(b" " * 10_000_000)) in ("bad_json", "bad_request")


def test_a_position_with_ten_thousand_cards_is_refused(engine, position):
    spoilt = position | {"deck": ["hat"] * 10_000}
    assert engine.refused(do="legal", position=spoilt) == "bad_position"


def test_the_last_line_needs_no_newline():
    engine = Engine()
    out, err = engine.process.communicate(b'{"do":"sing"}\n{"do":"sing"}', timeout=TIMEOUT_SECONDS)
    assert [code_of(json.loads(line)) for line in out.splitlines()] == ["bad_request", "bad_request"]
    assert (err, engine.process.returncode) == (b"", 0)


def test_empty_input_gives_empty_output():
    engine = Engine()
    assert engine.process.communicate(b"", timeout=TIMEOUT_SECONDS) == (b"", b"")
    assert engine.process.returncode == 0


def test_requests_sent_at_once_are_answered_in_order(engine, position):
    assert engine.process.stdin
    lines = [json.dumps({"do": "view", "position": position, "seat": seat}) for seat in (0, 1, 2)] * 4
    process = Engine().process
    out, _ = process.communicate("".join(line + "\n" for line in lines).encode(), timeout=TIMEOUT_SECONDS)
    seen = [json.loads(line)["view"]["players"] for line in out.splitlines()]
    assert [[player["hand"] is not None for player in players].index(True) for players in seen] == [
        0,
        1,
        2,
    ] * 4


def test_the_engine_exits_quietly_when_its_reader_is_gone():
    process = Engine().process
    assert process.stdin
    assert process.stdout
    process.stdout.close()
    try:
        for _ in range(50):
            process.stdin.write(b"{}\n")
    except BrokenPipeError:
        pass
    _, err = process.communicate(timeout=TIMEOUT_SECONDS)
    assert b"Traceback" not in err
