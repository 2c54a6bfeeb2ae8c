"""Worker process of the bot pool: reads requests and writes results, one JSON object per line. It accepts only views.

In:  {"view", "actions", "history", "level", "seconds" or "nodes", "seat", "seed"}
     "hint": true asks for a hint: the result has "why" and "params" beside the action
     or {"record"} for the review of a finished game
     or {"analyse": code}, {"find_mistakes": record, "seat"} or {"judge_turn": record, "seat", "step", "actions"}
     for people who study positions
Out: {"best": action} any number of times during the search, then {"result": …} or {"error": text}.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from random import Random
from typing import IO

from app import rules
from app.bots.analysis import analyse
from app.bots.budget import Budget
from app.bots.choosing import choose
from app.bots.hint import give_hint
from app.bots.mistakes import find_mistakes, judge_turn
from app.bots.review import review
from app.rules import Json
from app.rules.core.action import Action

NICENESS = 10
"""Low priority, so that searches never delay players' actions."""
REVIEW_NICENESS = 5
"""Added for a review or a search for mistakes, which no turn waits for. Its process ends afterwards."""


def _study(request: Json) -> Json:
    """Return the result of a request that is not about a bot's move."""
    if "analyse" in request:
        return analyse(request["analyse"])
    if "judge_turn" in request:
        record = rules.record_from_json(request["judge_turn"])
        return judge_turn(record, request["seat"], request["step"], request["actions"])
    os.nice(REVIEW_NICENESS)
    if "find_mistakes" in request:
        record = rules.record_from_json(request["find_mistakes"])
        return {"puzzles": find_mistakes(record, request["seat"])}
    return review(rules.record_from_json(request["record"]))


def answer_line(line: str, send: Callable[[Json], None]) -> Json:
    """Return the answer to one request; `send` receives the best action so far."""
    request = json.loads(line)
    if "view" not in request:
        return {"result": _study(request)}
    view = request["view"]
    if view["winner"] is None and (view["seed"] is not None or not isinstance(view["deck"], int)):
        return {"error": "this is a position, not a view"}
    last: list[Action] = []

    def report_best(action: Action) -> None:
        if last != [action]:
            last[:] = [action]
            send({"best": rules.action_to_json(action)})

    seed = request.get("seed")
    budget = Budget(request.get("nodes"), request.get("seconds"))
    rng = Random(seed) if seed is not None else Random()
    actions, history, seat = request["actions"], request["history"], request.get("seat")
    if request.get("hint"):
        return {"result": give_hint(view, actions, history, budget, rng, seat=seat).to_json()}
    return {
        "result": choose(
            view, actions, history, request["level"], budget, rng, seat=seat, on_best=report_best
        )
    }


def main(lines: IO[str], out: IO[str]) -> None:
    """Answer all requests until end of file."""

    def send(answer: Json) -> None:
        out.write(json.dumps(answer, separators=(",", ":")) + "\n")
        out.flush()

    for line in lines:
        send(answer_line(line, send))


if __name__ == "__main__":
    os.nice(NICENESS)
    try:
        main(sys.stdin, sys.stdout)
    except BrokenPipeError:
        os._exit(0)  # the server is gone; exit without a traceback
