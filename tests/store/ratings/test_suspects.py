"""Pairs that an operator should look at, and those that only play a lot."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert

from app.store.ratings.suspects import SuspectFinder
from app.store.tables.games import heads
from app.store.tables.people import sessions
from tests.play.stage import START
from tests.store.ratings.rated_games import HOUR, RatedSite, drain, make_game

DAY = 24 * HOUR


async def add_pair(
    rated: RatedSite, one: str, other: str, places: list[list[int]], *, entries: int = 90, at: int = START
) -> None:
    made = [
        make_game(f"{one}{other}{n}{entries}{at}", at + n * HOUR, [one, other], place)
        for n, place in enumerate(places)
    ]
    if entries < 40:
        for row, _ in made:
            row["result"] = row["result"].replace('"goal"', '"resigned"')
    await rated.add_games(*made)
    rows: list[dict[str, Any]] = [
        {"game": row["id"], "seq": entries, "to_act": "", "updated_at": at} for row, _ in made
    ]
    await rated.write(insert(heads).values(rows))
    await drain(rated.worker)


async def test_pairs_are_listed_with_their_reasons(rated: RatedSite) -> None:
    await rated.add_players("ann", "bo", "cy", "di", "eve", "flo", "gus", "hal", "ida", "jon")
    for person in ("eve", "flo"):
        row = {"hash": person, "player": person, "device": "x", "made_at": 1, "seen_at": 1}
        await rated.write(insert(sessions).values(**row, came_from="the same"))
    await add_pair(rated, "ann", "bo", [[1, 2]] * 11 + [[2, 1]])
    await add_pair(rated, "cy", "di", [[1, 2], [2, 1]] * 8)  # even: friends
    await add_pair(rated, "eve", "flo", [[1, 2], [2, 1], [1, 2]])
    await add_pair(rated, "gus", "hal", [[1, 2]] * 3, entries=14)
    await add_pair(rated, "ida", "jon", [[1, 2]] * 20, at=START - 40 * DAY)  # long ago
    await add_pair(rated, "ann", "cy", [[1, 2]] * 9)  # too few
    found = await SuspectFinder(rated.database).find(START + DAY, 10)
    assert {(pair.one, pair.other): pair.list_reasons() for pair in found} == {
        ("ann", "bo"): ["the same one was ahead in 11 of 12 games"],
        ("eve", "flo"): ["both were seen from the same address"],
        ("gus", "hal"): ["3 games were resigned after a few turns"],
    }
    (only,) = await SuspectFinder(rated.database).find(START + DAY, 1)
    assert (only.one_name, only.other_name, only.games) == ("ann", "bo", 12)
