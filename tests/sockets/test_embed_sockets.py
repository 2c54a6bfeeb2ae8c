"""Sockets of embedded tables: no chat, and the same answer for every table that strangers may not watch."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosedError

from app.web.security import room_lookup
from tests.sockets.client import Clients

UNKNOWN = "NoSuchTableAnywhere1"


async def frames_until_close(clients: Clients, path: str, **hello: Any) -> tuple[list[Any], int | None]:
    """Return the frames of a refused socket and its close code."""
    client = await clients.nobody()
    link = await client.open(path)
    await link.send(json.dumps({"do": "hello", "v": 2, **hello}))
    frames: list[Any] = []
    with suppress(ConnectionClosedError):
        while True:
            frames.append(json.loads(await link.recv()))
    return frames, link.close_code


@pytest.mark.parametrize("watch", [False, True])
async def test_an_embedded_table_receives_no_chat(light_clients: Clients, watch: bool) -> None:
    ann, bo = await light_clients.game()
    wim = await (await light_clients.person()).join(ann.game)
    await wim.command("chat", text="before the frame came")
    await ann.command("chat", text="to the players")
    stranger = await light_clients.nobody()
    link = await stranger.open(f"/ws/embed/{ann.game}")
    await link.send(json.dumps({"do": "hello", "v": 2, **({"watch": True} if watch else {})}))
    seen = [json.loads(await link.recv())]
    while seen[-1]["t"] != "presence":
        seen.append(json.loads(await link.recv()))
    await wim.command("chat", text="while it watches")
    await bo.command("chat", text="to the players again")
    await link.send(json.dumps({"do": "ping", "n": 7}))
    while seen[-1]["t"] != "pong":
        seen.append(json.loads(await link.recv()))
    await link.close()
    assert "chat" not in {frame["t"] for frame in seen}
    assert "welcome" in {frame["t"] for frame in seen}
    assert len(wim.of("chat")) == 4, "a spectator at the table itself receives it"


async def test_an_embedded_socket_answers_alike_for_unwatchable_and_unknown_tables(
    light_clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _ = await light_clients.game(spectators=False)
    cy = await light_clients.person()
    locked = await light_clients.open_table(cy, password="rum and salt")
    app = light_clients.server._app
    assert app is not None
    lookups = app.state.site.limits.lookups
    paid: list[float] = []
    settle = lookups.settle

    def counted(key: str, cost: float, *, is_kept: bool) -> None:
        paid.append(cost if is_kept else 0.0)
        settle(key, cost, is_kept=is_kept)

    monkeypatch.setattr(lookups, "settle", counted)
    answers = []
    for game in (UNKNOWN, ann.game, locked):
        for hello in ({}, {"watch": True}, {"password": "rum and salt"}):
            began = time.monotonic()
            answers.append(await frames_until_close(light_clients, f"/ws/embed/{game}", **hello))
            assert time.monotonic() - began >= room_lookup._MIN_FAILURE_SECONDS * 0.9
    assert all(answer == answers[0] for answer in answers)
    assert answers[0][0][0]["code"] == "password_required"
    assert answers[0][1] == 4003
    assert paid == [1.0] * len(answers)
