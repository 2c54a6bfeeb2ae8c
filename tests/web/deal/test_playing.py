"""The deal of the day, played: the same for everybody, fixed the day before, the first try counts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app import rules
from app.play.deal.days import DAY as A_DAY
from app.play.deal.days import begins_at, ends_at, next_day, plan_of, streak
from tests.web.deal.playing import DAY, NOON, deal_site

Json = dict[str, Any]


async def test_everybody_has_the_same_boards_hands_and_first_player(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        views = []
        for name in ("Ann", "Bo", "Cy"):
            person = await site.person(name)
            begun = await person.begin()
            assert (begun["day"], begun["n"], begun["counts"]) == (DAY, 1, True)
            told = await person.awaited()
            assert told["you"]["seat"] == 0
            assert told["table"]["deal"] == DAY
            assert [seat["bot"] for seat in told["table"]["seats"]] == [None, *plan_of(DAY)[1]]
            views.append(told["view"])
        assert views[0] == views[1] == views[2]


async def test_a_deal_is_fixed_the_day_before_and_its_secret_fits_the_fingerprint_afterwards(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch, NOON - A_DAY) as site:
        await site.keep_deals()
        ann = await site.person("Ann")
        shown = (await ann.deal())["tomorrow"]
        assert (shown["day"], shown["was_early"]) == (DAY, True)
        site.clock.pass_seconds(86_400)
        today = await ann.deal()
        assert (today["day"], today["commitment"]) == (DAY, shown["commitment"])
        assert today["made_at"] == NOON - A_DAY
        assert today["server_seed"] is None
        assert (await ann.ask("GET", f"/api/v1/deal/{next_day(DAY)}", 404))["error"]["code"] == "not_found"
        site.clock.time = ends_at(DAY)
        told = await ann.deal(DAY)
        assert told["is_over"]
        assert rules.commitment_of(told["server_seed"]) == shown["commitment"]


async def test_a_server_that_was_off_the_day_before_says_when_its_deal_was_made(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        told = await (await site.person("Ann")).deal()
        assert (told["made_at"], told["was_early"]) == (NOON, False)


async def test_however_many_make_the_deal_of_a_day_at_once_there_is_one(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:

        async def made() -> str:
            site.deals._fixed.clear()
            deal = await site.deals.fixed(DAY)
            assert deal is not None
            return deal.commitment

        assert len(set(await asyncio.gather(*(made() for _ in range(8))))) == 1


async def test_an_unfinished_try_is_gone_on_with_and_two_requests_at_once_begin_one(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        ann = await site.person("Ann")
        begun = await asyncio.gather(*(ann.begin() for _ in range(4)))
        assert len({each["id"] for each in begun}) == 1
        assert (await ann.begin())["id"] == begun[0]["id"]


async def test_a_try_that_was_noted_before_a_crash_gets_its_game(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        ann = await site.person("Ann")
        await site.deals.fixed(DAY)
        assert await site.deals.store.begin((ann.id,), DAY, "noted00000000000000", NOON)
        assert (await ann.deal())["tries"] == [], "there is no table yet to go to"
        assert (await ann.begin())["id"] == "noted00000000000000"
        assert (await ann.awaited())["table"]["status"] == "running"


async def test_the_first_try_counts_and_the_next_ones_are_marked(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        results = await ann.ask("GET", f"/api/v1/deal/{DAY}/results")
        assert [row["turns"] for row in results["guests"]["rows"]] == [told["tries"][0]["turns"]]


async def test_nobody_advises_pauses_for_others_or_plays_a_rematch(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        ann = await site.person("Ann")
        await ann.begin()
        told = await ann.awaited()
        hint = {"id": "a-hint-please", "version": told["seq"]}
        refused = await ann.ask("POST", f"/api/v1/games/{ann.game}/hint", 409, json=hint)
        assert refused["error"]["code"] == "no_hints"
        assert (told["table"]["clock"], told["table"]["absence"]) == ({"kind": "none"}, 0)
        await ann.resign()
        again = {"do": "rematch", "id": "once-more-please"}
        refused = await ann.ask("POST", f"/api/v1/games/{ann.game}/commands", 409, json=again)
        assert refused["error"]["code"] == "deal_alone"


async def test_a_deal_counts_among_the_unfinished_tables_and_none_of_today_is_ended_for_a_new_one(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch, rooms_per_guest=1) as site:
        ann = await site.person("Ann")
        await ann.begin()
        new = {"options": {"preset": "jamaica", "players": 2}}
        refused = await ann.ask("POST", "/api/v1/games?make_room=true", 409, json=new)
        assert refused["error"]["code"] == "too_many_rooms"
        assert (await ann.awaited())["table"]["status"] == "running"
        bo = await site.person("Bo")
        await bo.ask("POST", "/api/v1/games", 201, json=new)
        assert (await bo.ask("POST", "/api/v1/deal", 409))["error"]["code"] == "too_many_rooms"
        site.clock.time = ends_at(DAY) + 1
        made = await ann.ask("POST", "/api/v1/games?make_room=true", 201, json=new)
        assert made["ended"] == [ann.game]
        await site.keep_deals()  # how it went can be told all the same


async def test_a_program_cannot_play_the_deal(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        ann = await site.person("Ann")
        await ann.ask("POST", "/api/v1/account/register", json={"password": "plank, parrot, doubloon"})
        label = {"label": "mine", "password": "plank, parrot, doubloon"}
        token = (await ann.ask("POST", "/api/v1/account/tokens", json=label))["token"]
        program = site.site.program(authorization=f"Bearer {token}")
        answer = await program.post("/api/v1/deal")
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_by_token")


async def test_a_game_goes_on_over_midnight_but_then_stands_in_no_list(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch, ends_at(DAY) - 60_000) as site:
        ann, bo = await site.person("Ann"), await site.person("Bo")
        await ann.begin()
        await ann.play(1, 5)
        await bo.begin()
        await bo.play(2)
        site.clock.time = ends_at(DAY)
        told = await ann.play(1)
        assert told["table"]["status"] == "finished"
        mine = (await ann.deal(DAY))["tries"]
        assert [(each["is_late"], each["counts"], each["is_over"]) for each in mine] == [(True, False, True)]
        await site.keep_deals()
        results = await ann.ask("GET", f"/api/v1/deal/{DAY}/results")
        assert [row["name"] for row in results["guests"]["rows"]] == ["Bo"]
        # What is begun now is the new day's.
        assert (await ann.begin())["day"] == next_day(DAY)
        assert (await ann.deal())["tries"][0]["n"] == 1
        assert (await ann.deal())["streak"]["days"] == 1


async def test_a_page_of_yesterday_begins_nothing(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with deal_site(sqlite_url, monkeypatch, ends_at(DAY) - 1) as site:
        ann = await site.person("Ann")
        of_day = f"/api/v1/deal?day={DAY}"
        begun = await ann.ask("POST", of_day, 201)
        assert begun["day"] == DAY
        site.clock.time += 1
        for _ in range(2):
            refused = (await ann.ask("POST", of_day, 409))["error"]
            assert refused["code"] == "deal_over"
            assert refused["message"].startswith("This day is over.")
        assert (await ann.deal())["tries"] == []
        assert [each["game"] for each in (await ann.deal(DAY))["tries"]] == [begun["id"]]
        for other in (next_day(DAY, 2), next_day(DAY, -1), "2027-02-31"):
            assert (await ann.ask("POST", f"/api/v1/deal?day={other}", 404))["error"]["code"] == "not_found"
        await ann.ask("POST", "/api/v1/deal?day=today", 422)
        assert (await ann.ask("POST", f"/api/v1/deal?day={next_day(DAY)}", 201))["day"] == next_day(DAY)


async def test_days_end_at_midnight_utc_whatever_the_place(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch, ends_at(DAY) - 1) as site:
        ann = await site.person("Ann")
        told = await ann.deal()
        assert (told["day"], told["ends_at"]) == (DAY, begins_at(next_day(DAY)))
        site.clock.time += 1
        assert (await ann.deal())["day"] == next_day(DAY)


def test_preset_and_opponents_change_with_the_weekday() -> None:
    week = [plan_of(next_day(DAY, n)) for n in range(7)]
    assert len({options["preset"] for options, _ in week}) == 7
    assert plan_of(next_day(DAY, 7)) == week[0]


@pytest.mark.parametrize(
    ("played", "days", "best"),
    [
        ([], 0, 0),
        ([DAY], 1, 1),
        ([next_day(DAY, -1)], 1, 1),  # today is not over
        ([next_day(DAY, -2)], 0, 1),
        ([DAY, next_day(DAY, -1), next_day(DAY, -3)], 2, 2),
        ([DAY, *(next_day(DAY, -n) for n in (2, 3, 4))], 1, 3),
    ],
)
def test_a_streak_is_days_in_a_row(played: list[str], days: int, best: int) -> None:
    assert streak(played, DAY) == (days, best)
