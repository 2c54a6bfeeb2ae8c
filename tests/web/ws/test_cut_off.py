"""A stop that can wait no longer cuts sockets off; that is no fault, and the operator's log has no traceback."""

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


async def test_a_socket_that_is_cut_off_ends_as_one_whose_peer_went(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered = asyncio.Event()

    class Slow:
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            entered.set()
            await asyncio.Event().wait()

    async def unused(*_: Any) -> Any:
        raise AssertionError("nothing is said to a peer that is cut off")

    monkeypatch.setattr(main, "_SOCKETS", (WebSocketRoute("/ws/slow", Slow()),))
    app = main.create_app(Settings(database=f"sqlite:///{tmp_path / 'games.sqlite'}"))
    task = asyncio.ensure_future(app(dict(SCOPE), unused, unused))
    await entered.wait()
    task.cancel()
    with pytest.raises(ClientDisconnected):
        await task
