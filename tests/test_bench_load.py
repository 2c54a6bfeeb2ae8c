"""The load generator of bench/peers: a stalled table is reported at once, and a won game ends only its table."""

from __future__ import annotations

import asyncio
import os

import pytest

from bench.peers import load as generator
from bench.peers.client import Socket
from bench.peers.load import Adapter, Load, RunFailed, Table
from bench.peers.ours import Ours
from bench.peers.scenarios import Scenario


class Instant(Adapter):
    """A server that answers everybody at once; what happens at the third action of the second table is the test's."""

    table = Table
    third = "fine"

    async def join(self, table: Table, seat: int) -> Socket:
        return Socket(self, table, seat, b"", asyncio.get_running_loop().create_future())

    def act(self, table: Table) -> None:
        what = self.third if (table.number, table.left) == (1, 3) else "fine"
        if what == "refused":
            self.load.failed(b"refused: stale")
        table.is_over = what == "won"
        for socket in table.sockets[: 1 if what == "lost" else None]:
            asyncio.get_running_loop().call_soon(self._answer, socket)

    def _answer(self, socket: Socket) -> None:
        self.update(socket, 10, is_to_act=False)


async def play(what: str) -> Load:
    adapter = type("Chosen", (Instant,), {"third": what})
    load = Load(adapter, 0, os.getpid(), Scenario(rooms=3, players=2, actions=5))
    await load.run()
    return load


async def test_every_table_plays_its_actions() -> None:
    assert len((await play("fine")).latencies) == 15


async def test_won_game_ends_only_its_own_table() -> None:
    load = await play("won")
    assert (len(load.latencies), load.errors) == (13, 0)


async def test_lost_update_is_reported_with_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "_LOST_SECONDS", 0.1)
    with pytest.raises(
        RunFailed, match=r"table 1: no update for .* 1 of 2 players wait for it, 3 actions before"
    ):
        await play("lost")


async def test_a_refusal_ends_the_run_at_once() -> None:
    with pytest.raises(RunFailed, match="refused: stale"):
        await play("refused")


async def test_last_frame_of_a_cartagena_game_is_recognised() -> None:
    load = Load(Ours, 0, os.getpid(), Scenario(rooms=1, players=2))
    table = load.adapter.table(load, 0, 2)
    socket = Socket(load.adapter, table, 0, b"", asyncio.get_running_loop().create_future())
    load.adapter.heard(socket, b'{"t":"events","seq":9,"events":[],"table":{"id":"x","status":"running"}}')
    assert not table.is_over
    load.adapter.heard(socket, b'{"t":"events","seq":9,"events":[],"table":{"id":"x","status":"finished"}}')
    assert table.is_over
