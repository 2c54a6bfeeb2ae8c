"""Comparison of the engine with the reference: positions, legal lists, views and refusals must be equal.

`python -m tests.reference.compare --games 1000` runs it by hand and prints all disagreements.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app import rules
from tests.choices import choices_of
from tests.reference import naive
from tests.reference.engines import Engine, InProcess, Pipe
from tests.reference.mutations import mutate_action, mutate_position
from tests.reference.players import Players
from tests.reference.random_positions import (
    FAMILIES,
    random_options,
    random_position,
    random_seed,
    random_unchecked_options,
)

Json = dict[str, Any]


class Disagreement(AssertionError):
    """Raised when the engines differ, with everything needed to reproduce it."""

    def __init__(self, what: str, question: Json, reference: Any, engine: Any) -> None:
        self.report = {"what": what, "question": question, "reference": reference, "engine": engine}
        self.what = what
        super().__init__(f"{what}\n{json.dumps(self.report)[:6000]}")


def call_engine(ask: Callable[[], Any]) -> tuple[str, Any]:
    try:
        return "yes", ask()
    except naive.Refusal as refusal:
        return refusal.code, refusal.message


def check_same_answer(what: str, question: Json, reference: tuple[str, Any], engine: tuple[str, Any]) -> bool:
    """Check that both engines accept, or refuse with the same code. Return whether they accept."""
    if reference[0] != engine[0]:
        raise Disagreement(f"{what}: {reference[0]} here, {engine[0]} there", question, reference, engine)
    return reference[0] == "yes"


def as_set(listed: list[Json]) -> set[str]:
    return {json.dumps(entry, sort_keys=True) for entry in listed}


class Comparison:
    """A run over many games that counts what it has compared."""

    def __init__(self, engine: Engine, *, mutate: float = 0.3, reload: float = 0.2) -> None:
        self.engine = engine
        self.mutate = mutate
        self.reload = reload
        self.tally: Counter[str] = Counter()

    def compare_game(self, rng: random.Random, family: str) -> None:
        """Compare one game, from its set-up or from a random position."""
        options = random_options(rng, family)
        self.tally["games"] += 1
        players = Players(rng, options["players"])
        if family != "instants" and rng.random() < 0.15:
            seed = random_seed(rng)
            position = naive.new(options, seed)
            handle = self.engine.new(options, seed)
            self.check_same_position("new", {"options": options, "seed": seed}, position, handle)
            steps = rng.choice([40, 120, 200])
        else:
            position = random_position(rng, options)
            handle = self.engine.load(position)
            self.check_same_position("load", {"position": position}, position, handle)
            steps = rng.choice([5, 10, 25]) if family != "instants" else 2
        for _ in range(steps):
            listed = self.compare_state(position, handle)
            if not listed:
                self.after_the_end(rng, position, handle)
                return
            seat, action = players.choose(position, listed)
            if family == "instants":
                self.try_all(rng, position, handle, players, listed)
            if rng.random() < self.mutate:
                self.try_mutations(rng, position, handle, seat, action)
            question = {"position": position, "seat": seat, "action": action}
            after = naive.play(position, seat, action)
            naive.check_position(after)
            there = call_engine(lambda: self.engine.apply(handle, seat, action))  # noqa: B023
            check_same_answer("apply", question, ("yes", after), there)
            handle = there[1]
            self.check_same_position("apply", question, after, handle)
            position = after
            self.tally["actions"] += 1
            if rng.random() < self.reload:
                handle = self.engine.load(position)

    def check_same_position(self, what: str, question: Json, position: Json, handle: Any) -> None:
        there = self.engine.dump(handle)
        if there != position:
            fields = [name for name in position if there.get(name) != position[name]]
            raise Disagreement(f"{what}: position differs in {fields}", question, position, there)

    def compare_state(self, position: Json, handle: Any) -> list[Json]:
        """Compare the legal list and all views, and return the list."""
        here = naive.all_legal_actions(position)
        there = self.engine.legal(handle)
        if as_set(here) != as_set(there) or len(here) != len(there):
            only_here, only_there = as_set(here) - as_set(there), as_set(there) - as_set(here)
            what = f"legal: only here {sorted(only_here)[:5]}, only there {sorted(only_there)[:5]}"
            raise Disagreement(what, {"position": position}, here, there)
        for seat in [None, *range(len(position["players"]))]:
            ours, theirs = naive.view_for(position, seat), self.engine.view(handle, seat)
            if ours != theirs:
                fields = [name for name in ours if theirs.get(name) != ours[name]]
                question = {"position": position, "seat": seat}
                raise Disagreement(f"view: differs in {fields}", question, ours, theirs)
        return here

    def after_the_end(self, rng: random.Random, position: Json, handle: Any) -> None:
        self.tally["games played to the end"] += 1
        seat = rng.randrange(len(position["players"]))
        for action in ({"type": "end"}, {"type": "resign"}, {"type": "advance", "card": "rum", "from": 1}):
            self.try_action(position, handle, seat, action)
        self.try_position(mutate_position(rng, position))

    def try_all(
        self, rng: random.Random, position: Json, handle: Any, players: Players, listed: list[Json]
    ) -> None:
        """Try all listed actions (a sample of long lists) and the resignation of each seat."""
        for entry in rng.sample(listed, min(len(listed), 30)):
            action = players.fill_in(position, entry["seat"], entry["action"])
            self.try_action(position, handle, entry["seat"], action, "listed")
        for seat in range(len(position["players"])):
            self.try_action(position, handle, seat, {"type": "resign"}, "resigning")
        if isinstance(self.engine, InProcess):
            self.check_choices(position, handle, listed)

    def check_choices(self, position: Json, handle: Any, listed: list[Json]) -> None:
        """Check that choices predict the result of each action and that the default action is legal."""
        for seat in sorted({entry["seat"] for entry in listed}):
            choices = choices_of(handle, seat)
            question = {"position": position, "seat": seat}
            actions = [entry["action"] for entry in listed if entry["seat"] == seat]
            if as_set(actions) != as_set([choice["action"] for choice in choices]):
                raise Disagreement("choices: not the legal list", question, actions, choices)
            for choice in choices[:20]:
                action = choice["action"]
                if "to" in choice:
                    after = naive.play(position, seat, action)
                    moved = action.get("player", seat)
                    before = Counter(position["players"][moved]["pirates"])
                    arrived = list((Counter(after["players"][moved]["pirates"]) - before).keys())
                    if arrived != [choice["to"]]:
                        raise Disagreement("choices: to", {**question, "action": action}, arrived, choice)
            default = rules.action_to_json(rules.default_action(handle, seat))
            self.try_action(position, handle, seat, default, "default move")

    def try_mutations(self, rng: random.Random, position: Json, handle: Any, seat: int, action: Json) -> None:
        self.try_action(position, handle, *mutate_action(rng, position, seat, action))
        self.try_position(mutate_position(rng, position))

    def try_action(
        self, position: Json, handle: Any, seat: Any, action: Any, what: str = "spoiled action"
    ) -> None:
        question = {"position": position, "seat": seat, "action": action}
        here = call_engine(lambda: naive.play(position, seat, action))
        there = call_engine(lambda: self.engine.apply(handle, seat, action))
        self.tally[f"{what}: {here[0]}"] += 1
        if check_same_answer(what, question, here, there):
            self.check_same_position(what, question, here[1], there[1])

    def try_position(self, position: Any) -> None:
        here = call_engine(lambda: naive.check_position(position))
        there = call_engine(lambda: self.engine.load(position))
        self.tally[f"spoiled position: {here[0]}"] += 1
        if check_same_answer("spoiled position", {"position": position}, here, there):
            self.check_same_position("spoiled position", {"position": position}, position, there[1])

    def compare_options(self, rng: random.Random) -> None:
        """Compare random options, most of them refused, with a seed that may be invalid."""
        options = random_unchecked_options(rng)
        name = rng.choice([*options, "moon"])
        if rng.random() < 0.5:
            options[name] = rng.choice([None, True, 1.0, -1, 0, 1, 6, 9, 21, 31, "random", "printed", "none"])
        if rng.random() < 0.05:
            del options[rng.choice(list(options))]
        seed = rng.choice([random_seed(rng)] * 9 + ["0" * 63, "A" * 64, None, 7])
        question = {"options": options, "seed": seed}
        here = call_engine(lambda: naive.new(options, seed))
        there = call_engine(lambda: self.engine.new(options, seed))
        self.tally[f"options: {here[0]}"] += 1
        if check_same_answer("options", question, here, there):
            self.check_same_position("options", question, here[1], there[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000, help="for each family")
    parser.add_argument("--family", choices=FAMILIES, action="append")
    parser.add_argument("--seed", default="by hand")
    parser.add_argument("--pipe", action="store_true")
    parser.add_argument("--write", help="a file for the disagreements, one JSON a line")
    asked = parser.parse_args()
    comparison = Comparison(Pipe() if asked.pipe else InProcess(fold_every=3))
    found: Counter[str] = Counter()
    reports: list[Json] = []
    for family in asked.family or FAMILIES:
        for number in range(asked.games):
            rng = random.Random(f"{asked.seed}|{family}|{number}")
            for compare in (lambda r, f=family: comparison.compare_game(r, f), comparison.compare_options):
                try:
                    compare(rng)
                except Disagreement as difference:
                    found[difference.what] += 1
                    if found[difference.what] == 1:
                        reports.append({"game": f"{asked.seed}|{family}|{number}", **difference.report})
        print(family, dict(comparison.tally), f"{found.total()} disagreements", flush=True)
    if asked.write:
        Path(asked.write).write_text("".join(json.dumps(report) + "\n" for report in reports))
    for situation, times in sorted(naive.COVERED.items()):
        print(f"{times:9} {situation}")
    for what, times in found.most_common():
        print(f"{times:9} DISAGREEMENT {what}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
