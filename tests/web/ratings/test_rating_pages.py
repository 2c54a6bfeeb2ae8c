"""Ratings over the API: leaderboards, players, games and one's own settings."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert, update

from app.ratings.display import MAX_LISTED_AGE_MS
from app.ratings.model import INITIAL, rate
from app.store.tables.games import games, seats
from app.store.tables.people import players
from app.store.tables.ratings import rating_changes, ratings
from tests.store.ratings.rated_games import HOUR, make_game
from tests.web.ratings.rated_site import POOL, RatedSite, read
from tests.web.running_site import code_of
from tests.web.tables import command, open_table, play_table


async def test_a_rated_game_changes_the_ratings_of_its_players(rated: RatedSite) -> None:
    ann, anns_id = await rated.account()
    bo, _ = await rated.account()
    game = await play_table(ann, bo, rated=True)
    assert await read(ann, f"/games/{game}/ratings") == {
        "counted": False, "pool": None, "weight": 0.0, "void": None, "changes": [], "hidden": False,
    }  # fmt: skip
    assert (await command(bo, game, "act", version=99, action={"type": "resign"})).status_code == 200
    assert await rated.loop.drain() == 1
    found = await read(ann, f"/games/{game}/ratings")
    assert (found["counted"], found["pool"], found["weight"]) == (True, POOL, 1)
    won, lost = sorted(found["changes"], key=lambda change: change["rank"])
    assert won["before"] == lost["before"] == {"number": 1500, "deviation": 500, "uncertain": True}
    assert lost["after"]["number"] < 1500 < won["after"]["number"]
    (rating,) = (await read(bo, f"/players/{anns_id}/ratings"))["ratings"]
    expected, _ = rate([INITIAL, INITIAL], [1, 2])
    assert rating == {
        "pool": POOL, "number": won["after"]["number"], "deviation": won["after"]["deviation"],
        "uncertain": True, "games": 1, "best": None, "last_at": rating["last_at"], "place": None,
    }  # fmt: skip
    history = await read(bo, f"/players/{anns_id}/ratings/{POOL}/history")
    assert [point["number"] for point in history["points"]] == [won["after"]["number"]]
    assert expected.mu > INITIAL.mu
    (row,) = (await read(ann, "/me/games?status=finished"))["games"]
    assert row["rated"] is True
    assert (await read(ann, f"/games/{game}/record"))["rated"] is True


async def test_a_game_behind_a_password_keeps_its_ratings_to_those_who_may_enter(rated: RatedSite) -> None:
    ann, _ = await rated.account()
    bo, _ = await rated.account()
    stranger = rated.site.browser("203.0.113.99")
    opened = await ann.post(
        "/api/v1/games",
        json={
            "options": {"preset": "tortuga", "players": 2},
            "visibility": "password",
            "password": "sesame",
            "rated": True,
        },
    )
    assert opened.status_code == 201
    answer = await stranger.get(f"/api/v1/games/{opened.json()['id']}/ratings")
    assert (answer.status_code, code_of(answer)) == (403, "password_required")
    assert (await read(ann, f"/games/{opened.json()['id']}/ratings"))["counted"] is False
    assert bo is not None


async def test_a_rated_table_shows_what_its_people_are_rated_now(rated: RatedSite) -> None:
    ann, anns_id = await rated.account()
    bo, _ = await rated.account()
    await rated.write(
        insert(ratings).values(
            person=anns_id, pool=POOL, mu=30.0, sigma=2.0, games=40, best=1650, last_at=rated.now
        )
    )
    game = await play_table(ann, bo, rated=True)
    found = await read(bo, f"/games/{game}/seat-ratings")
    by_number = {row["number"]: (row["seat"], row["deviation"], row["uncertain"]) for row in found["ratings"]}
    anns_seat, bos_seat = by_number[1650][0], by_number[1500][0]
    assert by_number == {1650: (anns_seat, 120, False), 1500: (bos_seat, 500, True)}
    assert {anns_seat, bos_seat} == {0, 1}
    assert (await ann.get(f"/api/v1/games/{game}")).json()["you"]["seat"] == anns_seat
    # Neither a table that is not rated nor a locked one shows any.
    other = await play_table(ann, bo)
    assert (await read(bo, f"/games/{other}/seat-ratings"))["ratings"] == []
    locked = await open_table(ann, visibility="password", password="sesame", rated=True)
    answer = await rated.site.browser("203.0.113.99").get(f"/api/v1/games/{locked}/seat-ratings")
    assert (answer.status_code, code_of(answer)) == (403, "password_required")


async def test_guests_and_hints_are_refused_over_http_with_sentences(rated: RatedSite) -> None:
    guest, _ = await rated.site.guest(address="203.0.113.77")
    ann, _ = await rated.account()
    body = {"options": {"preset": "tortuga", "players": 2}, "rated": True}
    refused = await guest.post("/api/v1/games", json=body)
    assert (refused.status_code, code_of(refused)) == (403, "account_required")
    refused = await ann.post("/api/v1/games", json={**body, "hints": True})
    assert (refused.status_code, code_of(refused)) == (422, "bad_options")
    assert refused.json()["error"]["message"] == "A rated table cannot have hints. Turn one of them off."


# -- leaderboards ------------------------------------------------------------------------------------


async def plant_rating(rated: RatedSite, person: str, mu: float, **figures: Any) -> None:
    row = {"sigma": 3.0, "games": 40, "best": 1600, "last_at": rated.now, **figures}
    await rated.write(insert(ratings).values(person=person, pool=POOL, mu=mu, **row))


async def test_a_leaderboard_leaves_out_who_is_outside_the_bounds_banned_deleted_or_a_guest(
    rated: RatedSite,
) -> None:
    people = [(await rated.account())[1] for _ in range(9)]
    best, second, few, unsure, away, banned, deleted, guest, last = people
    for place, person in enumerate(people):
        changes: dict[str, Any] = {}
        if person == few:
            changes = {"games": 9}
        if person == unsure:
            changes = {"sigma": 5.1}
        if person == away:
            changes = {"last_at": rated.now - MAX_LISTED_AGE_MS - 60_000}
        await plant_rating(rated, person, 40.0 - place, **changes)
    await rated.site.site.social.ban(
        "olga", player=banned, address=None, reason="x", until=None, now=rated.now // 1000
    )
    await rated.site.site.data.erase([deleted], 1)
    await rated.write(update(players).where(players.c.id == guest).values(is_account=False))
    reader = rated.site.browser("203.0.113.98")
    board = await read(reader, f"/ratings/{POOL}")
    assert [(row["person"], row["place"]) for row in board["rows"]] == [(best, 1), (second, 2), (last, 3)]
    assert board["bounds"] == {"games": 10, "deviation": 300, "days": 180}
    assert board["rows"][0]["number"] == 1950
    assert [row["person"] for row in (await read(reader, f"/ratings/{POOL}?offset=2"))["rows"]] == [last]
    places = {
        person: (await read(reader, f"/players/{person}/ratings"))["ratings"][0]["place"]
        for person in (best, second, few, unsure, away, last)
    }
    assert places == {best: 1, second: 2, few: None, unsure: None, away: None, last: 3}
    assert (await read(reader, "/ratings/group-hidden"))["rows"] == []
    assert (await reader.get("/api/v1/ratings/chess")).status_code == 422


async def test_leaderboards_are_charged_before_they_are_read(rated: RatedSite) -> None:
    reader = rated.site.browser("203.0.113.97")
    key = "203.0.113.97"
    rated.site.site.limits.work.take(key, rated.site.site.limits.work.burst)
    for path in (f"/ratings/{POOL}", "/ratings/duel-open"):
        assert (await reader.get(f"/api/v1{path}")).status_code == 429


# -- what a person sees ------------------------------------------------------------------------------


async def test_who_hides_ratings_sees_none_anywhere_and_is_still_rated(rated: RatedSite) -> None:
    ann, anns_id = await rated.account()
    bo, bos_id = await rated.account()
    game = await play_table(ann, bo, rated=True)
    answer = await ann.post("/api/v1/me/ratings", json={"hides_ratings": True, "withheld": False})
    assert answer.json() == {"hides_ratings": True, "withheld": False}
    assert await read(ann, "/me/ratings") == answer.json()
    await command(bo, game, "act", version=99, action={"type": "resign"})
    await rated.loop.drain()
    paths = (
        f"/ratings/{POOL}",
        f"/players/{bos_id}/ratings",
        f"/players/{anns_id}/ratings",
        f"/players/{anns_id}/ratings/{POOL}/history",
        f"/games/{game}/ratings",
        f"/games/{game}/seat-ratings",
    )
    for path in paths:
        hidden = await read(ann, path)
        assert hidden["hidden"] is True
        assert not any(isinstance(value, int) and value > 500 for value in _numbers(hidden)), path
        assert (await read(bo, path))["hidden"] is False
    assert (await read(bo, f"/players/{anns_id}/ratings"))["ratings"][0]["games"] == 1


def _numbers(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [number for each in value.values() for number in _numbers(each)]
    if isinstance(value, list):
        return [number for each in value for number in _numbers(each)]
    return [value]


async def test_the_bot_level_comes_from_games_against_bots(rated: RatedSite) -> None:
    ann, anns_id = await rated.account()
    places = [[1, 2], [2, 1], [1, 2], [2, 1], [1, 2], [2, 1]]
    made = [
        make_game(f"b{n}", rated.now - HOUR, [anns_id, None], place, is_rated=False)
        for n, place in enumerate(places)
    ]
    for _, taken in made:
        taken[1]["bot"] = "captain"
    taken_over = make_game("t", rated.now, [anns_id, None], [1, 2], is_rated=False)
    taken_over[1][0]["bot"] = "legend"
    await rated.plant_games(*made, taken_over)
    found = await read(ann, f"/players/{anns_id}/ratings")
    assert found["ratings"] == [], "games against bots change nothing"
    (level,) = found["plays_like"]
    assert (level["pool"], level["level"], level["games"]) == ("duel-hidden", "captain", 6)
    assert level["bot_version"]


async def test_a_long_history_is_thinned_and_results_against_bots_are_a_sample(rated: RatedSite) -> None:
    """bench/ratings.py measures what 10,000 games cost."""
    ann, anns_id = await rated.account()
    count = 1_000
    base = {
        "person": anns_id, "seat": 0, "pool": "duel-hidden", "company": "c", "rank": 1, "timed_out": False,
        "weight": 1.0, "mu_before": 25.0, "sigma_before": 3.0, "mu": 25.0, "sigma": 3.0,
    }  # fmt: skip
    step = 500
    for start in range(0, count, step):
        numbers = range(start, start + step)
        made = [make_game(f"g{n:05}", n * HOUR, [anns_id, None], [1, 2], rated_at=1) for n in numbers]
        await rated.write(
            insert(games).values([row for row, _ in made]),
            insert(seats).values([seat for _, taken in made for seat in taken]),
            insert(rating_changes).values(
                [{**base, "game": f"g{n:05}", "ended_at": n * HOUR, "games": n + 1} for n in numbers]
            ),
        )
    await rated.write(
        insert(ratings).values(
            person=anns_id, pool="duel-hidden", mu=25.0, sigma=3.0, games=count, best=1500, last_at=rated.now
        )
    )
    history = await read(ann, f"/players/{anns_id}/ratings/duel-hidden/history")
    assert len(history["points"]) == 334, "every third game"
    assert history["points"][0]["at"] == 0
    assert history["points"][-1]["at"] == (count - 1) * HOUR
    (level,) = (await read(ann, f"/players/{anns_id}/ratings"))["plays_like"]
    assert level["games"] == 500, "a sample"
