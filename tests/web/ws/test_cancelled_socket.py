"""A shutdown that times out cancels sockets. This is not a fault and leaves no traceback in the log."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import WebSocketRoute
from uvicorn.protocols.utils import ClientDisconnected

from app import main
from app.settings import Settings

SCOPE = {"type": "websocket", "path": "/ws/slow", "headers": [], "query_string": b""}


async def test_a_cancelled_socket_ends_like_a_disconnect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered = asyncio.Event()

    class Slow:
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            entered.set()
            await asyncio.Event().wait()

    async def unused(*_: Any) -> Any:
        raise AssertionError("nothing is said to a peer that is cut off")

    monkeypatch.setattr(main, "_SOCKET_ROUTES", (WebSocketRoute("/ws/slow", Slow()),))
    app = main.create_app(Settings(database=f"sqlite:///{tmp_path / 'games.sqlite'}"))
    task = asyncio.ensure_future(app(dict(SCOPE), unused, unused))
    await entered.wait()
    task.cancel()
    with pytest.raises(ClientDisconnected):
        await task
