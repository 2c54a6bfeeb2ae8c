"""Tables for tests about people: created and filled over the API, as browsers do."""

from __future__ import annotations

import secrets
from typing import Any

import httpx

from app.client.sealing import SealKeeper


async def open_table(browser: httpx.AsyncClient, **terms: Any) -> str:
    """Create a room with two seats and return its id."""
    body = {"options": {"preset": "tortuga", "players": 2}, **terms}
    answer = await browser.post("/api/v1/games", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"] if "id" in answer.json() else answer.json()["game"])


_keepers: dict[tuple[httpx.AsyncClient, str], SealKeeper] = {}


async def command(browser: httpx.AsyncClient, room: str, do: str, **fields: Any) -> httpx.Response:
    """Send one command of the protocol."""
    if do == "sit":
        keeper = _keepers[browser, room] = SealKeeper()
        fields |= keeper.sit_fields((await browser.get(f"/api/v1/games/{room}")).json()["table"])
    body = {"do": do, "id": secrets.token_urlsafe(12), **fields}
    return await browser.post(f"/api/v1/games/{room}/commands", json=body)


async def done(browser: httpx.AsyncClient, room: str, do: str, **fields: Any) -> None:
    """Send a command that must be accepted."""
    answer = await command(browser, room, do, **fields)
    assert answer.status_code == 200, answer.text


async def sit(browser: httpx.AsyncClient, room: str) -> None:
    """Sit down and get ready."""
    await done(browser, room, "sit")
    await done(browser, room, "ready", ready=True)


async def play_table(host: httpx.AsyncClient, other: httpx.AsyncClient, **terms: Any) -> str:
    """Start a game of two players."""
    room = await open_table(host, **terms)
    for browser in (host, other):
        await sit(browser, room)
    await begin(room, host, other)
    return room


async def begin(room: str, host: httpx.AsyncClient, *others: httpx.AsyncClient) -> None:
    """Start the game as host, and open all seals."""
    await done(host, room, "start")
    for browser in (host, *others):
        await open_seat(browser, room)


async def open_seat(browser: httpx.AsyncClient, room: str) -> None:
    """Open the seal, as a page does automatically."""
    state = (await browser.get(f"/api/v1/games/{room}")).json()
    wanted = _keepers[browser, room].next_command(state["table"], state["you"]["seat"])
    assert wanted is not None
    await done(browser, room, **wanted)
