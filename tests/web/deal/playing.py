"""Players of the deal of the day over the API, each with a plan, and a clock set by the test."""

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
from app.play.deal.days import day_starts_at
from app.play.frames import encode
from app.play.join import admit
from app.play.ports import Actor, BotPlayer
from app.play.room.audience_frames import state_frame
from app.play.server import GameServer
from app.web.deals import Deals
from tests.play.simple_bot import SimpleBot
from tests.play.stage import ManualClock, new_command_id, replace_ports
from tests.web.running_site import TestSite, running

DAY = "2027-01-18"  # a Monday
NOON = day_starts_at(DAY) + 12 * 3_600_000
_PATIENCE = 60.0
# A short route with few pirates, so that a whole game takes a second or two.
SHORT: dict[str, Any] = {
    "preset": "jamaica", "board": "random", "passage_boards": 4, "pirates": 4, "actions": 5,
}  # fmt: skip
Json = dict[str, Any]


class DealSite:
    """An app whose clock is set by the test, and whose bots answer at once."""

    def __init__(self, site: TestSite, clock: ManualClock) -> None:
        self.site = site
        self.clock = clock

    @property
    def deals(self) -> Deals:
        deals: Deals = self.site.app.state.deals
        return deals

    async def create_deals(self) -> None:
        """Create the deals, and store the results of ended tries."""
        await self.site.app.state.maintenance.create_deals()
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
    monkeypatch.setattr(days, "_WEEKLY_PLAN", ((SHORT, ("sailor", "mate")),) * 7)
    monkeypatch.setattr(game, "_DEAL_TERMS", msgspec.structs.replace(game._DEAL_TERMS, pace=0))
    roomy: Json = {"requests_per_second": 1e5, "requests_burst": 10**5, "writes_per_second": 1e5}
    roomy |= {"writes_burst": 10**5, "guests_per_hour": 10**5, **changes}
    async with running(database_url, **roomy) as site:
        clock = ManualClock()
        clock.time = at
        await site.app.state.maintenance.stop()  # tests run its work themselves
        replace_ports(site.app.state.game_server, clock=clock, bots=bots or SimpleBot())
        site.app.state.deals._cached_deals.clear()
        yield DealSite(site, clock)


class Player:
    """A person with a browser."""

    pause = 0.01  # seconds between two polls of the state

    def __init__(self, http: httpx.AsyncClient, person: Json, game_server: GameServer | None = None) -> None:
        self.http = http
        self.game_server = game_server  # in this process: games are played without HTTP
        self.id: str = person["id"]
        self.name: str = person["name"]
        self.game = ""
        self.seq = 0  # of the last action; a worker with an older state is polled again

    async def request(self, method: str, path: str, code: int = 200, **given: Any) -> Any:
        answer = await self.http.request(method, path, **given)
        assert answer.status_code == code, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json()

    async def begin(self) -> Json:
        begun: Json = await self.request("POST", "/api/v1/deal", 201)
        self.game, self.seq = begun["id"], 0
        return begun

    async def state(self) -> Json:
        told: Json
        if self.game_server is None:
            told = await self.request("GET", f"/api/v1/games/{self.game}")
        else:
            room = await admit(self.game_server, self.game, self._actor, None)
            told = msgspec.json.decode(encode(state_frame(room.table, room.table.seat_of(self._actor.ids))))
        return told

    async def wait_for_move(self) -> Json:
        """Return the table once it is this person's move or the game is over."""
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
            command = cmd.Act.from_json(new_command_id(), told["seq"], action)
            received = self.game_server.clock.now()
            self.seq = (await self.game_server.dispatcher.submit(room, self._actor, command, received)).seq
            return
        body = {"id": new_command_id(), "version": told["seq"], "action": action}
        self.seq = (await self.request("POST", f"/api/v1/games/{self.game}/act", json=body))["seq"]

    @property
    def _actor(self) -> Actor:
        return Actor((self.id,), self.name)

    async def play(self, plan: int = 0, most: int = 10_000) -> Json:
        """Play at most `most` actions of the plan, or to the end. Return the table."""
        for number in range(most):
            told = await self.wait_for_move()
            if told["table"]["status"] != "running":
                return told
            await self.act(told, choose_by_plan(told, plan, number))
        return await self.wait_for_move()

    async def resign(self) -> None:
        await self.act(await self.wait_for_move(), {"type": "resign"})
        assert (await self.wait_for_move())["table"]["status"] == "finished"

    async def deal(self, day: str = "") -> Json:
        told: Json = await self.request("GET", "/api/v1/deal" + (f"/{day}" if day else ""))
        return told


def choose_by_plan(told: Json, plan: int, number: int) -> Json:
    """Choose an action by plan: advance while there are cards, otherwise at random."""
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
