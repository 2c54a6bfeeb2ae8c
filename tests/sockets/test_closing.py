"""Every close code met by a real client; a foreign page and a peer that does not read."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from app.play import engines
from app.web import conversation
from app.web.outbox import CLOSE_CODES
from tests.sockets.harbour import in_process
from tests.sockets.sailor import Crew, Sailor, new_id


async def test_a_foreign_page_gets_no_socket(light_crew: Crew) -> None:
    ann = await light_crew.sailor()
    for path in ("/ws/lobby", "/ws/game/AnyRoomWillDo"):
        with pytest.raises(InvalidStatus) as refused:
            await ann.open(path, Origin="https://evil.example")
        assert refused.value.response.status_code == 403


async def test_every_close_code_is_met(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    met: set[int] = {1000, 1011}  # a client's own good-bye; uvicorn's answer to a fault or a dead peer
    # Met with frames and handshakes that no library sends: tests/attack/test_frames.py.
    met |= {1002, 1007, 1008}
    async with in_process(sqlite_url, sockets_per_person=6) as server:
        crew = Crew(server)
        ann, bo = await crew.game(2)

        async def closes(code: int, sailor: Sailor) -> None:
            assert await sailor.is_closed() == code
            met.add(code)

        async def fresh() -> Sailor:
            return await (await crew.sailor()).join(ann.game)

        old = crew.twin(ann)
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
        await closes(4003, await crew.twin(bo).join("NoSuchRoom"))
        site = server._app.state.site  # type: ignore[union-attr]
        settings, site.limits.settings = (
            site.limits.settings,
            site.limits.settings.with_(frames_per_second=0.01, frames_burst=1),
        )
        hasty = await fresh()
        site.limits.settings = settings
        for n in range(10):
            await hasty.say("ping", n=n)
        await closes(4005, hasty)
        monkeypatch.setattr(conversation, "HELLO_SECONDS", 0.05)
        silent = crew.twin(ann)
        silent.link = await silent.open(f"/ws/game/{ann.game}")
        silent._reading = asyncio.create_task(silent._read(silent.link))
        await closes(4007, silent)
        monkeypatch.undo()
        many = await crew.sailor()
        sockets = [await crew.twin(many).join(ann.game) for _ in range(7)]
        await closes(4009, sockets[-1])
        gone = await fresh()
        site.sign_out("person", gone.person)
        await closes(4008, gone)
        table = await crew.open_table(ann)
        await crew.twin(ann).join(table)
        await server.game_server.close_room(table, "test")
        await closes(4010, crew.sailors[-1])
        strange = await crew.open_table(ann)
        monkeypatch.setattr(engines, "ENGINES", {})
        await closes(4006, await crew.twin(ann).join(strange))
        monkeypatch.undo()
        await _a_peer_that_does_not_read(crew, ann, bo, met)
        assert ann.closed_with is None
        await server.game_server.disconnect_all()
        await closes(4000, ann)
        assert ann.log[-1]["t"] == "bye"
        await crew.close()
    assert met == set(CLOSE_CODES)


async def _a_peer_that_does_not_read(crew: Crew, ann: Sailor, bo: Sailor, met: set[int]) -> None:
    """It asks for whole states and never reads one: its outbox fills, it is closed, nobody else notices."""
    narrow = socket.create_connection(("127.0.0.1", crew.server.port))
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    slow = crew.twin(bo)
    slow.link = await slow.open(f"/ws/game/{ann.game}", sock=narrow)
    slow.link.transport.pause_reading()
    await slow.say("hello", v=2)
    watcher: Any = crew.server.game_server.metrics
    for n in range(400):
        for _ in range(20):
            await slow.say("act", id=new_id(), version=0, action={"type": "end"})
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
    again = crew.twin(slow)
    again.seq = ann.seq
    await again.join(ann.game, resume=True)
    assert again.of("welcome")[0]["resumed"] is True


async def _pong(sailor: Sailor, n: int) -> None:
    await sailor.until(lambda: any(m["t"] == "pong" and m["n"] == n for m in sailor.log))
