"""A starting server waits for a slow database."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from app.play.ports import StoreUnavailable
from app.play.tasks import retry_until_available
from tools.services import Postgres
from tools.soak.fork_server import ForkServer, Server
from tools.soak.proxy import proxied


async def test_a_starting_server_waits_for_a_hanging_database(
    fork_server: ForkServer, postgres: Postgres, postgres_url: str, tmp_path: Path
) -> None:
    async with proxied(postgres.port, 1) as proxy:
        behind = make_url(postgres_url).set(port=proxy.port).render_as_string(hide_password=False)
        server = Server(fork_server, behind, tmp_path)
        await proxy.hangs()
        try:
            await server.launch()
            await server.until_said("the database does not respond")
            await proxy.passes()
            await server.until_ready()
        finally:
            await server.stop()
            server.close()
    assert server.tracebacks() == []


async def test_a_starting_server_retries_the_database_but_not_for_ever() -> None:
    asked = 0

    async def late() -> None:
        nonlocal asked
        asked += 1
        if asked < 3:
            raise StoreUnavailable("away")

    await retry_until_available(late)
    assert asked == 3

    async def never() -> None:
        raise StoreUnavailable("away")

    with pytest.raises(StoreUnavailable):
        await retry_until_available(never, max_seconds=0.0)
