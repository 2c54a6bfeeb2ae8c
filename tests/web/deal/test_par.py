"""Par: how the bots do on the deal, computed once in the background and the same in every worker."""

from __future__ import annotations

from typing import Any

import pytest

from app.play.deal.days import day_ends_at, new_deal
from app.play.deal.par import Par, ParGame
from app.store.people.deals import DealStore
from tests.play.simple_bot import SimpleBot
from tests.web.deal.playing import DAY, NOON, Player, deal_site

Json = dict[str, Any]


async def play_as_bot(person: Player) -> None:
    """Play a whole game as the bots do."""
    bot = SimpleBot()
    while True:
        told = await person.wait_for_move()
        if told["table"]["status"] != "running":
            return
        actions = [choice["action"] for choice in told["choices"]]
        await person.act(told, await bot.choose(told["view"], actions, [], "mate", 0, seat=0))


async def test_par_is_the_result_of_a_player_who_plays_like_the_bot(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        ann = await site.person("Ann")
        pars = site.site.app.state.queues["deal_pars"]
        await ann.deal()
        assert await pars.drain() == 0, "nobody has started this deal"
        await ann.begin()
        await play_as_bot(ann)
        path = f"/api/v1/deal/{DAY}/results"
        assert (await ann.request("GET", path))["par"] is None
        await pars.drain()
        par = (await ann.request("GET", path))["par"]
        mine = (await ann.deal())["tries"][0]
        assert par == {"level": "mate", **{name: mine[name] for name in ("how", "turns", "spaces")}}
        assert await pars.drain() == 0, "it is known"
        bo = await site.person("Bo")
        assert (await bo.request("GET", path, 409))["error"]["code"] == "deal_unplayed"
        assert "par" not in await bo.deal()


async def test_two_workers_lease_a_day_one_after_the_other(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        await (await site.person("Ann")).begin()
        store: DealStore = site.deals.store
        assert await store.claim_pars(DAY, NOON, NOON + 1000, 5) == [DAY]
        assert await store.claim_pars(DAY, NOON, NOON + 1000, 5) == []
        assert await store.claim_pars(DAY, NOON + 1000, NOON + 2000, 5) == [DAY], "the worker died"
        await store.end_par_lease(DAY)
        assert await store.claim_pars(DAY, NOON, NOON + 1000, 5, [DAY]) == []
        await store.save_par(DAY, Par("mate", 21, 21, 120))
        assert await store.claim_pars(DAY, day_ends_at(DAY), day_ends_at(DAY) + 1, 5) == []
        assert await store.read_par(DAY) == Par("mate", 21, 21, 120)


async def test_a_game_of_bots_that_does_not_end_has_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.play.deal.par.MAX_PAR_ACTIONS", 3)
    game = ParGame(new_deal(DAY, NOON))
    while (request := game.next_request()) is not None:
        game.play(await SimpleBot().choose(budget=0, **request))
    assert game.result() == Par("sailor", None, 0, 0)
