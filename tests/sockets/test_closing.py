"""Every close code, provoked by a real client; another site's page, and a peer that does not read."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from app.play import engines
from app.web.ws import session
from tests.sockets.client import Client, Clients, new_command_id
from tests.sockets.close_codes import CLOSE_CODES
from tests.sockets.running_server import in_process


async def test_another_sites_page_gets_no_socket(light_clients: Clients) -> None:
    ann = await light_clients.person()
    for path in ("/ws/lobby", "/ws/game/AnyRoomWillDo"):
        with pytest.raises(InvalidStatus) as refused:
            await ann.open(path, Origin="https://evil.example")
        assert refused.value.response.status_code == 403


async def test_every_close_code_occurs(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    met: set[int] = {1000, 1011}  # the client's own close; uvicorn's close after a fault or a dead peer
    # Provoked with frames and handshakes that no library sends: tests/attack/test_frames.py.
    met |= {1002, 1007, 1008}
    async with in_process(sqlite_url, sockets_per_person=6) as server:
        clients = Clients(server)
        ann, bo = await clients.game(2)

        async def closes(code: int, client: Client) -> None:
            assert await client.is_closed() == code
            met.add(code)

        async def fresh() -> Client:
            return await (await clients.person()).join(ann.game)

        old = clients.twin(ann)
        old.link = await old.open(f"/ws/game/{ann.game}")
        old._reading = asyncio.create_task(old._read(old.link))
        await old.say("hello", v=0)
        await closes(4001, old)
        noisy = await fresh()
        for _ in range(10):
            await noisy.say("dance")
        await closes(4002, noisy)
        big = await fresh()
        assert big.link is not None
        await big.link.send("x" * 5000)
        await closes(1009, big)
        await closes(4003, await clients.twin(bo).join("NoSuchRoom"))
        site = server._app.state.site  # type: ignore[union-attr]
        settings, site.limits.settings = (
            site.limits.settings,
            replace(site.limits.settings, frames_per_second=0.01, frames_burst=1),
        )
        hasty = await fresh()
        site.limits.settings = settings
        for n in range(10):
            await hasty.say("ping", n=n)
        await closes(4005, hasty)
        monkeypatch.setattr(session, "HELLO_TIMEOUT_SECONDS", 0.05)
        silent = clients.twin(ann)
        silent.link = await silent.open(f"/ws/game/{ann.game}")
        silent._reading = asyncio.create_task(silent._read(silent.link))
        await closes(4007, silent)
        monkeypatch.undo()
        many = await clients.person()
        sockets = [await clients.twin(many).join(ann.game) for _ in range(7)]
        await closes(4009, sockets[-1])
        gone = await fresh()
        site.sign_out("person", gone.person)
        await closes(4008, gone)
        table = await clients.open_table(ann)
        await clients.twin(ann).join(table)
        await server.game_server.close_room(table, "test")
        await closes(4010, clients.everyone[-1])
        strange = await clients.open_table(ann)
        monkeypatch.setattr(engines, "ENGINES", {})
        await closes(4006, await clients.twin(ann).join(strange))
        monkeypatch.undo()
        await _a_peer_that_does_not_read(clients, ann, bo, met)
        assert ann.closed_with is None
        await server.game_server.disconnect_all()
        await closes(4000, ann)
        assert ann.log[-1]["t"] == "bye"
        await clients.close()
    assert met == set(CLOSE_CODES)


async def _a_peer_that_does_not_read(clients: Clients, ann: Client, bo: Client, met: set[int]) -> None:
    """A peer requests states without reading them: its outbox fills and it is closed, without affecting others."""
    narrow = socket.create_connection(("127.0.0.1", clients.server.port))
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    slow = clients.twin(bo)
    slow.link = await slow.open(f"/ws/game/{ann.game}", sock=narrow)
    slow.link.transport.pause_reading()
    await slow.say("hello", v=2)
    watcher: Any = clients.server.game_server.metrics
    for n in range(400):
        for _ in range(20):
            await slow.say("act", id=new_command_id(), version=0, action={"type": "end"})
        await ann.say("ping", n=n)
        await asyncio.wait_for(_pong(ann, n), 5)
        if b"cartagena_outbox_drops_total 1.0" in watcher.text():
            break
    else:
        raise AssertionError("the slow peer was never shed")
    slow.link.transport.resume_reading()
    slow._reading = asyncio.create_task(slow._read(slow.link))
    assert await slow.is_closed() == 4004
    met.add(4004)
    again = clients.twin(slow)
    again.seq = ann.seq
    await again.join(ann.game, resume=True)
    assert again.of("welcome")[0]["resumed"] is True


async def _pong(client: Client, n: int) -> None:
    await client.until(lambda: any(m["t"] == "pong" and m["n"] == n for m in client.log))
