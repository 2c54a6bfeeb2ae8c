"""Accounts for tests about people, created over the API, as browsers do."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import httpx

from tests.web.running_site import TestSite
from tests.web.tables import command, play_table

PASSWORD = "plank, parrot, doubloon"
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Someone:
    """A browser and the person in it."""

    browser: httpx.AsyncClient
    id: str

    async def get(self, path: str) -> Any:
        """Return the answer of a GET request to the API, which must succeed."""
        answer = await self.browser.get(f"/api/v1{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def put(self, path: str, body: Any = None) -> Any:
        answer = await self.browser.put(f"/api/v1{path}", json=body or {})
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def delete(self, path: str) -> Any:
        answer = await self.browser.delete(f"/api/v1{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def relation(self, other: Someone) -> str:
        """Return the relation to another person."""
        relations = await self.get(f"/friends/relations?player={other.id}")
        return str(relations["relations"][other.id]["relation"])

    async def friends(self) -> list[str]:
        """Return the ids of the friends on the page."""
        return [friend["id"] for friend in (await self.get("/friends"))["friends"]]


async def make_guest(site: TestSite, name: str) -> Someone:
    """Return a new guest with an address of their own."""
    browser, told = await site.guest(name, f"203.0.113.{next(_numbers) % 250 + 1}")
    return Someone(browser, told["person"]["id"])


async def make_account(site: TestSite, name: str) -> Someone:
    """Return a new account."""
    person = await make_guest(site, name)
    answer = await person.browser.post("/api/v1/account/register", json={"password": PASSWORD})
    assert answer.status_code == 200, answer.text
    site.site.player_cache.clear()
    return person


async def befriend(one: Someone, two: Someone) -> None:
    """Let two accounts ask each other."""
    await one.put(f"/friends/{two.id}")
    assert await two.put(f"/friends/{one.id}") == {"relation": "friends"}


async def finish_game(winner: Someone, loser: Someone, **terms: Any) -> str:
    """Play a game of two that the second resigns; return its id."""
    game = await play_table(winner.browser, loser.browser, **terms)
    state = await loser.get(f"/games/{game}")
    move = {"version": state["seq"], "action": {"type": "resign"}}
    answer = await command(loser.browser, game, "act", **move)
    assert answer.status_code == 200, answer.text
    return game
