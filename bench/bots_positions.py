"""The frozen benchmark: decisions with deeply rolled-out moves, and every level's error on them.

    python -m bench.bots_positions                    the error of every level a decision
    python -m bench.bots_positions --levels captain   of some
    python -m bench.bots_positions --make 200         rolls out new decisions into bench/positions.jsonl.gz

The file holds one game a line: options, seed, the moves that were played, and decisions. A decision says after how
many moves it is (`after`) and gives each legal action (in the order of the legal list) the chance to come first, in
1/10,000. The error of a bot is the chance of the best action minus that of the action it chose.

A rollout plays the best turn that begins with the action on an imagined position that fits what the seat knows, lets
all seats play good turns by the evaluation for three turns each, and takes the evaluation's chance there. All
actions of a decision meet the same imagined positions. Only the six actions that the evaluation likes best are rolled
out; the others get the evaluation's chance, lowered by as much as it overrates the rolled-out ones, and never more
than the poorest of them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator, Sequence
from multiprocessing import Pool
from pathlib import Path
from statistics import fmean, stdev
from time import process_time
from typing import Any

from app import rules
from app.bots.budget import Budget, Meter
from app.bots.choosing import choose
from app.bots.evaluation import CERTAINTY, Evaluator
from app.bots.levels import LEVELS
from app.bots.playouts import finish_plan, play_plan
from app.bots.sampling import PositionSampler
from app.bots.turn_search import Plan, foresee, plans
from app.research.self_play import draw_plan
from app.rules.core.action import End
from app.rules.core.position import Position
from bench.bots_match import NODES

FILE = Path(__file__).with_name("positions.jsonl.gz")
SCALE = 10_000
ROLLED = 6
ROLLOUTS = 40
TURNS = 3
TEMPERATURE = 10
"""Percentage by which a rollout deviates from the best turns, so that rollouts differ."""
WIDTH = 5
EVERY = 11
"""Decisions of a game are this many moves apart."""
TABLES: tuple[dict[str, Any], ...] = (
    {"preset": "tortuga", "players": 2},
    {"preset": "jamaica", "players": 2},
    {"preset": "tortuga", "players": 4},
    {"preset": "jamaica", "players": 4},
    {"preset": "complete", "players": 2, "card_gain": "both"},
)

Json = dict[str, Any]


def _best_turn_with(position: Position, seat: int, action: rules.Action, judge: Evaluator) -> Plan:
    """Return the best turn by the evaluation that begins with the action."""
    if type(action) is End:
        return Plan((action,), position, judge.value(position, seat))
    after = foresee(position, seat, action)
    if after.winner is not None or after.turn_seat != seat:
        return Plan((action,), after, judge.value(after, seat))
    found = plans(after, seat, 8, Meter(Budget()), judge.value, judge.rough_score)
    if not found:
        return Plan((action,), after, judge.value(after, seat))
    best = max(found, key=lambda plan: plan.value)
    return Plan((action, *best.actions), best.after, best.value)


def _rolled_out(
    world: Position, seat: int, plan: Plan, judges: Sequence[Evaluator], rng: random.Random
) -> int:
    after = play_plan(world, seat, plan.actions)
    for _ in range(TURNS * len(judges)):
        if after.winner is not None:
            break
        mover = after.turn_seat
        judge = judges[mover]
        found = plans(after, mover, WIDTH, Meter(Budget()), judge.value, judge.rough_score)
        after = (
            finish_plan(draw_plan(found, TEMPERATURE, rng), mover) if found else play_plan(after, mover, ())
        )
    return Evaluator(after.ruleset).chances(after)[seat]


def values_of(view: Json, seat: int, history: Sequence[Json], listed: Sequence[rules.Action]) -> list[int]:
    """Return the chance after each action, in units of 1/SCALE."""
    sampler = PositionSampler(view, seat, history, infers=True)
    rng = random.Random(0)
    worlds = [sampler.sample(rng) for _ in range(ROLLOUTS)]
    judges = [Evaluator(sampler.ruleset, other) for other in range(len(view["players"]))]
    turns = [_best_turn_with(worlds[0], seat, action, judges[seat]) for action in listed]
    order = sorted(range(len(listed)), key=lambda n: -turns[n].value)
    rolled = {
        n: sum(
            _rolled_out(world, seat, turns[n], judges, random.Random(number))
            for number, world in enumerate(worlds)
        )
        // ROLLOUTS
        for n in order[:ROLLED]
    }
    overrated = sum(turns[n].value - value for n, value in rolled.items()) // len(rolled)
    poorest = min(rolled.values())
    values = [rolled.get(n, max(0, min(poorest, turns[n].value - overrated))) for n in range(len(listed))]
    return [value * SCALE // CERTAINTY for value in values]


def _replayed(
    options: Json, seed: str, moves: Sequence[Json]
) -> Iterator[tuple[int, Position, list[list[Json]]]]:
    """Yield every position before a move, with what each seat has seen."""
    position = rules.new_game(rules.parse_options(options), seed)
    histories: list[list[Json]] = [[] for _ in position.pirates]
    for number, move in enumerate(moves):
        yield number, position, histories
        position, events = rules.apply(position, move["seat"], rules.action_from_json(move["action"]))
        for seat, history in enumerate(histories):
            history += rules.events_for(events, seat, position.options)


def make_game(number: int) -> Json:
    """Play one game of captains and sailors and roll out some of its decisions."""
    options = TABLES[number % len(TABLES)]
    rng = random.Random(f"positions|{number}")
    seed = f"{rng.getrandbits(256):064x}"
    position = rules.new_game(rules.parse_options(options), seed)
    histories: list[list[Json]] = [[] for _ in position.pirates]
    moves: list[Json] = []
    decisions: list[Json] = []
    due = rng.randrange(EVERY)
    while position.winner is None and len(moves) < 400:
        seat = rules.seats_to_act(position)[0]
        listed = rules.legal(position, seat)
        actions = [rules.action_to_json(action) for action in listed]
        view = rules.view(position, seat)
        if len(moves) >= due and len(actions) > 2 and position.pending is None:
            decisions.append({"after": len(moves), "values": values_of(view, seat, histories[seat], listed)})
            due = len(moves) + EVERY
        level = "captain" if rng.random() < 0.8 else "sailor"
        action = choose(view, actions, histories[seat], level, Budget(), rng, seat=seat)
        moves.append({"seat": seat, "action": action})
        position, events = rules.apply(position, seat, rules.action_from_json(action))
        for other, history in enumerate(histories):
            history += rules.events_for(events, other, position.options)
    return {"options": options, "seed": seed, "moves": moves, "decisions": decisions}


def errors_of(task: tuple[Json, str]) -> list[tuple[str, float, float]]:
    """Return (table, error, CPU seconds) of a level for every decision of a game."""
    game, level = task
    wanted = {decision["after"]: decision["values"] for decision in game["decisions"]}
    table = f"{game['options']['preset']}-{game['options']['players']}"
    found = []
    for number, position, histories in _replayed(game["options"], game["seed"], game["moves"]):
        if number in wanted:
            seat = position.turn_seat
            actions = [rules.action_to_json(action) for action in rules.legal(position, seat)]
            began = process_time()
            chosen = choose(
                rules.view(position, seat),
                actions,
                histories[seat],
                level,
                Budget(nodes=NODES[level]),
                random.Random(f"benchmark|{number}"),
                seat=seat,
            )
            values = wanted[number]
            error = (max(values) - values[actions.index(chosen)]) / SCALE
            found.append((table, error, process_time() - began))
    return found


def read_games() -> list[Json]:
    with gzip.open(FILE, "rt") as file:
        return [json.loads(line) for line in file]


def make(decisions: int, processes: int) -> None:
    """Write games until there are enough decisions; games already in the file are kept."""
    games = read_games() if FILE.exists() else []
    count = sum(len(game["decisions"]) for game in games)
    with Pool(processes) as pool:
        for game in pool.imap(make_game, range(len(games), decisions)):
            if count >= decisions:
                break
            games.append(game)
            count += len(game["decisions"])
            lines = "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in games)
            FILE.write_bytes(gzip.compress(lines.encode(), mtime=0))
            print(f"# {count} of {decisions} decisions", flush=True)
        pool.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--make", type=int, metavar="DECISIONS")
    parser.add_argument("--levels", nargs="*", default=list(LEVELS), choices=list(NODES))
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments.make, arguments.processes)
        return
    games = read_games()
    tables = list(dict.fromkeys(f"{g['options']['preset']}-{g['options']['players']}" for g in games))
    print("| level | decisions | error a decision (95 %) | " + " | ".join(tables) + " | CPU ms |")
    print("|---" * (len(tables) + 4) + "|")
    with Pool(arguments.processes) as pool:
        for level in arguments.levels:
            found = [row for rows in pool.imap(errors_of, [(game, level) for game in games]) for row in rows]
            errors = [error for _, error, _ in found]
            half = 1.96 * stdev(errors) / len(errors) ** 0.5
            cells = [f"{fmean(error for at, error, _ in found if at == table):.2%}" for table in tables]
            spent = sorted(seconds for _, _, seconds in found)[len(found) // 2]
            print(
                f"| {level} | {len(errors)} | {fmean(errors):.2%} ± {half:.2%} | {' | '.join(cells)} "
                f"| {1000 * spent:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
