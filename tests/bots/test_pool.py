"""The bot pool: searches outside the event loop, and its handling of failures."""

from __future__ import annotations

import asyncio
import json
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from app import rules
from app.bots.pool import BotPool, SearchFailed
from app.bots.worker import answer_line

Json = dict[str, Any]


@pytest.fixture
def position() -> rules.Position:
    options = rules.parse_options({"preset": "jamaica", "players": 2, "first": 0})
    return rules.new_game(options, "7" * 64)


def request(position: rules.Position) -> tuple[Json, list[Json]]:
    return rules.view(position, 0), [rules.action_to_json(action) for action in rules.legal(position, 0)]


async def test_a_move_comes_from_another_process(position: rules.Position):
    seen: list[tuple[str, str]] = []
    pool = BotPool(on_outcome=lambda level, outcome, seconds: seen.append((level, outcome)))
    view, actions = request(position)
    assert await pool.choose(view, actions, [], "captain", 0.3) in actions
    await pool.close()
    assert seen == [("captain", "chosen")]


async def test_the_event_loop_keeps_running_during_a_search(position: rules.Position):
    pool = BotPool()
    view, actions = request(position)
    await pool.choose(view, actions, [], "sailor", 0.3)
    thinking = asyncio.create_task(pool.choose(view, actions, [], "legend", 0.6))
    ticks = 0
    while not thinking.done():
        await asyncio.sleep(0.01)
        ticks += 1
    await pool.close()
    assert ticks > 3


async def test_no_worker_starts_before_the_first_search(position: rules.Position):
    pool = BotPool(command=("/no/such/program",))
    view, _ = request(position)
    end = [{"type": "end"}]
    assert await pool.choose(view, end, [], "legend", 1.0) == end[0]
    await pool.close()
    assert pool.counts == {"forced": 1}


async def test_idle_workers_are_stopped(position: rules.Position):
    pool = BotPool(idle_seconds=0.05)
    view, actions = request(position)
    await pool.choose(view, actions, [], "sailor", 0.3)
    async with asyncio.timeout(10):
        while pool.processes:  # noqa: ASYNC110 (the pool has no event to wait for, on purpose)
            await asyncio.sleep(0.02)
    assert await pool.choose(view, actions, [], "sailor", 0.3) in actions
    await pool.close()


def write_program(folder: Path, text: str) -> tuple[str, str]:
    file = folder / "worker.py"
    file.write_text(text)
    return sys.executable, str(file)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("raise SystemExit(3)", "crashed"),
        ("import sys\nsys.stdin.readline()\nprint('not json', flush=True)", "crashed"),
        ('import sys\nsys.stdin.readline()\nprint(\'{"error":"no"}\', flush=True)', "crashed"),
        ("import time\ntime.sleep(60)", "late"),
    ],
)
async def test_a_failing_worker_leads_to_the_fallback_and_is_counted(
    position: rules.Position, tmp_path: Path, text: str, outcome: str
):
    pool = BotPool(command=write_program(tmp_path, text), grace=-1.8)
    view, actions = request(position)
    began = time.monotonic()
    move = await pool.choose(view, actions, [], "legend", 0.1)
    rules.apply(position, 0, rules.action_from_json(move))
    assert time.monotonic() - began < 10
    await pool.close()
    assert pool.counts == {outcome: 1}


@pytest.mark.parametrize(
    ("text", "outcome"), [("raise SystemExit(3)", "crashed"), ("import time\ntime.sleep(60)", "late")]
)
async def test_a_failing_study_tells_what_happened(tmp_path: Path, text: str, outcome: str):
    pool = BotPool(command=write_program(tmp_path, text), grace=-1.8)
    with pytest.raises(SearchFailed) as failed:
        await pool.study("analysis", {"analyse": "1~"}, 0.1, "ann")
    assert failed.value.outcome == outcome
    await pool.close()
    for searching in (pool.study("analysis", {}, 0.1, "ann"), pool.find_mistakes({}, 0)):
        with pytest.raises(SearchFailed) as refused:
            await searching
        assert refused.value.outcome == "full", "the pool is closed, and the request is not to blame"


async def test_a_hanging_worker_leads_to_the_best_action_so_far(position: rules.Position, tmp_path: Path):
    view, actions = request(position)
    best = actions[-1]
    said = json.dumps({"best": best})
    text = f"import sys, time\nsys.stdin.readline()\nprint({said!r}, flush=True)\ntime.sleep(60)"
    pool = BotPool(command=write_program(tmp_path, text), grace=1.0)
    assert await pool.choose(view, actions, [], "legend", 0.1) == best
    await pool.close()
    assert pool.counts == {"late": 1}


async def test_a_full_queue_does_not_wait(position: rules.Position):
    pool = BotPool(queue=0)
    view, actions = request(position)
    assert await pool.choose(view, actions, [], "legend", 1.0) in actions
    await pool.close()
    assert pool.counts == {"full": 1}


def test_a_worker_refuses_a_full_position(position: rules.Position):
    asked = {"view": rules.position_to_json(position), "actions": [{"type": "end"}, {"type": "end"}]}
    answer = answer_line(json.dumps({**asked, "history": [], "level": "mate", "seconds": 1}), lambda _: None)
    assert "error" in answer


async def test_requests_to_a_worker_contain_no_hidden_card(position: rules.Position, tmp_path: Path):
    """The bytes of a request stay the same if other hands and the deck change."""
    log = tmp_path / "sent"
    text = f"import sys\nopen({str(log)!r}, 'a').write(sys.stdin.readline())"
    command = write_program(tmp_path, text)
    other = position.copy()
    other.hands[1], deck = bytearray(other.hands[1]), bytearray(reversed(other.deck))
    taken = next(kind for kind, count in enumerate(other.hands[1]) if count)
    given = next(index for index, kind in enumerate(deck) if kind != taken)
    other.hands[1][taken] -= 1
    other.hands[1][deck[given]] += 1
    deck[given] = taken
    other.deck = bytes(deck)
    for table in (position, other):
        pool = BotPool(command=command)
        await pool.choose(*request(table), [], "legend", 0.1)
        await pool.close()
    first, second = log.read_text().splitlines()
    assert first == second


async def test_bots_do_not_wait_for_a_review(position: rules.Position, tmp_path: Path):
    """The review blocks until the action is chosen, so a shared process would deadlock."""
    view, actions = request(position)
    gate = tmp_path / "moved"
    text = f"""
        import json, pathlib, sys, time
        for line in sys.stdin:
            asked = json.loads(line)
            while "record" in asked and not pathlib.Path({str(gate)!r}).exists():
                time.sleep(0.01)
            result = {{"turns": []}} if "record" in asked else asked["actions"][-1]
            print(json.dumps({{"result": result}}), flush=True)
    """
    pool = BotPool(command=write_program(tmp_path, textwrap.dedent(text)), grace=20.0)
    reviewing = asyncio.create_task(pool.review({}))
    while not pool.processes:  # noqa: ASYNC110 (the pool has no event to wait for, on purpose)
        await asyncio.sleep(0.01)
    assert await pool.choose(view, actions, [], "legend", 1.0) == actions[-1]
    assert not reviewing.done()
    gate.touch()
    assert await reviewing == {"turns": []}
    assert pool.processes == 1
    await pool.close()
    assert pool.counts == {"chosen": 2}


async def test_search_time_shrinks_with_the_number_of_waiting_bots(position: rules.Position, tmp_path: Path):
    log = tmp_path / "sent"
    text = f"""
        import json, sys
        for line in sys.stdin:
            asked = json.loads(line)
            open({str(log)!r}, "a").write(f"{{asked['seconds']}}\\n")
            print(json.dumps({{"result": asked["actions"][0]}}), flush=True)
    """
    pool = BotPool(command=write_program(tmp_path, textwrap.dedent(text)), grace=20.0)
    view, actions = request(position)
    await asyncio.gather(*(pool.choose(view, actions, [], "legend", 1.0) for _ in range(20)))
    await pool.close()
    seconds = [float(line) for line in log.read_text().splitlines()]
    # The first request found an empty queue; the second had eighteen behind it, and so on.
    assert seconds[0] == seconds[-1] == 1.0
    assert seconds[1:] == sorted(seconds[1:])
    assert seconds[1] == pytest.approx(2 / 19)


async def test_a_bystanders_bot_is_next_regardless_of_another_backlog(
    position: rules.Position, tmp_path: Path
):
    """One person queues nine tables of four legends; the first request holds the worker until all are queued."""
    log, gate = tmp_path / "sent", tmp_path / "go"
    text = f"""
        import json, pathlib, sys, time
        for line in sys.stdin:
            asked = json.loads(line)
            open({str(log)!r}, "a").write(json.dumps([asked["level"], asked["seconds"]]) + "\\n")
            while not pathlib.Path({str(gate)!r}).exists():
                time.sleep(0.01)
            print(json.dumps({{"result": asked["actions"][0]}}), flush=True)
    """
    pool = BotPool(command=write_program(tmp_path, textwrap.dedent(text)), grace=20.0)
    view, actions = request(position)
    greedy = [pool.choose(view, actions, [], "legend", 1.0, person="greedy") for _ in range(36)]
    waiting = [asyncio.create_task(each) for each in greedy]
    await asyncio.sleep(0)
    waiting.append(asyncio.create_task(pool.choose(view, actions, [], "captain", 1.0, person="bystander")))
    await asyncio.sleep(0)
    gate.touch()
    await asyncio.gather(*waiting)
    await pool.close()
    asked = [json.loads(line) for line in log.read_text().splitlines()]
    assert asked[1] == ["captain", 0.8], "next, and with all of its time"
    assert [level for level, _ in asked].count("legend") == 36
