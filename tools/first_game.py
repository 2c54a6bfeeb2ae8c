"""The first game after an installation: a guest against a bot, over the API and a socket.

`python first_game.py ADDRESS` plays it to the end and prints the result; it needs only the installed app.
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
    """The requested number of actions was played."""


@dataclass(frozen=True)
class FirstGame:
    """A guest, identified by a cookie, at a table with a bot; it can continue after a restart of the server."""

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
            await _play(api, game, 0)  # opens the seal, which only this client can do
        return cls(base, cookie, game)

    async def state(self) -> Json:
        async with guest_api(self.base, self.cookie) as api:
            return await api.state(self.game)

    async def play(self, actions: int | None = None) -> Json | None:
        """Play this many actions of the guest, or to the end; return the result if there is one."""
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
    """Create a guest and return the cookie."""
    async with httpx.AsyncClient(base_url=base, headers={"Origin": base}, timeout=30) as browser:
        (
            await browser.post("/api/v1/me", json={"name": f"Newcomer {secrets.token_hex(3)}"})
        ).raise_for_status()
        return f"cartagena={browser.cookies['cartagena']}"


def guest_api(base: str, cookie: str) -> Api:
    """Return an API client that is identified by a cookie, as a browser is."""
    api = Api(base, "")
    api.headers = {"Cookie": cookie, "Origin": base}
    return api


async def _whole(base: str) -> Json | None:
    return await (await FirstGame.begin(base)).play()


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_whole(sys.argv[1]))))
