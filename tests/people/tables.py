"""Tables for tests about people: rooms created and filled over the API, as browsers would."""

from __future__ import annotations

import secrets
from typing import Any

import httpx


async def open_table(browser: httpx.AsyncClient, **terms: Any) -> str:
    """A room with two seats; its id."""
    body = {"options": {"preset": "tortuga", "players": 2}, **terms}
    answer = await browser.post("/api/v1/games", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"] if "id" in answer.json() else answer.json()["game"])


async def command(browser: httpx.AsyncClient, room: str, do: str, **fields: Any) -> httpx.Response:
    """One command of the protocol."""
    body = {"do": do, "id": secrets.token_urlsafe(12), **fields}
    return await browser.post(f"/api/v1/games/{room}/commands", json=body)


async def done(browser: httpx.AsyncClient, room: str, do: str, **fields: Any) -> None:
    """A command that must be accepted."""
    answer = await command(browser, room, do, **fields)
    assert answer.status_code == 200, answer.text


async def sit(browser: httpx.AsyncClient, room: str) -> None:
    """Sits down and is ready."""
    await done(browser, room, "sit", nonce=secrets.token_hex(16))
    await done(browser, room, "ready", ready=True)


async def play_table(host: httpx.AsyncClient, other: httpx.AsyncClient, **terms: Any) -> str:
    """A running game of two."""
    room = await open_table(host, **terms)
    for browser in (host, other):
        await sit(browser, room)
    await done(host, room, "start")
    return room
