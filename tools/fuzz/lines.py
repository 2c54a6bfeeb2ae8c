"""Mutated input for `cartagena engine`, and mutated records for `verify` and the replay page.

Every input must get one JSON line or a proper refusal, never a traceback.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import httpx

from app import rules
from app.engine_lines import answer_line
from tools.fuzz.mutate import mutated, spoilt
from tools.fuzz.server import Server

__all__ = ["fuzz_lines", "fuzz_records", "golden_records"]

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"


def golden_records() -> list[dict[str, Any]]:
    """Return whole games of every kind, shortened so that thousands can be tried."""
    records = []
    for file in sorted(GOLDEN.glob("*.json")):
        record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if "actions" in record:
            record["actions"] = record["actions"][:25]
            records.append(record)
    return records


def _requests() -> list[dict[str, Any]]:
    """Return a request of every kind on positions of every kind of game."""
    found: list[dict[str, Any]] = []
    for number, record in enumerate(golden_records()):
        options = rules.parse_options(record["options"])
        position = rules.new_game(options, f"{number:064x}")
        for move in record["actions"][: number % 12]:
            try:
                position, _ = rules.apply(position, move["seat"], rules.action_from_json(move["action"]))
            except rules.RuleError:
                break
        whole = rules.position_to_json(position)
        seat = rules.seats_to_act(position)[0]
        actions = [rules.action_to_json(action) for action in rules.legal(position, seat)]
        found += [
            {"do": "new", "options": record["options"], "seed": f"{number:064x}"},
            {"do": "legal", "position": whole},
            {"do": "apply", "position": whole, "seat": seat, "action": actions[0]},
            {"do": "view", "position": whole, "seat": seat},
            {"do": "choose", "position": whole, "seat": seat, "bot": "cabin-boy"},
        ]  # fmt: skip
        if number % 10 == 0:  # this one takes most of a second if its view is still valid
            view = rules.view(position, seat)
            found.append({"do": "choose", "view": view, "seat": seat, "actions": actions[:5], "history": []})
    return found


def fuzz_lines(count: int, seed: int) -> list[str]:
    """Check that each line is answered by one line of JSON; return the errors."""
    chance = random.Random(seed)
    requests = _requests()
    wrong: list[str] = []
    for number in range(count):
        if number and number % 10_000 == 0:
            print(f"  {number} lines, {len(wrong)} wrong", flush=True)
        line = spoilt(chance.choice(requests), chance).replace(b"\n", b" ")
        try:
            answer = answer_line(line)
            told = json.loads(answer)
            if answer.count(b"\n") != 1 or not isinstance(told, dict):
                wrong.append(f"answered {answer[:80]!r} to {line[:2000]!r}")
        except (Exception, RecursionError) as fault:  # noqa: BLE001 - any exception is a finding
            wrong.append(f"{type(fault).__name__} ({fault}) at {line[:3000]!r}")
    return wrong


def fuzz_records(count: int, seed: int, server: Server | None = None) -> list[str]:
    """Read and verify records here, and replay them on the server's replay page."""
    chance = random.Random(seed)
    records = golden_records()
    wrong: list[str] = []
    headers = {"Content-Type": "application/json"}
    with httpx.Client(headers=headers, timeout=60) as http:
        for _ in range(count):
            given = mutated(chance.choice(records), chance)
            try:
                rules.verify(rules.record_from_json(given), scheme=1)
            except rules.RuleError:
                pass
            except (Exception, RecursionError) as fault:  # noqa: BLE001 - any exception is a finding
                wrong.append(f"{type(fault).__name__} ({fault}) at {json.dumps(given)[:3000]}")
            if server is not None:
                body = json.dumps({"record": given, "eyes": chance.choice(("all", None, 0, 1, 9, "x", []))})
                answer = http.post(f"{server.base}/replay/steps", content=body)
                if answer.status_code >= 500:
                    wrong.append(f"{answer.status_code} at {body[:3000]}")
    if server is not None and (faults := server.faults()):
        wrong.append(faults[0])
    return wrong
