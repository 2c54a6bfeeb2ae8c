"""Games of two people at a test site, for previews, pictures and embedded tables."""

from __future__ import annotations

import secrets
from typing import Any

import httpx

from app import rules
from tests.web.running_site import TestSite

__all__ = ["end_game", "new_table", "play", "running_game", "state_of"]

Browser = httpx.AsyncClient


async def _command(browser: Browser, game: str, do: str, **fields: Any) -> httpx.Response:
    body = {"do": do, "id": secrets.token_urlsafe(9), **fields}
    return await browser.post(f"/api/v1/games/{game}/commands", json=body)


async def new_table(host: Browser, options: dict[str, Any], **terms: Any) -> str:
    made = await host.post("/api/v1/games", json={"options": options, **terms})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


async def running_game(
    site: TestSite, names: tuple[str, str] = ("Ann", "Bo"), preset: str = "jamaica", **terms: Any
) -> tuple[str, list[Browser]]:
    """Start a game of two players and return its table."""
    people = [(await site.guest(name))[0] for name in names]
    game = await new_table(people[0], {"preset": preset, "players": 2, "first": 0}, **terms)
    password = {"X-Room-Password": terms["password"]} if "password" in terms else {}
    commitment = (await people[0].get(f"/api/v1/games/{game}")).json()["table"]["commitment"]
    for seat, person in enumerate(people):
        person.headers.update(password)
        seal = rules.seal_of(commitment, f"{seat:032x}")
        for do, fields in (("sit", {"seal": seal, "seat": seat}), ("ready", {"ready": True})):
            assert (await _command(person, game, do, **fields)).status_code == 200
    assert (await _command(people[0], game, "start")).status_code == 200
    for seat, person in enumerate(people):
        again = rules.seal_of(commitment, f"{seat + 9:032x}")
        opened = await _command(person, game, "open", nonce=f"{seat:032x}", next_seal=again)
        assert opened.status_code == 200, opened.text
    return game, people


async def state_of(browser: Browser, game: str) -> dict[str, Any]:
    found: dict[str, Any] = (await browser.get(f"/api/v1/games/{game}")).json()
    return found


async def play(people: list[Browser], game: str, moves: int) -> None:
    """Play the first listed advance, or any action, for the player to act."""
    for _ in range(moves):
        for person in people:
            state = await state_of(person, game)
            if not state.get("choices"):
                continue
            choices = [choice["action"] for choice in state["choices"]]
            action = next((each for each in choices if each["type"] == "advance"), choices[0])
            body = {"id": secrets.token_urlsafe(9), "version": state["seq"], "action": action}
            done = await person.post(f"/api/v1/games/{game}/act", json=body)
            assert done.status_code == 200, done.text
            break


async def end_game(people: list[Browser], game: str) -> None:
    state = await state_of(people[1], game)
    body = {"id": secrets.token_urlsafe(9), "version": state["seq"], "action": {"type": "resign"}}
    assert (await people[1].post(f"/api/v1/games/{game}/act", json=body)).status_code == 200
