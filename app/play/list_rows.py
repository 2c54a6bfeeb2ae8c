"""Helpers for lists of games: the games that this worker can show, and those that wait for a person."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from app.play.log.entries import GameRow
from app.play.queues import describe_error

_log = logging.getLogger("cartagena.lobby")

Row = TypeVar("Row")


def build_each(games: Iterable[GameRow], build: Callable[[GameRow], Row]) -> Iterator[Row]:
    """Yield what `build` returns for each game.

    A game for which it fails, such as one with a clock of a newer release, is logged and left out: one bad row must
    not hide all other games.
    """
    for game in games:
        try:
            row = build(game)
        except Exception as problem:  # noqa: BLE001
            _log.warning("game %s cannot be listed: %s", game.id, describe_error(problem))
            continue
        yield row


def is_waiting_for(game: GameRow, ids: tuple[str, ...]) -> bool:
    """Return whether the game waits for the person with one of these ids."""
    if game.summary is None or game.status not in ("open", "running"):
        return False
    to_act = set(game.to_act.split(",")) if game.to_act else set()
    return any(str(s.seat) in to_act and s.person in ids and s.bot is None for s in game.summary.seats)
