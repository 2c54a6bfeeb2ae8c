"""Presence over real sockets: changes reach everyone in the room soon, in few messages."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.sockets.client import Client, Clients


async def is_told(client: Client, seats: list[bool | None], watching: int) -> dict[str, Any]:
    """Wait until the last presence message matches; well within a second."""

    def met() -> bool:
        last = client.of("presence")[-1]
        return bool(last["seats"] == seats and last["watching"] == watching)

    await client.until(met, 1.0)
    return client.of("presence")[-1]


async def test_sitting_standing_and_leaving_are_sent_to_everyone(clients: Clients) -> None:
    ann, bo, wim = await clients.person(), await clients.person(), await clients.person()
    game = await clients.open_table(ann)
    for client in (ann, bo, wim):
        await client.join(game)
    everybody = [ann, bo, wim]
    for client in everybody:
        await is_told(client, [None, None], 3)
    await ann.command("sit")
    for client in everybody:
        await is_told(client, [True, None], 2)
    await bo.command("sit")
    for client in everybody:
        await is_told(client, [True, True], 1)
    await bo.command("stand")
    for client in everybody:
        await is_told(client, [True, None], 2)
    await wim.leave()
    await is_told(ann, [True, None], 1)
    await ann.leave()
    await is_told(bo, [False, None], 1)


async def test_a_turn_of_an_absent_player_shows_the_countdown(light_clients: Clients) -> None:
    ann, bo = await light_clients.game(2, absence=60)
    await bo.leave()
    assert (await is_told(ann, [True, False], 0))["away"] == {}
    while ann.choices:
        ending = [c["action"] for c in ann.choices if c["action"]["type"] in ("end", "retreat", "advance")]
        await ann.act(ending[-1])
    await ann.until(lambda: "1" in ann.of("presence")[-1]["away"], 1.0)


async def test_many_simultaneous_arrivals_are_batched(light_clients: Clients) -> None:
    ann, bo = await light_clients.game(2)
    await is_told(ann, [True, True], 0)
    before = len(ann.of("presence"))
    crowd = [await light_clients.nobody() for _ in range(20)]
    await asyncio.gather(*(client.join(ann.game) for client in crowd))
    await is_told(ann, [True, True], 20)
    await is_told(bo, [True, True], 20)
    assert len(ann.of("presence")) - before < 15
