"""Large WebSocket handshakes: charged by size, and cookies of other sites are not parsed."""

from __future__ import annotations

import pytest
from starlette.requests import HTTPConnection

from app.web.auth import identity
from app.web.ws import session
from tests.sockets.client import Clients
from tests.sockets.running_server import in_process

FOREIGN = "a=b; " * 2800  # 14 KB


async def test_a_handshake_is_charged_by_size_and_foreign_cookies_are_not_parsed(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[int] = []
    really = identity.current_person

    async def watched(connection: HTTPConnection) -> object:
        parsed.append(len(connection.cookies))
        return await really(connection)

    monkeypatch.setattr(session, "current_person", watched)
    async with in_process(sqlite_url, requests_burst=10, requests_per_second=0.01) as server:
        clients = Clients(server)
        for _ in range(4):
            socket = await (await clients.nobody()).open("/ws/lobby", Cookie=FOREIGN)
            await socket.close()
        assert parsed == [0] * 4
        socket = await (await clients.nobody()).open("/ws/lobby", Cookie=FOREIGN)
        assert "too_many" in str(await socket.recv()), "each is as large as two requests"
        await socket.close()
        await clients.close()
