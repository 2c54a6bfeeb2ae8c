"""Real time over real sockets: a clock that runs out, takeover and return, absence and its vote."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.sockets.client import Client, Clients, advance


def by(client: Client, whom: str) -> list[dict[str, Any]]:
    return [message for message in client.of("events") if message.get("by") == whom]


async def test_clocks_takeovers_and_absence_in_real_time(clients: Clients) -> None:
    """Run three tables concurrently, so that the waiting times overlap."""
    await asyncio.gather(_clock_runs_out(clients), _bot_takes_over(clients), _absence_is_voted_on(clients))


async def _clock_runs_out(clients: Clients) -> None:
    ann, bo = await clients.game(2, clock={"kind": "turn", "seconds": 5}, absence=0)
    await ann.act(advance(ann))
    await bo.until(lambda: bo.choices)
    assert by(bo, "clock")[-1]["clock"]["running"] == [1]
    assert await ann.refused("act", version=ann.seq, action={"type": "end"}) == "not_your_turn"
    await bo.act(advance(bo))


async def _bot_takes_over(clients: Clients) -> None:
    ann, bo = await clients.game(
        2, clock={"kind": "turn", "seconds": 5}, on_timeout="bot", absence=0, pace=100
    )
    await bo.until(lambda: by(bo, "bot"))
    assert bo.table["seats"][0]["bot"] == "sailor"
    assert await ann.refused("act", version=ann.seq, action={"type": "end"}) == "bot_plays"
    await ann.command("return")
    assert ann.table["seats"][0]["bot"] is None


async def _absence_is_voted_on(clients: Clients) -> None:
    ann, bo = await clients.game(2, absence=10, pace=100)
    assert await bo.refused("vote", seat=0, choice="bot") == "not_absent"
    await ann.leave()
    await bo.until(lambda: bo.of("presence")[-1]["seats"] == [False, True])
    assert "0" in bo.of("presence")[-1]["away"]
    await bo.until(lambda: bo.table["seats"][0]["absent"])
    assert bo.table["host"] == bo.person  # the host role moved on automatically
    await bo.command("vote", seat=0, choice="bot")
    await bo.until(lambda: by(bo, "bot"))
    await ann.join(ann.game, resume=True)
    await ann.command("return")
    await bo.until(lambda: bo.table["seats"][0]["bot"] is None)
