"""A bot's worker process: requests in, moves out, one JSON object a line. It only ever sees views.

In:  {"view", "actions", "history", "level", "seconds" or "nodes", "seat", "seed"}
     or {"record"}: the review of a finished game, answered {"review": …}
Out: {"best": action} any number of times while it thinks, then {"action": action} or {"error": text}.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from random import Random
from typing import IO

from app import rules
from app.bots.budget import Budget
from app.bots.choosing import choose
from app.bots.review import review
from app.rules import Json
from app.rules.core.action import Action

NICENESS = 10
"""People's moves come first: thinking takes only what the machine has left."""
REVIEW_NICENESS = 5
"""Added for a review, which nobody's turn waits for; its process ends with it."""


def answer_line(line: str, send: Callable[[Json], None]) -> Json:
    """The move for one request. Whatever goes wrong is answered, so that the pool can count it and play on."""
    asked = json.loads(line)
    if "record" in asked:
        os.nice(REVIEW_NICENESS)
        return {"review": review(rules.record_from_json(asked["record"]))}
    view = asked["view"]
    if view["winner"] is None and (view["seed"] is not None or not isinstance(view["deck"], int)):
        return {"error": "this is a position, not a view"}
    last: list[Action] = []

    def best(action: Action) -> None:
        if last != [action]:
            last[:] = [action]
            send({"best": rules.action_to_json(action)})

    seed = asked.get("seed")
    action = choose(
        view,
        asked["actions"],
        asked["history"],
        asked["level"],
        Budget(asked.get("nodes"), asked.get("seconds")),
        Random(seed) if seed is not None else Random(),
        seat=asked.get("seat"),
        best=best,
    )
    return {"action": action}


def main(lines: IO[str], out: IO[str]) -> None:
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
        os._exit(0)  # whoever asked is dead: nobody hears the answer, or a complaint about that
