"""Three workers behind a proxy on a real PostgreSQL and Redis, and clients that resume at any of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from websockets.exceptions import InvalidHandshake, InvalidMessage

from app.play.log.entries import Entry, GameRow
from app.store.games.store import open_store
from tests.sockets.client import Client, Clients, Message, Refused, new_command_id
from tests.sockets.running_server import ROOMY, RunningServer
from tools.cluster import Cluster, Worker
from tools.services import Postgres, RedisServer

TIMEOUT_SECONDS = 120.0  # seconds; the machine may be busy with other tests
_RETRYABLE_ERRORS = (OSError, TimeoutError, InvalidHandshake, InvalidMessage)


@contextmanager
def three_workers(postgres: Postgres) -> Iterator[Cluster]:
    """A cluster on the run's own PostgreSQL, with a Redis that may be restarted."""
    with RedisServer() as redis, Cluster(3, postgres=postgres, redis=redis, **ROOMY) as cluster:
        yield cluster
        for worker in cluster.workers:
            assert "Traceback" not in worker.said(), worker.said()[-4000:]


def as_server(base: str) -> RunningServer:
    """Return a worker or the proxy as a server that clients connect to."""
    return RunningServer(int(base.rsplit(":", 1)[1]))


@asynccontextmanager
async def clients_at(*bases: str) -> AsyncIterator[list[Clients]]:
    """Open a `Clients` at each of these addresses; all are closed at the end."""
    groups = [Clients(as_server(base)) for base in bases]
    try:
        yield groups
    finally:
        for clients in groups:
            await clients.close()


async def reconnect_at(clients: Clients, client: Client, worker: Worker, *, resume: bool = False) -> Client:
    """Connect the same player to another worker, at the same table."""
    twin = clients.twin(client)
    twin.server = as_server(worker.base)
    if resume:
        twin.seq, twin.table, twin.view, twin.seat = client.seq, client.table, client.view, client.seat
    return await twin.join(client.game, resume=resume)


async def log_of(cluster: Cluster, game: str) -> tuple[GameRow, list[Entry]]:
    """Return the stored game and its log."""
    async with open_store(cluster.postgres.url(cluster.database), lambda *_: None) as store:
        row = await store.log.read_game(game)
        assert row is not None
        return row, await store.log.read_entries(game)


async def restart_worker(worker: Worker) -> None:
    """Stop the worker gracefully and start it again without blocking the event loop.

    Launched from here and not from a thread: a server ends with the thread that started it.
    """
    worker.ask_to_stop()
    await asyncio.to_thread(worker.stop)
    worker.launch()
    await asyncio.to_thread(worker.until_ready)


class PersistentClient:
    """A player whose client resumes until its command is answered, as the browser's does."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.acked: dict[str, int] = {}
        self.resumed = 0

    async def ensure_connected(self) -> None:
        """Connect if necessary, resuming from the current version."""
        client = self.client
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while client.link is None or client.closed_with is not None:
                self.resumed += 1
                try:
                    await client.join(client.game, resume=True)
                except _RETRYABLE_ERRORS:
                    await client.leave()  # also from a socket that opened and never greeted
                    client.link = None
                    await asyncio.sleep(0.05)

    async def act(self, action: Message) -> None:
        """Send a command under one id until it is answered, and record the answer."""
        fields: dict[str, Any] = {"id": new_command_id(), "version": self.client.seq, "action": action}
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while True:
                await self.ensure_connected()
                answer = await self._send_and_wait(fields)
                if answer is None or answer.get("code") == "try_again":
                    await asyncio.sleep(0.02)
                elif answer["t"] == "refused":
                    raise Refused(answer)
                else:
                    self.acked[fields["id"]] = answer["seq"]
                    return

    async def _send_and_wait(self, fields: dict[str, Any]) -> Message | None:
        """Return the answer, or None if the socket closed first."""
        client = self.client
        start = len(client.log)
        await client.say("act", **fields)

        def answer() -> Message | None:
            for message in client.log[start:]:
                if message.get("ack") == fields["id"] or message.get("id") == fields["id"]:
                    return message
            return None

        await client.until(lambda: answer() or client.closed_with is not None, TIMEOUT_SECONDS)
        return answer()
