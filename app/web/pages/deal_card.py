"""What the front page says about today's deal: its edition, whether the reader has played it, and their streak."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from starlette.requests import HTTPConnection

from app.rules.catalogue import PRESETS
from app.store.people.players import Player
from app.web.api.deal import deals_of

Progress = Literal["new", "begun", "played", "resigned"]


@dataclass(frozen=True, slots=True)
class DealCard:
    """Today's deal for one reader. `streak` counts the days up to yesterday, and today if it is played."""

    edition: str
    progress: Progress
    streak: int


async def make_deal_card(connection: HTTPConnection, reader: Player | None) -> DealCard:
    """Return the card; a reader without a session costs no query."""
    deals = deals_of(connection)
    today = deals.today()
    deal = await deals.get_deal(today)  # in memory after the first time
    assert deal is not None
    edition = PRESETS[deal.options["preset"]].title
    if reader is None:
        return DealCard(edition, "new", 0)
    tries = await deals.tries_of(reader.ids, today)
    statistics = await deals.store.read_statistics(reader.ids, today)
    progress: Progress = "new"
    if statistics.has_played_today:
        progress = "played"
    elif tries:
        progress = "resigned" if all(attempt.is_over for attempt in tries) else "begun"
    return DealCard(edition, progress, statistics.streak)
