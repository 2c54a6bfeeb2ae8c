"""Results of a day: ranking, accounts and guests separately, comparison turn by turn, erased players."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from app import rules
from app.play.deal.days import add_days, day_ends_at
from app.play.deal.results import RESIGNED_SCORE, Turn, compare_turns, position_digest
from tests.web.deal.playing import DAY, Player, deal_site

Json = dict[str, Any]
PASSWORD = "plank, parrot, doubloon"


async def test_results_of_ten_people(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        people: list[Player] = []
        for number in range(10):
            person = await site.person(f"Sailor {number}")
            if number < 4:
                await person.request("POST", "/api/v1/account/register", json={"password": PASSWORD})
            await person.begin()
            await person.play(1 if number < 2 else number)
            people.append(person)
        await site.create_deals()
        told = await people[1].request("GET", f"/api/v1/deal/{DAY}/results")
        assert [told[who]["total"] for who in ("accounts", "guests")] == [4, 6]
        names = {row["name"] for who in ("accounts", "guests") for row in told[who]["rows"]}
        assert names == {person.name for person in people}
        assert [row["is_me"] for row in told["accounts"]["rows"]].count(True) == 1
        for who in ("accounts", "guests"):
            rows = told[who]["rows"]
            places = [row["place"] for row in rows]
            assert places == sorted(places)
            assert places[0] == 1
            won = [row["turns"] for row in rows if row["how"] == "won"]
            assert won == sorted(won)
        # The first two played the same moves, and the bots' replies were the same.
        ones = [(await person.deal())["tries"][0] for person in people[:2]]
        assert ones[0]["line"] == ones[1]["line"]
        assert ones[0]["turns"] == len(ones[0]["line"])
        comparison = told["comparison"]
        assert comparison["others"] == 9
        assert [turn["same"] for turn in comparison["turns"]] == sorted(
            (turn["same"] for turn in comparison["turns"]), reverse=True
        )
        assert comparison["turns"][-1]["same"] >= 1
        for turn in comparison["turns"]:
            assert turn["behind"] + turn["level"] + turn["ahead"] == 9
        if comparison["parting"] is not None:  # what others did is secret until the day is over
            assert not {"instead", "instead_actions"} & comparison["parting"].keys()
        rows = [row for who in ("accounts", "guests") for row in told[who]["rows"]]
        assert [row["name"] for row in rows if row["game"]] == [people[1].name], "others' games are closed"
        won = [row["turns"] for row in rows if row["how"] == "won"]
        assert told["distribution"] == {
            "won": [[turns, won.count(turns)] for turns in sorted(set(won))],
            "beaten": sum(row["how"] == "beaten" for row in rows),
            "given_up": 0,
        }
        standing = told["standing"]
        assert standing["others"] == 9
        assert standing["equal"] >= 1, "the first two played the same moves"
        assert standing["worse"] + standing["equal"] <= 9
        site.clock.time = day_ends_at(DAY)
        later = [
            (await person.request("GET", f"/api/v1/deal/{DAY}/results"))["comparison"]["parting"]
            for person in people
        ]
        assert any(later)
        assert all(parting["instead"] != parting["played"] for parting in later if parting)
        kinds = {action["type"] for parting in later if parting for action in parting["instead_actions"]}
        assert kinds & {"advance", "retreat", "draw", "end"}
        told = await people[1].request("GET", f"/api/v1/deal/{DAY}/results")
        games = {row["game"] for who in ("accounts", "guests") for row in told[who]["rows"]}
        assert games == {person.game for person in people}
        stranger = await site.person("Stranger")
        for person in (people[0], people[5]):
            await stranger.request("GET", f"/api/v1/games/{person.game}/record")
            found = await stranger.request("GET", f"/api/v1/players/{person.id}")
            assert [(game["id"], game["deal"]) for game in found["games"]] == [(person.game, DAY)]
            assert sum(line["played"] for line in found["results"]) == 1


async def test_a_profile_shows_a_deal_once_its_day_is_over(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        ann, bo = await site.person("Ann"), await site.person("Bo")
        await ann.begin()
        await ann.play(1)
        await bo.begin()
        await bo.resign()
        first = bo.game
        await bo.begin()  # a try that does not count
        assert bo.game != first
        await bo.resign()
        paths = [f"/api/v1/players/{person.id}" for person in (ann, bo)]
        site.clock.time = day_ends_at(DAY) - 1
        assert [(await bo.request("GET", path))["games"] for path in paths] == [[], []]
        await bo.request("GET", f"/api/v1/games/{ann.game}", 403)
        assert (await ann.request("GET", f"/api/v1/games/{ann.game}/record", 409))["error"][
            "code"
        ] == "deal_sealed"
        assert (await ann.request("GET", f"/api/v1/games/{ann.game}/seen"))["steps"]
        site.clock.time = day_ends_at(DAY)
        shown = [(await bo.request("GET", path))["games"] for path in paths]
        assert [[game["id"] for game in games] for games in shown] == [[ann.game], [first]]
        counted = [(await bo.request("GET", path))["results"] for path in paths]
        assert [sum(line["played"] for line in lines) for lines in counted] == [1, 1]


async def test_results_are_hidden_before_the_first_try_until_the_day_is_over(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        ann, bo = await site.person("Ann"), await site.person("Bo")
        await ann.begin()
        await ann.play(1)
        await site.create_deals()
        path = f"/api/v1/deal/{DAY}/results"
        assert (await bo.request("GET", path, 409))["error"]["code"] == "deal_unplayed"
        await bo.begin()
        await bo.play(1, 3)
        assert (await bo.request("GET", path, 409))["error"]["code"] == "deal_unplayed"
        site.clock.time = day_ends_at(DAY)
        assert [row["name"] for row in (await bo.request("GET", path))["guests"]["rows"]] == ["Ann"]


async def test_resigning_ranks_last_and_breaks_the_streak(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        ann, bo = await site.person("Ann"), await site.person("Bo")
        for person in (ann, bo):
            await person.begin()
        await bo.play(3)
        await ann.resign()
        told = await ann.request("GET", f"/api/v1/deal/{DAY}/results")
        await site.create_deals()
        told = await ann.request("GET", f"/api/v1/deal/{DAY}/results")
        assert [(row["name"], row["how"] == "given_up") for row in told["guests"]["rows"]] == [
            ("Bo", False),
            ("Ann", True),
        ]
        assert ((await ann.deal())["streak"]["days"], (await bo.deal())["streak"]["days"]) == (0, 1)
        await ann.begin()
        await ann.play(3)
        told = await ann.deal()
        assert told["streak"] == {"days": 1, "best": 1, "today": True}, "a later try keeps it"
        assert told["statistics"]["played"] == 1, "of the results, only the first counts"


async def test_an_attempt_that_ends_after_midnight_keeps_the_streak_but_is_not_listed(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        ann = await site.person("Ann")
        await ann.begin()
        await ann.play(1, 3)
        site.clock.time = day_ends_at(DAY)
        await ann.play(1)
        told = await ann.deal(DAY)
        assert told["tries"][0]["is_late"]
        assert told["streak"] == {"days": 1, "best": 1, "today": False}
        assert told["statistics"]["played"] == 0
        results = await ann.request("GET", f"/api/v1/deal/{DAY}/results")
        assert (results["guests"]["total"], results["standing"]) == (0, None)
        assert results["distribution"] == {"won": [], "beaten": 0, "given_up": 0}


async def test_a_streak_grows_day_by_day(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        ann = await site.person("Ann")
        for days in (1, 2):
            await ann.begin()
            await ann.play(days)
            assert (await ann.deal())["streak"] == {"days": days, "best": days, "today": True}
            site.clock.advance(86_400)
        told = await ann.deal()
        assert told["streak"] == {"days": 2, "best": 2, "today": False}
        lines = [(await ann.deal(add_days(DAY, day)))["tries"][0] for day in (0, 1)]
        wins = [line["turns"] for line in lines if line["how"] == "won"]
        assert told["statistics"] == {
            "played": 2,
            "won": len(wins),
            "best_turns": min(wins, default=None),
            "average_turns": round(sum(wins) / len(wins), 1) if wins else None,
        }
        site.clock.advance(86_400)
        assert (await ann.deal())["streak"] == {"days": 0, "best": 2, "today": False}
        assert (await ann.deal())["day"] == add_days(DAY, 3)


async def test_a_guest_who_becomes_an_account_counts_once(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        ann = await site.person("Ann")
        await ann.begin()
        await ann.play(1)
        await ann.request("POST", "/api/v1/account/register", json={"password": PASSWORD})
        # The same person as a guest on another device, who then logs in.
        guest = await site.person("Ann elsewhere")
        site.clock.advance(1)
        await guest.begin()
        await guest.play(2)
        login = {"name": "Ann", "password": PASSWORD}
        await guest.request("POST", "/api/v1/account/login", json=login)
        await site.create_deals()
        told = await ann.request("GET", f"/api/v1/deal/{DAY}/results")
        assert [told[who]["total"] for who in ("accounts", "guests")] == [1, 0]
        tries = (await ann.deal())["tries"]
        assert [each["counts"] for each in tries] == [True] + [False] * (len(tries) - 1)
        assert told["accounts"]["rows"][0]["turns"] == tries[0]["turns"]


async def test_an_erased_player_leaves_the_results_and_can_export_their_tries(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        ann, bo = await site.person("Ann"), await site.person("Bo")
        for person in (ann, bo):
            await person.begin()
            await person.play(2)
        await site.create_deals()
        data = await ann.request("GET", "/api/v1/me/data")
        assert [(each["day"], each["game"]) for each in data["deals"]] == [(DAY, ann.game)]
        assert "server_seed" not in str(data)
        await ann.request("POST", "/api/v1/me/delete", json={})
        told = await bo.request("GET", f"/api/v1/deal/{DAY}/results")
        assert [row["name"] for row in told["guests"]["rows"]] == ["Bo"]
        assert told["comparison"]["others"] == 0


async def test_a_result_survives_the_death_of_the_worker_that_saw_the_end(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result is not written when a game ends; the next reader computes it from the log."""
    async with deal_site(sqlite_url, monkeypatch) as site:
        ann = await site.person("Ann")
        await ann.begin()
        await ann.play(1)
        mine = await site.deals.store.list_tries((ann.id,), DAY)
        assert [each.ended_at for each in mine] == [None]
    async with deal_site(sqlite_url, monkeypatch) as site:
        await site.create_deals()
        await site.create_deals()  # repeating it writes the same
        total, rows = await site.deals.store.list_results(DAY, accounts=False, limit=10, offset=0)
        assert (total, [row["name"] for row in rows]) == (1, ["Ann"])


def turns(*played: str) -> tuple[Turn, ...]:
    return tuple(Turn(spaces=10 * n, home=0, played=each) for n, each in enumerate(played, 1))


def test_the_divergence_is_where_most_others_chose_differently() -> None:
    mine = turns("a", "b", "c")
    others = [*[turns("a", "x", "y"), turns("a", "x")] * 2, turns("a", "b", "c"), turns("q", "b", "c")]
    found = compare_turns(mine, others)
    assert found.parting is not None
    assert (found.parting.turn, found.parting.others, found.parting.usual) == (2, 5, 4)
    assert (found.parting.played, found.parting.instead) == ("b", "x")
    assert [turn.same for turn in found.turns] == [5, 1, 1]
    assert [(turn.behind, turn.level, turn.ahead) for turn in found.turns] == [
        (0, 6, 0),
        (0, 6, 0),
        (2, 4, 0),
    ]


@pytest.mark.parametrize(
    "others",
    [
        [turns("x")],
        [turns("x")] * 2,  # too few to say what is usual
        [turns("x"), turns("x"), turns("a")],  # two each, counting oneself
        [turns("x"), turns("y"), turns("z")],
    ],
)
def test_a_choice_is_unusual_only_beside_a_more_frequent_one(others: list[tuple[Turn, ...]]) -> None:
    assert compare_turns(turns("a"), others).parting is None
    assert compare_turns(turns("a"), [turns("x")] * 3).parting is not None


def test_the_order_of_actions_does_not_make_a_turn_different() -> None:
    mine = (Turn(10, 0, "key, hat", "p1"), Turn(20, 0, "draw", "p2"))
    other = (Turn(10, 0, "hat, key", "p1"), Turn(20, 0, "draw, end", "p2"))
    found = compare_turns(mine, [other] * 4)
    assert found.parting is None
    assert [turn.same for turn in found.turns] == [4, 4]
    old = (Turn(10, 0, "key, hat"), Turn(20, 0, "hat"))  # stored without positions
    assert [turn.same for turn in compare_turns(mine, [old]).turns] == [1, 0]


def test_two_cards_played_in_either_order_lead_to_the_same_position() -> None:
    start = rules.new_game(rules.parse_options({"preset": "tortuga", "players": 2}), "5" * 64)
    seat = start.turn_seat
    digests: defaultdict[str, set[str]] = defaultdict(set)
    for one in rules.legal(start, seat):
        between, _ = rules.apply(start, seat, one)
        for other in rules.legal(between, seat) if isinstance(one, rules.Advance) else ():
            if isinstance(other, rules.Advance):
                after, _ = rules.apply(between, seat, other)
                digests[f"{after.pirates} {after.hands[seat]}"].add(position_digest(after, seat))
    assert len(digests) > 3
    assert all(len(found) == 1 for found in digests.values())
    assert len(set.union(*digests.values())) == len(digests)


def test_a_single_try_has_no_comparison() -> None:
    found = compare_turns(turns("a"), [])
    assert (found.others, found.parting, found.turns[0].level) == (0, None, 0)
    assert RESIGNED_SCORE > 10_000
