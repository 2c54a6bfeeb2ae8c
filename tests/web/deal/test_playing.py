"""Playing the deal of the day: the same for everyone, committed the day before, only the first try counts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app import rules
from app.play.deal.days import DAY_MS as A_DAY
from app.play.deal.days import add_days, count_streaks, day_ends_at, day_starts_at, plan_day
from tests.web.deal.playing import DAY, NOON, deal_site

Json = dict[str, Any]


async def test_all_players_get_the_same_boards_hands_and_first_player(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        views = []
        for name in ("Ann", "Bo", "Cy"):
            person = await site.person(name)
            begun = await person.begin()
            assert (begun["day"], begun["n"], begun["counts"]) == (DAY, 1, True)
            told = await person.wait_for_move()
            assert told["you"]["seat"] == 0
            assert told["table"]["deal"] == DAY
            assert [seat["bot"] for seat in told["table"]["seats"]] == [None, *plan_day(DAY)[1]]
            views.append(told["view"])
        assert views[0] == views[1] == views[2]


async def test_a_deal_is_committed_the_day_before_and_its_seed_matches_afterwards(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch, NOON - A_DAY) as site:
        await site.create_deals()
        ann = await site.person("Ann")
        shown = (await ann.deal())["tomorrow"]
        assert (shown["day"], shown["was_early"]) == (DAY, True)
        site.clock.advance(86_400)
        today = await ann.deal()
        assert (today["day"], today["commitment"]) == (DAY, shown["commitment"])
        assert today["made_at"] == NOON - A_DAY
        assert today["server_seed"] is None
        assert (await ann.request("GET", f"/api/v1/deal/{add_days(DAY)}", 404))["error"][
            "code"
        ] == "not_found"
        site.clock.time = day_ends_at(DAY)
        told = await ann.deal(DAY)
        assert told["is_over"]
        assert rules.commitment_of(told["server_seed"]) == shown["commitment"]


async def test_a_deal_created_late_is_marked(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        told = await (await site.person("Ann")).deal()
        assert (told["made_at"], told["was_early"]) == (NOON, False)


async def test_concurrent_creation_gives_one_deal_per_day(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:

        async def made() -> str:
            site.deals._cached_deals.clear()
            deal = await site.deals.get_deal(DAY)
            assert deal is not None
            return deal.commitment

        assert len(set(await asyncio.gather(*(made() for _ in range(8))))) == 1


async def test_an_unfinished_try_is_resumed_and_concurrent_requests_start_one(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        ann = await site.person("Ann")
        begun = await asyncio.gather(*(ann.begin() for _ in range(4)))
        assert len({each["id"] for each in begun}) == 1
        assert (await ann.begin())["id"] == begun[0]["id"]


async def test_a_try_stored_before_a_crash_gets_its_game(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        ann = await site.person("Ann")
        await site.deals.get_deal(DAY)
        assert await site.deals.store.begin_try((ann.id,), DAY, "noted00000000000000", NOON)
        assert (await ann.deal())["tries"] == [], "the table does not exist yet"
        assert (await ann.begin())["id"] == "noted00000000000000"
        assert (await ann.wait_for_move())["table"]["status"] == "running"


async def test_only_the_first_try_counts(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        ann = await site.person("Ann")
        await ann.begin()
        await ann.play(1)
        again = await ann.begin()
        assert (again["n"], again["counts"]) == (2, False)
        await ann.play(2)
        told = await ann.deal()
        assert [(each["n"], each["counts"], each["is_over"]) for each in told["tries"]] == [
            (1, True, True),
            (2, False, True),
        ]
        results = await ann.request("GET", f"/api/v1/deal/{DAY}/results")
        assert [row["turns"] for row in results["guests"]["rows"]] == [told["tries"][0]["turns"]]


async def test_a_deal_can_be_tried_only_so_often_in_a_day(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.store.people.deals.MAX_TRIES_PER_DAY", 3)
    async with deal_site(database_url, monkeypatch) as site:
        ann = await site.person("Ann")
        for n in range(1, 4):
            assert (await ann.begin())["n"] == n
            assert (await ann.begin())["n"] == n
            await ann.resign()
        refused = (await ann.request("POST", "/api/v1/deal", 409))["error"]
        assert refused["code"] == "too_many_tries"
        assert "20 attempts" in refused["message"]
        assert len((await ann.deal())["tries"]) == 3
        assert (await (await site.person("Bo")).begin())["n"] == 1
        site.clock.advance(86_400)
        assert (await ann.begin())["n"] == 1


async def test_hints_pauses_and_rematches_are_refused(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        ann = await site.person("Ann")
        await ann.begin()
        told = await ann.wait_for_move()
        hint = {"id": "a-hint-please", "version": told["seq"]}
        refused = await ann.request("POST", f"/api/v1/games/{ann.game}/hint", 409, json=hint)
        assert refused["error"]["code"] == "no_hints"
        assert (told["table"]["clock"], told["table"]["absence"]) == ({"kind": "none"}, 0)
        await ann.resign()
        again = {"do": "rematch", "id": "once-more-please"}
        refused = await ann.request("POST", f"/api/v1/games/{ann.game}/commands", 409, json=again)
        assert refused["error"]["code"] == "deal_alone"


async def test_a_deal_counts_as_an_unfinished_table_and_is_not_ended_to_make_room(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch, rooms_per_guest=1) as site:
        ann = await site.person("Ann")
        await ann.begin()
        new = {"options": {"preset": "jamaica", "players": 2}}
        refused = await ann.request("POST", "/api/v1/games?make_room=true", 409, json=new)
        assert refused["error"]["code"] == "too_many_rooms"
        assert (await ann.wait_for_move())["table"]["status"] == "running"
        bo = await site.person("Bo")
        await bo.request("POST", "/api/v1/games", 201, json=new)
        assert (await bo.request("POST", "/api/v1/deal", 409))["error"]["code"] == "too_many_rooms"
        site.clock.time = day_ends_at(DAY) + 1
        made = await ann.request("POST", "/api/v1/games?make_room=true", 201, json=new)
        assert made["ended"] == [ann.game]
        await site.create_deals()  # the result is shown all the same


async def test_a_program_cannot_play_the_deal(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        ann = await site.person("Ann")
        await ann.request("POST", "/api/v1/account/register", json={"password": "plank, parrot, doubloon"})
        label = {"label": "mine", "password": "plank, parrot, doubloon"}
        token = (await ann.request("POST", "/api/v1/account/tokens", json=label))["token"]
        program = site.site.program(authorization=f"Bearer {token}")
        answer = await program.post("/api/v1/deal")
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_by_token")


async def test_a_game_may_continue_past_midnight_but_is_not_ranked(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch, day_ends_at(DAY) - 60_000) as site:
        ann, bo = await site.person("Ann"), await site.person("Bo")
        await ann.begin()
        await ann.play(1, 5)
        await bo.begin()
        await bo.play(2)
        site.clock.time = day_ends_at(DAY)
        told = await ann.play(1)
        assert told["table"]["status"] == "finished"
        mine = (await ann.deal(DAY))["tries"]
        assert [(each["is_late"], each["counts"], each["is_over"]) for each in mine] == [(True, False, True)]
        await site.create_deals()
        results = await ann.request("GET", f"/api/v1/deal/{DAY}/results")
        assert [row["name"] for row in results["guests"]["rows"]] == ["Bo"]
        # A try started now belongs to the new day.
        assert (await ann.begin())["day"] == add_days(DAY)
        assert (await ann.deal())["tries"][0]["n"] == 1
        assert (await ann.deal())["streak"]["days"] == 1


async def test_a_page_from_yesterday_starts_no_try(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with deal_site(sqlite_url, monkeypatch, day_ends_at(DAY) - 1) as site:
        ann = await site.person("Ann")
        of_day = f"/api/v1/deal?day={DAY}"
        begun = await ann.request("POST", of_day, 201)
        assert begun["day"] == DAY
        site.clock.time += 1
        for _ in range(2):
            refused = (await ann.request("POST", of_day, 409))["error"]
            assert refused["code"] == "deal_over"
            assert refused["message"].startswith("This day is over.")
        assert (await ann.deal())["tries"] == []
        assert [each["game"] for each in (await ann.deal(DAY))["tries"]] == [begun["id"]]
        for other in (add_days(DAY, 2), add_days(DAY, -1), "2027-02-31"):
            assert (await ann.request("POST", f"/api/v1/deal?day={other}", 404))["error"][
                "code"
            ] == "not_found"
        await ann.request("POST", "/api/v1/deal?day=today", 422)
        assert (await ann.request("POST", f"/api/v1/deal?day={add_days(DAY)}", 201))["day"] == add_days(DAY)


async def test_days_end_at_midnight_utc(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with deal_site(sqlite_url, monkeypatch, day_ends_at(DAY) - 1) as site:
        ann = await site.person("Ann")
        told = await ann.deal()
        assert (told["day"], told["ends_at"]) == (DAY, day_starts_at(add_days(DAY)))
        site.clock.time += 1
        assert (await ann.deal())["day"] == add_days(DAY)


def test_preset_and_opponents_change_with_the_weekday() -> None:
    week = [plan_day(add_days(DAY, n)) for n in range(7)]
    assert len({options["preset"] for options, _ in week}) == 7
    assert plan_day(add_days(DAY, 7)) == week[0]


@pytest.mark.parametrize(
    ("played", "days", "best"),
    [
        ([], 0, 0),
        ([DAY], 1, 1),
        ([add_days(DAY, -1)], 1, 1),  # today is not over
        ([add_days(DAY, -2)], 0, 1),
        ([DAY, add_days(DAY, -1), add_days(DAY, -3)], 2, 2),
        ([DAY, *(add_days(DAY, -n) for n in (2, 3, 4))], 1, 3),
    ],
)
def test_a_streak_counts_consecutive_days(played: list[str], days: int, best: int) -> None:
    assert count_streaks(played, DAY) == (days, best)
