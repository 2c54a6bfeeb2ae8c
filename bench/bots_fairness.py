"""Latency of one person's bot while another person keeps many bots busy.

    python -m bench.bots_fairness --tables 9 --moves 12

One greedy person has so many tables of legends, which think without pause; a bystander has one table with a captain.
Prints the median and the longest time of the bystander's moves, alone and beside the greedy one.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
from statistics import median
from time import monotonic
from typing import Any

from app import rules
from app.bots.pool import BotPool


def _question(seed: int) -> tuple[Any, list[Any]]:
    options = rules.parse_options({"preset": "jamaica", "players": 5, "first": 0})
    position = rules.new_game(options, f"{seed:064x}")
    return rules.view(position, 0), [rules.action_to_json(action) for action in rules.legal(position, 0)]


async def _moves(pool: BotPool, level: str, person: str, count: int | None) -> list[float]:
    """Make `count` decisions, or until cancelled; return the seconds of each."""
    # Also measures the pool of an older release, which has no shares.
    named: dict[str, Any] = (
        {"person": person} if "person" in inspect.signature(pool.choose).parameters else {}
    )
    seconds: list[float] = []
    while count is None or len(seconds) < count:
        view, actions = _question(len(seconds) + 1)
        began = monotonic()
        await pool.choose(view, actions, [], level, 1.0, seat=0, **named)
        seconds.append(monotonic() - began)
    return seconds


async def _measure(tables: int, moves: int) -> None:
    pool = BotPool()
    await pool.choose(*_question(0), [], "sailor", 0.2, seat=0)  # starts the process
    for count in (0, tables):
        greedy = [asyncio.create_task(_moves(pool, "legend", "greedy", None)) for _ in range(count)]
        await asyncio.sleep(2.0 if greedy else 0.0)
        seconds = await _moves(pool, "captain", "bystander", moves)
        for task in greedy:
            task.cancel()
        await asyncio.gather(*greedy, return_exceptions=True)
        beside = f"beside {count} tables of legends" if count else "alone"
        print(f"bystander {beside}: median {median(seconds):.2f} s, longest {max(seconds):.2f} s")
    await pool.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=9)
    parser.add_argument("--moves", type=int, default=12)
    arguments = parser.parse_args()
    asyncio.run(_measure(arguments.tables, arguments.moves))


if __name__ == "__main__":
    main()
