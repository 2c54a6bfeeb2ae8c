"""People who play a deal of the day over the API, each by a plan of their own; and time that is turned by hand."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec
import pytest

from app.play.commands import messages as cmd
from app.play.deal import days, game
from app.play.deal.days import begins_at
from app.play.join import admit
from app.play.ports import Actor, BotPlayer
from app.play.room.broadcast import state_frame
from app.play.server import GameServer
from app.web.deals import Deals
from tests.play.simple_bot import SimpleBot
from tests.play.stage import HandClock, exchange, new_id
from tests.web.running_site import TestSite, running

DAY = "2027-01-18"  # a Monday
NOON = begins_at(DAY) + 12 * 3_600_000
_PATIENCE = 60.0
# A short road with few pirates: whole games in a second or two, by the same rules.
SHORT: dict[str, Any] = {
    "preset": "jamaica", "board": "random", "passage_boards": 4, "pirates": 4, "actions": 5,
}  # fmt: skip
Json = dict[str, Any]


class DealSite:
    """An app whose days are turned by hand, and whose bots answer at once."""

    def __init__(self, site: TestSite, clock: HandClock) -> None:
        self.site = site
        self.clock = clock

    @property
    def deals(self) -> Deals:
        deals: Deals = self.site.app.state.deals
        return deals

    async def keep_deals(self) -> None:
        """Fix the deals, and settle what has ended."""
        await self.site.app.state.maintenance.keep_deals()
        await self.site.app.state.queues["deals"].drain()

    async def person(self, name: str) -> Player:
        browser, told = await self.site.guest(name)
        return Player(browser, told["person"], self.site.app.state.game_server)


@asynccontextmanager
async def deal_site(
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    at: int = NOON,
    bots: BotPlayer | None = None,
    **changes: Any,
) -> AsyncIterator[DealSite]:
    monkeypatch.setattr(days, "_WEEK", ((SHORT, ("sailor", "mate")),) * 7)
    monkeypatch.setattr(game, "_TERMS", msgspec.structs.replace(game._TERMS, pace=0))
    roomy: Json = {"requests_per_second": 1e5, "requests_burst": 10**5, "writes_per_second": 1e5}
    roomy |= {"writes_burst": 10**5, "guests_per_hour": 10**5, **changes}
    async with running(database_url, **roomy) as site:
        clock = HandClock()
        clock.time = at
        await site.app.state.maintenance.stop()  # its rounds are made by hand
        exchange(site.app.state.game_server, clock=clock, bots=bots or SimpleBot())
        site.app.state.deals._fixed.clear()
        yield DealSite(site, clock)


class Player:
    """Somebody with a browser."""

    pause = 0.01  # seconds between two looks whether it is their turn

    def __init__(self, http: httpx.AsyncClient, person: Json, game_server: GameServer | None = None) -> None:
        self.http = http
        self.game_server = game_server  # in this process: games are then played without HTTP
        self.id: str = person["id"]
        self.name: str = person["name"]
        self.game = ""
        self.seq = 0  # of the last action: a worker that has not heard of it is asked again

    async def ask(self, method: str, path: str, code: int = 200, **given: Any) -> Any:
        answer = await self.http.request(method, path, **given)
        assert answer.status_code == code, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json()

    async def begin(self) -> Json:
        begun: Json = await self.ask("POST", "/api/v1/deal", 201)
        self.game, self.seq = begun["id"], 0
        return begun

    async def state(self) -> Json:
        told: Json
        if self.game_server is None:
            told = await self.ask("GET", f"/api/v1/games/{self.game}")
        else:
            room = await admit(self.game_server, self.game, self._actor, None)
            told = msgspec.to_builtins(state_frame(room.table, room.table.seat_of(self._actor.ids)))
        return told

    async def awaited(self) -> Json:
        """The table when it is this person's move, or over."""
        async with asyncio.timeout(_PATIENCE):
            while True:
                told = await self.state()
                is_waited_for = told.get("choices") or told["table"]["status"] != "running"
                if told["seq"] >= self.seq and is_waited_for:
                    return told
                await asyncio.sleep(self.pause)

    async def act(self, told: Json, action: Json) -> None:
        if self.game_server is not None:
            room = await admit(self.game_server, self.game, self._actor, None)
            command = cmd.Act.of(new_id(), told["seq"], action)
            received = self.game_server.clock.now()
            self.seq = (await self.game_server.submit(room, self._actor, command, received)).seq
            return
        body = {"id": new_id(), "version": told["seq"], "action": action}
        self.seq = (await self.ask("POST", f"/api/v1/games/{self.game}/act", json=body))["seq"]

    @property
    def _actor(self) -> Actor:
        return Actor((self.id,), self.name)

    async def play(self, plan: int = 0, most: int = 10_000) -> Json:
        """By plan `most` actions, or to the end; what the table is like then."""
        for number in range(most):
            told = await self.awaited()
            if told["table"]["status"] != "running":
                return told
            await self.act(told, planned(told, plan, number))
        return await self.awaited()

    async def resign(self) -> None:
        await self.act(await self.awaited(), {"type": "resign"})
        assert (await self.awaited())["table"]["status"] == "finished"

    async def deal(self, day: str = "") -> Json:
        told: Json = await self.ask("GET", "/api/v1/deal" + (f"/{day}" if day else ""))
        return told


def planned(told: Json, plan: int, number: int) -> Json:
    """What somebody with this plan does: forward while there are cards, and as chance of their own says."""
    chance = random.Random(f"{plan}|{number}")
    actions: list[Json] = [choice["action"] for choice in told["choices"]]
    view, seat = told["view"], told["you"]["seat"]
    first = actions[0]
    if first["type"] == "discard":
        return {"type": "discard", "cards": view["players"][seat]["hand"][: first["count"]]}
    wanted = (
        ("advance", "retreat", "sail")
        if view["players"][seat]["cards"] > 2
        else ("retreat", "sail", "advance")
    )
    for kind in (*wanted, "draw", "end"):
        of_kind = [action for action in actions if action["type"] == kind]
        if of_kind:
            return chance.choice(of_kind) if plan else of_kind[-1]
    return first
