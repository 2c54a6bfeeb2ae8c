"""Three workers behind a proxy on a real PostgreSQL and Redis, and people who resume wherever they can."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from websockets.exceptions import InvalidHandshake, InvalidMessage

from app.play.log.entries import Entry, GameRow
from app.store.games.store import open_store
from tests.sockets.client import Client, Clients, Message, Refused, fresh_id
from tests.sockets.running_server import ROOMY, RunningServer
from tools.cluster import Cluster, Worker
from tools.services import Postgres, RedisServer

PATIENCE = 120.0  # seconds; the machine may be busy with other tests
_NOT_NOW = (OSError, TimeoutError, InvalidHandshake, InvalidMessage)


@contextmanager
def three_workers(postgres: Postgres) -> Iterator[Cluster]:
    """A cluster on the run's own PostgreSQL, with a Redis that may be restarted."""
    with RedisServer() as redis, Cluster(3, postgres=postgres, redis=redis, **ROOMY) as cluster:
        yield cluster
        for worker in cluster.workers:
            assert "Traceback" not in worker.said(), worker.said()[-4000:]


def at(base: str) -> RunningServer:
    """A worker, or the proxy, as a server that clients connect to."""
    return RunningServer(int(base.rsplit(":", 1)[1]))


@asynccontextmanager
async def clients_at(*bases: str) -> AsyncIterator[list[Clients]]:
    """A clients at each of these addresses; all of them leave at the end."""
    groups = [Clients(at(base)) for base in bases]
    try:
        yield groups
    finally:
        for clients in groups:
            await clients.close()


async def moved(clients: Clients, client: Client, worker: Worker, *, resume: bool = False) -> Client:
    """The same person at the same table, connected to another worker."""
    twin = clients.twin(client)
    twin.server = at(worker.base)
    if resume:
        twin.seq, twin.table, twin.view, twin.seat = client.seq, client.table, client.view, client.seat
    return await twin.join(client.game, resume=resume)


async def log_of(cluster: Cluster, game: str) -> tuple[GameRow, list[Entry]]:
    """The game as it is on disk."""
    async with open_store(cluster.postgres.url(cluster.database), lambda *_: None) as store:
        row = await store.game(game)
        assert row is not None
        return row, await store.entries(game)


async def restarted(worker: Worker) -> None:
    """Stopped in good order and started again, while this loop goes on.

    Launched from here and not from a thread: a server ends with the thread that started it.
    """
    worker.ask_to_stop()
    await asyncio.to_thread(worker.stop)
    worker.launch()
    await asyncio.to_thread(worker.until_ready)


class PersistentClient:
    """Somebody whose client resumes until its command is answered, as the browser's does."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.acked: dict[str, int] = {}
        self.resumed = 0

    async def be_there(self) -> None:
        """Connected, if need be anew, with the version it has."""
        client = self.client
        async with asyncio.timeout(PATIENCE):
            while client.link is None or client.closed_with is not None:
                self.resumed += 1
                try:
                    await client.join(client.game, resume=True)
                except _NOT_NOW:
                    await client.leave()  # also from a socket that opened and never greeted
                    client.link = None
                    await asyncio.sleep(0.05)

    async def act(self, action: Message) -> None:
        """Sent with one id until it is answered; what it is answered is noted."""
        fields: dict[str, Any] = {"id": fresh_id(), "version": self.client.seq, "action": action}
        async with asyncio.timeout(PATIENCE):
            while True:
                await self.be_there()
                answer = await self._asked(fields)
                if answer is None or answer.get("code") == "try_again":
                    await asyncio.sleep(0.02)
                elif answer["t"] == "refused":
                    raise Refused(answer)
                else:
                    self.acked[fields["id"]] = answer["seq"]
                    return

    async def _asked(self, fields: dict[str, Any]) -> Message | None:
        """The answer, or None when the socket closed before it came."""
        client = self.client
        start = len(client.log)
        await client.say("act", **fields)

        def answer() -> Message | None:
            for message in client.log[start:]:
                if message.get("ack") == fields["id"] or message.get("id") == fields["id"]:
                    return message
            return None

        await client.until(lambda: answer() or client.closed_with is not None, PATIENCE)
        return answer()
