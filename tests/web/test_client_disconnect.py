"""A client that disconnects during its request causes no traceback and no error in the log."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from starlette.types import Message

from tests.web.running_site import running

READ_BY_THE_ROUTE = ("/new/check", "/practice/advance", "/replay/steps")
READ_BY_FASTAPI = ("/api/v1/games", "/api/v1/quick")


@pytest.mark.parametrize("path", [*READ_BY_THE_ROUTE, *READ_BY_FASTAPI])
async def test_a_client_disconnect_leaves_no_traceback(
    sqlite_url: str, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    async with running(sqlite_url) as test:
        said: list[Message] = []
        coming: list[Message] = [
            {"type": "http.request", "body": b'{"preset": "jam', "more_body": True},
            {"type": "http.disconnect"},
        ]

        async def receive() -> Message:
            return coming.pop(0)

        async def send(message: Message) -> None:
            said.append(message)

        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(b"host", b"testserver"), (b"content-type", b"application/json")],
            "client": ("198.51.100.7", 40000),
            "server": ("testserver", 80),
        }
        with caplog.at_level(logging.DEBUG):
            await test.app(scope, receive, send)  # uvicorn would print an exception from here
        assert coming == []
        assert [
            record for record in caplog.records if record.exc_info or record.levelno >= logging.ERROR
        ] == []
        assert said[0]["status"] in (499, 422)
