"""Ratings over the API: leaderboards, players, games, settings, and a public file that recomputes."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import insert, select, update

from app.cli import main
from app.ratings.display import MAX_LISTED_AGE_MS
from app.ratings.model import INITIAL, rate
from app.ratings.public_file import PublicFileError, verify_lines
from app.store.ratings.settings import RatingSettings
from app.store.tables.games import games, seats
from app.store.tables.people import players
from app.store.tables.ratings import rating_changes, rating_settings, ratings
from tests.databases import begin
from tests.store.ratings.rated_games import HOUR, make_game
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import command, open_table, play_table

PASSWORD = {"password": "plank, parrot, doubloon"}
POOL = "duel-open"


class RatedSite:
    """A running site whose queue of ratings is run by the test."""

    def __init__(self, site: TestSite) -> None:
        self.site = site
        self.database = site.site.people.database
        self.loop = site.app.state.queues["ratings"]
        self.now = int(site.site.clock() * 1000)
        self.count = 0

    async def account(self) -> tuple[httpx.AsyncClient, str]:
        self.count += 1
        browser, told = await self.site.guest(address=f"203.0.113.{self.count}")
        assert (await browser.post("/api/v1/account/register", json=PASSWORD)).status_code == 200
        return browser, told["person"]["id"]

    async def write(self, *statements: Any) -> None:
        async with begin(self.database) as run:
            for statement in statements:
                await run.execute(statement)

    async def plant_games(self, *made: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
        await self.write(
            insert(games).values([row for row, _ in made]),
            *(insert(seats).values(taken) for _, taken in made),
        )
        await self.loop.drain()

    async def download(self, browser: httpx.AsyncClient) -> list[dict[str, Any]]:
        answer = await browser.get("/api/v1/ratings/export")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/gzip"
        return [json.loads(line) for line in gzip.decompress(answer.content).splitlines()]


@pytest.fixture
async def rated(database_url: str) -> AsyncIterator[RatedSite]:
    async with running(database_url) as site:
        await site.app.state.maintenance.stop()
        yield RatedSite(site)


async def read(browser: httpx.AsyncClient, path: str) -> Any:
    answer = await browser.get(f"/api/v1{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


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


# -- the public file ---------------------------------------------------------------------------------


async def plant_history(rated: RatedSite) -> list[str]:
    people = [(await rated.account())[1] for _ in range(4)]
    ann, bo, cy, di = people
    at = rated.now - 100 * HOUR
    made = [make_game(f"g{n}", at + n * HOUR, [ann, bo], [1, 2]) for n in range(8)]
    made += [make_game(f"h{n}", at + (10 + n) * HOUR, [cy, ann, None, di], [3, 2, 1, 4]) for n in range(4)]
    made += [
        make_game(f"t{n}", at + (20 + n) * HOUR, [bo, cy], [2, 1], timed_out=[0], kind="days")
        for n in range(3)
    ]
    made.append(make_game("unlisted", at + 30 * HOUR, [ann, di], [1, 2], is_listed=False))
    made.append(make_game("recent", rated.now - 1000, [ann, di], [1, 2]))
    await rated.plant_games(*made)
    return people


async def test_the_public_file_recomputes_and_names_nobody(rated: RatedSite) -> None:
    people = await plant_history(rated)
    reader = rated.site.browser("203.0.113.96")
    lines = await rated.download(reader)
    header, *found, trailer = lines
    assert header["format"] == "cartagena-ratings/1"
    assert trailer == {"games": 16, "complete": True}
    assert [line["game"] for line in found] == [*(f"g{n}" for n in range(8)), *(f"h{n}" for n in range(4)),
                                                "t0", "t1", "t2", None]  # fmt: skip
    assert [line["void"] for line in found[12:15]] == [None, "timed_out_again", "timed_out_again"]
    text = json.dumps(lines)
    assert not any(person in text for person in people)
    assert len({seat["person"] for line in found for seat in line["seats"]}) == 4
    verified = verify_lines(json.dumps(line).encode() for line in lines)
    assert (verified.games, verified.void) == (16, 2)


async def test_withheld_people_have_no_id_and_everyone_else_still_recomputes(rated: RatedSite) -> None:
    people = await plant_history(rated)
    await rated.site.site.rating_settings.save(people[1], RatingSettings(is_withheld=True))
    reader = rated.site.browser("203.0.113.95")
    lines = await rated.download(reader)
    of_bo = [line for line in lines[1:-1] if any(seat.get("withheld") for seat in line["seats"])]
    assert len(of_bo) == 11
    assert all(line["game"] is None for line in of_bo)
    hidden = next(seat for seat in of_bo[0]["seats"] if seat.get("withheld"))
    assert hidden == {"withheld": True, "rank": 2, "mu": INITIAL.mu, "sigma": INITIAL.sigma}
    assert len({seat.get("person") for line in lines[1:-1] for seat in line["seats"]} - {None}) == 3
    assert verify_lines(json.dumps(line).encode() for line in lines).games == 16


async def test_an_erased_person_keeps_an_opaque_id_and_a_withheld_one_stays_withheld(
    rated: RatedSite,
) -> None:
    people = await plant_history(rated)
    reader = rated.site.browser("203.0.113.94")
    before = await rated.download(reader)
    await rated.site.site.data.erase([people[0]], 1)
    rated.site.site.limits.exports.give_back("203.0.113.94", 1000)
    after = await rated.download(reader)
    assert after[1:] == before[1:]
    await rated.site.site.rating_settings.save(people[1], RatingSettings(is_withheld=True))
    await rated.site.site.data.erase([people[1]], 1)
    assert verify_lines(json.dumps(line).encode() for line in await rated.download(reader)).games == 16
    async with begin(rated.database) as run:
        assert (await run.execute(select(rating_settings.c.is_withheld))).scalars().all() == [True]


@pytest.mark.parametrize(
    ("tamper", "says"),
    [
        (lambda lines: lines[3]["seats"][0].update(mu=30.0), "Game 3 (g2): "),
        (lambda lines: lines[3]["seats"][1].update(rank=1), "Game 3 (g2): "),
        (lambda lines: lines[7].update(weight=1.0), "Game 7 (g6): the weight is 0.25"),
        (lambda lines: lines[14].update(void=None), "Game 14 (t1): the weight is 0 (void: timed_out_again)"),
        (lambda lines: lines.pop(2), "Game 2 (g2): "),
        (lambda lines: lines.insert(2, lines[2]), "Game 3 (g1): "),
        (lambda lines: lines.pop(), "The file is cut off. Download it again."),
        (lambda lines: lines.pop(-2), "The file says that it has 16 games, not 15."),
        (lambda lines: lines[-1].update(complete=False), "The ratings changed while the file was made."),
        (lambda lines: lines[0].update(model=99), "version 99 of the model"),
        (lambda lines: lines[0].update(format="x"), "This is not a file of ratings"),
        (lambda lines: lines[5].pop("pool"), "Game 5 (g4) cannot be read (KeyError)."),
    ],
)
async def test_a_changed_file_does_not_recompute(rated: RatedSite, tamper: Any, says: str) -> None:
    await plant_history(rated)
    lines = await rated.download(rated.site.browser("203.0.113.93"))
    tamper(lines)
    with pytest.raises(PublicFileError) as problem:
        verify_lines(json.dumps(line).encode() for line in lines)
    assert says in str(problem.value)


async def test_downloads_are_paid_for_by_their_client(rated: RatedSite) -> None:
    reader = rated.site.browser("203.0.113.92")
    limits = rated.site.site.limits
    limits.exports.take("203.0.113.92", limits.exports.burst)
    assert (await reader.get("/api/v1/ratings/export")).status_code == 429
    assert (await rated.download(rated.site.browser("203.0.113.91")))[-1]["complete"] is True


# -- the command line --------------------------------------------------------------------------------


async def test_the_commands_check_rebuild_and_verify(
    database_url: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "ratings.jsonl.gz"
    async with running(database_url) as site:
        await site.app.state.maintenance.stop()
        rated = RatedSite(site)
        await plant_history(rated)
        answer = await site.browser("203.0.113.90").get("/api/v1/ratings/export")
        file.write_bytes(answer.content)
        await site.site.people.database.execute_write(ratings.update().values(mu=1.0))
        await site.app.state.queues["ratings"].queue._projection.end_lease()

    async def run(*words: str) -> tuple[int, str]:
        capsys.readouterr()
        code = await asyncio.to_thread(main, ["ratings", *words])
        found = capsys.readouterr()
        return code, found.out + found.err

    code, text = await run("check", "--database", database_url)
    assert code == 1
    assert "0 games, 7 ratings and 0 rows without a game differ." in text
    code, text = await run("rebuild", "--database", database_url)
    assert (code, "17 games were counted." in text) == (0, True)
    code, text = await run("check", "--database", database_url)
    assert (code, "All ratings are right." in text) == (0, True)
    code, text = await run("verify", str(file))
    assert (code, text) == (
        0,
        "16 games were recomputed, 2 of them without effect; 4 ratings follow from them.\n",
    )
    plain = tmp_path / "plain.jsonl"
    plain.write_bytes(gzip.decompress(file.read_bytes()).replace(b'"rank":1', b'"rank":2', 1))
    code, text = await run("verify", str(plain))
    assert code == 1
    assert text.startswith("cartagena: Game 1 (g0): ")
