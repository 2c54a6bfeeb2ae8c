"""The first game of somebody who has just installed it: a guest against a bot, over the API and a socket.

`python first_game.py ADDRESS` plays it to its end and prints the result; it needs nothing but the installed app.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
from dataclasses import dataclass
from random import Random
from typing import Any

import httpx

from app.bots import Budget, choose
from app.client import Api, Seat, play_seat

__all__ = ["FirstGame", "guest_api", "new_guest"]

Json = dict[str, Any]


class _Enough(Exception):
    """So many actions were wanted and no more."""


@dataclass(frozen=True)
class FirstGame:
    """A guest, known by a cookie, at a table with a bot. Goes on after the server was started again."""

    base: str
    cookie: str
    game: str

    @classmethod
    async def begin(cls, base: str, preset: str = "tortuga") -> FirstGame:
        cookie = await new_guest(base)
        async with guest_api(base, cookie) as api:
            game = await api.create({"preset": preset, "players": 2}, visibility="unlisted", pace=0)
            await api.sit(game)
            await api.add_bot(game, "cabin-boy")
            await api.start(game)
            await _play(api, game, 0)  # seats open their nonces first, and only this client knows the guest's
        return cls(base, cookie, game)

    async def state(self) -> Json:
        async with guest_api(self.base, self.cookie) as api:
            return await api.state(self.game)

    async def play(self, actions: int | None = None) -> Json | None:
        """So many actions of the guest, or to the end; the result when there is one."""
        async with guest_api(self.base, self.cookie) as api:
            return await _play(api, self.game, actions)


async def _play(api: Api, game: str, actions: int | None) -> Json | None:
    done = 0

    def decide(seat: Seat) -> Json:
        nonlocal done
        if done == actions:
            raise _Enough
        done += 1
        budget, chance = Budget(nodes=300), Random(done)
        return choose(seat.view, seat.actions, seat.history, "sailor", budget, chance, seat=seat.seat)

    try:
        return await play_seat(api, game, decide)
    except _Enough:
        return None


async def new_guest(base: str) -> str:
    """The cookie of somebody who has just given a name."""
    async with httpx.AsyncClient(base_url=base, headers={"Origin": base}, timeout=30) as browser:
        (
            await browser.post("/api/v1/me", json={"name": f"Newcomer {secrets.token_hex(3)}"})
        ).raise_for_status()
        return f"cartagena={browser.cookies['cartagena']}"


def guest_api(base: str, cookie: str) -> Api:
    """A guest has no token: known by the cookie, as a browser is."""
    api = Api(base, "")
    api.headers = {"Cookie": cookie, "Origin": base}
    return api


async def _whole(base: str) -> Json | None:
    return await (await FirstGame.begin(base)).play()


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_whole(sys.argv[1]))))
