"""The ratings are the same however the games arrive: in order, late, after a crash, or all at once."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from app.play.queues import MAX_ATTEMPTS
from app.ratings.model import INITIAL, MODEL_VERSION, Value, rate
from app.ratings.replay import TIMED_OUT_AGAIN
from app.store.database import open_database
from app.store.people.personal_data import PersonalDataStore
from app.store.ratings.projection import LeaseLost, OtherModel, RatingProjection
from app.store.ratings.rebuild import WriterBusy
from app.store.tables.games import games
from app.store.tables.ratings import rating_changes, rating_cursor, ratings
from tests.play.stage import START
from tests.store.ratings.rated_games import HOUR, RatedSite, RatingWorker, drain, make_game

DAY = 24 * HOUR


async def test_a_game_changes_both_players_by_the_model(rated: RatedSite) -> None:
    await rated.add_games(make_game("g1", START, ["ann", "bo"], [2, 1]))
    await drain(rated.worker)
    ann, bo = rate([INITIAL, INITIAL], [2, 1])
    assert await rated.figures() == {"ann": (*ann, 1), "bo": (*bo, 1)}
    assert ann.mu < INITIAL.mu < bo.mu
    change = await rated.change("g1", "ann")
    assert (change.mu_before, change.sigma_before, change.rank, change.weight) == (*INITIAL, 2, 1.0)


async def test_bots_are_left_out_and_the_pool_follows_from_all_seats(rated: RatedSite) -> None:
    await rated.add_games(make_game("g1", START, ["ann", None, "bo"], [3, 1, 2], hands="open"))
    await drain(rated.worker)
    ann, bo = rate([INITIAL, INITIAL], [2, 1])
    assert await rated.figures("group-open") == {"ann": (*ann, 1), "bo": (*bo, 1)}


async def test_repeated_games_of_the_same_people_count_less(rated: RatedSite) -> None:
    made = [make_game(f"g{n}", START + n * HOUR, ["ann", "bo"], [1, 2]) for n in range(10)]
    made.append(make_game("other pool", START + 10 * HOUR, ["ann", "bo"], [1, 2], hands="open"))
    made.append(make_game("a week later", START + 8 * DAY, ["bo", "ann"], [1, 2]))
    await rated.add_games(*made)
    await drain(rated.worker)
    weights = [(await rated.change(row["id"], "ann")).weight for row, _ in made]
    assert weights == [1, 1, 1, 1, 1, 1 / 2, 1 / 4, 1 / 8, 1 / 8, 1 / 8, 1, 1]
    sixth = await rated.change("g5", "ann")
    full, _ = rate([await before(rated, "g5", "ann"), await before(rated, "g5", "bo")], [1, 2])
    assert sixth.mu == pytest.approx((sixth.mu_before + full.mu) / 2, abs=1e-4)


async def before(rated: RatedSite, game: str, person: str) -> Value:
    change = await rated.change(game, person)
    return Value(change.mu_before, change.sigma_before)


@pytest.mark.parametrize(("kind", "is_void"), [("days", True), ("turn", False)])
async def test_of_several_correspondence_time_outs_within_a_day_only_the_first_counts(
    rated: RatedSite, kind: str, is_void: bool
) -> None:
    made = [
        make_game(f"g{n}", START + at * HOUR, ["ann", f"p{n}"], [2, 1], timed_out=[0], kind=kind)
        for n, at in enumerate((0, 1, 23, 25))
    ]
    made.append(make_game("won", START + 2 * HOUR, ["ann", "p9"], [1, 2], kind=kind))
    await rated.add_games(*made)
    await drain(rated.worker)
    voids = {row["id"]: (await rated.change(row["id"], "ann")).void for row, _ in made}
    again = TIMED_OUT_AGAIN if is_void else None
    assert voids == {"g0": None, "g1": again, "g2": again, "g3": None, "won": None}
    if is_void:
        other = await rated.change("g1", "p1")
        assert (other.mu, other.sigma, other.games, other.weight) == (*INITIAL, None, 0), "for everyone"
        assert (await rated.figures())["ann"][2] == 3


async def test_the_best_number_is_kept_once_it_is_certain(rated: RatedSite) -> None:
    results = [1, 1, 2] * 15 + [2] * 5
    made = [
        make_game(f"g{n:02}", START + n * DAY, ["ann", f"p{n % 9}"], [place, 3 - place])
        for n, place in enumerate(results)
    ]
    await rated.add_games(*made)
    await drain(rated.worker)
    rows = await rated.database.fetch_rows(
        select(rating_changes).where(rating_changes.c.person == "ann").order_by(rating_changes.c.games)
    )
    assert rows[0].best is None, "uncertain"
    assert rows[44].best is not None
    assert rows[-1].best == rows[44].best > 1500, "the later losses do not lower it"


# -- late games, several workers, crashes -----------------------------------------------------------


async def test_a_game_that_turns_up_late_takes_its_place(rated: RatedSite) -> None:
    made = [make_game(f"g{n}", START + n * HOUR, ["ann", "bo", "cy"], [1, 2, 3]) for n in range(6)]
    await rated.add_games(*made[:1], *made[2:])
    await drain(rated.worker)
    await rated.add_games(made[1])
    await drain(rated.worker)
    late = await rated.snapshot()
    assert (await rated.rebuild(writes=False)).is_right
    await rated.forget_ratings()
    await drain(rated.worker)
    assert await rated.snapshot() == late
    assert late["cursor"] == [{"ended_at": START + 5 * HOUR, "game": "g5", "games": 6}]


async def test_games_that_end_at_the_same_time_are_ordered_by_code_point(rated: RatedSite) -> None:
    """A locale-aware database would put "a" before "B"."""
    ids = ["B", "a", "A", "b", "Z", "é"]
    await rated.add_games(*(make_game(game, START, ["ann", "bo"], [1, 2]) for game in ids))
    await drain(rated.worker)
    query = select(rating_changes.c.game).where(rating_changes.c.person == "ann")
    rows = await rated.database.fetch_rows(query.order_by(rating_changes.c.games))
    assert [row.game for row in rows] == sorted(ids)


async def test_only_the_holder_of_the_lease_writes(rated: RatedSite) -> None:
    await rated.add_games(make_game("g1", START, ["ann", "bo"], [1, 2]))
    other = RatingWorker(rated.database, rated.clock, "second worker")
    (place,) = await rated.worker.loop.claim()
    assert await other.loop.claim() == []
    rated.clock.advance(31)
    assert await other.loop.run_once() == 1
    stored = await rated.worker.projection.read_game(place[1])
    assert stored is not None
    game = stored.decode()
    assert game is not None
    with pytest.raises(LeaseLost):
        await rated.worker.projection.add(game, rated.clock.now())
    assert (await rated.figures())["ann"][2] == 1


async def test_an_unreadable_game_is_set_aside_and_takes_its_place_once_it_can_be_read(
    rated: RatedSite,
) -> None:
    made = [make_game(f"g{n}", START + n * HOUR, ["ann", "bo"], [1, 2]) for n in range(4)]
    await rated.add_games(*made)
    good = made[1][0]["result"]
    await rated.write(update(games).where(games.c.id == "g1").values(result="{"))
    for _ in range(MAX_ATTEMPTS):
        await drain(rated.worker)
        assert (await rated.figures())["ann"][2] == 3
        rated.clock.advance(3600)
    assert await rated.worker.loop.run_once() == 0, "it is set aside"
    report = await rated.rebuild(writes=True)
    assert [line.split(":")[0] for line in report.unreadable] == ["g1"]
    assert report.is_right
    await rated.write(update(games).where(games.c.id == "g1").values(result=good))
    await rated.worker.loop._failures.clear("ratings", "g1")
    rated.clock.advance(10)
    await drain(rated.worker)
    assert [(await rated.change(f"g{n}", "ann")).games for n in range(4)] == [1, 2, 3, 4]
    assert (await rated.rebuild(writes=False)).is_right


async def test_a_result_without_ranks_is_read_from_the_log(rated: RatedSite) -> None:
    """The last entry was written by a worker of the previous release, which does not know ranks."""
    made = [make_game(f"g{n}", START + n, ["ann", "bo"], [1, 2]) for n in range(2)]
    ranked = orjson.loads(made[0][0]["result"])
    for row, _ in made:
        row["result"] = orjson.dumps({"winner": 0, "places": [1, 2], "reason": "goal"}).decode()
    await rated.add_games(*made)
    rated.worker.results = {"g0": ranked, "g1": {"winner": 0, "places": [1, 2], "reason": "goal"}}
    await drain(rated.worker)
    assert (await rated.figures())["ann"][2] == 1, "g1 was not rated by its log"
    assert len((await rated.snapshot())["marked"]) == 2
    assert (await rated.rebuild(writes=False)).is_right


async def test_figures_of_another_model_are_not_continued(rated: RatedSite) -> None:
    await rated.add_games(make_game("g1", START, ["ann", "bo"], [1, 2]))
    await drain(rated.worker)
    await rated.write(update(rating_cursor).values(model=MODEL_VERSION + 1))
    await rated.add_games(make_game("g2", START + 1, ["ann", "bo"], [1, 2]))
    with pytest.raises(OtherModel):
        await rated.worker.loop.run_once()
    await rated.rebuild(writes=True)
    assert (await rated.figures())["ann"][2] == 2
    assert await rated.worker.loop.run_once() == 0


# -- any order of arrival ----------------------------------------------------------------------------


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Any], list[list[int]]]:
    """Draw games in their order, and batches of them in the order of arrival; a batch ends with a crash or a rest."""
    count = draw(st.integers(2, 14))
    made, at = [], START
    for number in range(count):
        at += draw(st.sampled_from([0, HOUR, 20 * HOUR, 3 * DAY]))
        people = draw(
            st.lists(st.sampled_from(["ann", "bo", "cy", "di"]), min_size=2, max_size=4, unique=True)
        )
        places = draw(st.permutations(range(1, len(people) + 1)))
        kind = draw(st.sampled_from(["none", "days"]))
        late = [seat for seat in range(len(people)) if kind == "days" and draw(st.booleans())]
        made.append(make_game(f"g{number:02}", at, people, places, timed_out=late, kind=kind))
    order = draw(st.permutations(range(count)))
    batches: list[list[int]] = [[]]
    for number in order:
        batches[-1].append(number)
        if draw(st.booleans()):
            batches.append([])
    return made, batches


async def _arrive(
    url: str, history: tuple[list[Any], list[list[int]]], kills: list[int], erased: str
) -> None:
    database = open_database(url)
    try:
        rated = RatedSite(database)
        await rated.empty()
        await rated.add_players("ann", "bo", "cy", "di")
        made, batches = history
        for number, batch in enumerate(batches):
            if batch:
                await rated.add_games(*(made[each] for each in batch))
            worker = RatingWorker(database, rated.clock, f"worker {number}")
            for _ in range(kills[number % len(kills)]):
                await _step_and_die(worker, rated.clock.now())
            rated.clock.advance(60)  # the lease of the dead worker ends
            if number % 2:
                await drain(RatingWorker(database, rated.clock, f"next worker {number}"))
                rated.clock.advance(60)
            if number == len(batches) // 2:
                await PersonalDataStore(database).erase([erased], 1)
        last = RatingWorker(database, rated.clock, "last worker")
        await drain(last)
        incremental = await rated.snapshot()
        assert len(incremental["marked"]) == len(made)
        assert (await rated.rebuild(writes=False)).is_right
        await rated.rebuild(writes=True)
        assert await rated.snapshot() == incremental, "a rebuild over it"
        await rated.forget_ratings()
        report = await rated.rebuild(writes=True)
        assert report.different == len(made)
        assert await rated.snapshot() == incremental, "a rebuild from nothing"
    finally:
        await database.close()


async def _step_and_die(worker: RatingWorker, now: int) -> None:
    """Do one transaction of a worker's work, as if it were killed after it."""
    place = await worker.projection.find_pending()
    if place is None or not await worker.projection.take_lease(now, now + 30_000):
        return
    stored = await worker.projection.read_game(place[1])
    assert stored is not None
    game = stored.decode()
    assert game is not None
    if not await worker.projection.add(game, now):
        await worker.projection.undo_newest(game.place)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    history=histories(),
    kills=st.lists(st.integers(0, 3), min_size=1, max_size=5),
    erased=st.sampled_from(["ann", "bo"]),
)
def test_incremental_and_full_rebuild_agree(
    history: tuple[list[Any], list[list[int]]], kills: list[int], erased: str, database_urls: str
) -> None:
    asyncio.run(_arrive(database_urls, history, kills, erased))


@pytest.fixture
def database_urls(migrated_url: str) -> str:
    return migrated_url


# -- rebuilding ----------------------------------------------------------------------------------------


async def test_a_check_finds_every_kind_of_damage_and_a_rebuild_repairs_it(rated: RatedSite) -> None:
    made = [make_game(f"g{n}", START + n * HOUR, ["ann", "bo"], [1, 2]) for n in range(5)]
    await rated.add_games(*made)
    await drain(rated.worker)
    right = await rated.snapshot()
    damages: list[Any] = [
        update(ratings).where(ratings.c.person == "ann").values(mu=30.0),
        update(rating_changes).where(rating_changes.c.game == "g2").values(sigma=1.0),
        rating_changes.delete().where(rating_changes.c.game == "g4"),
        rating_changes.update().where(rating_changes.c.game == "g3").values(game="gone"),
        ratings.delete().where(ratings.c.person == "bo"),
        ratings.insert().values(
            person="zed", pool="duel-open", mu=1.0, sigma=1.0, games=1, best=None, last_at=1
        ),
        update(games).where(games.c.id == "g1").values(rated_at=None),
    ]
    for damage in damages:
        await rated.write(damage)
        if damage is not damages[-1]:
            assert not (await rated.rebuild(writes=False)).is_right, damage
        await rated.rebuild(writes=True)
        assert await rated.snapshot() == right, damage
        assert (await rated.rebuild(writes=False)).is_right


async def test_a_rebuild_of_right_figures_writes_nothing(rated: RatedSite) -> None:
    await rated.add_games(*(make_game(f"g{n}", START + n, ["ann", "bo"], [1, 2]) for n in range(7)))
    await drain(rated.worker)
    before = await rated.database.fetch_rows(select(games.c.id, games.c.rated_at).order_by(games.c.id))
    report = await rated.rebuild(writes=True)
    assert (report.games, report.rows, report.different, report.standings) == (7, 14, 0, 0)
    assert before == await rated.database.fetch_rows(
        select(games.c.id, games.c.rated_at).order_by(games.c.id)
    )


async def test_a_writer_waits_while_a_rebuild_holds_the_lease(rated: RatedSite) -> None:
    await rated.add_games(make_game("g1", START, ["ann", "bo"], [1, 2]))
    rebuild = RatingProjection(rated.database, "first rebuild", is_command=True)
    other = RatingProjection(rated.database, "another rebuild", is_command=True)
    now = rated.clock.now()
    assert await rated.worker.projection.take_lease(now, now + 60_000)
    assert await rebuild.take_lease(now, now + 60_000), "a command takes it over from a worker"
    assert await rated.worker.loop.run_once() == 0
    assert not await other.take_lease(now, now + 60_000), "but not from another command"
    with pytest.raises(WriterBusy):
        await rated.rebuild(writes=False)
    await rebuild.end_lease()
    assert await rated.worker.loop.run_once() == 1
