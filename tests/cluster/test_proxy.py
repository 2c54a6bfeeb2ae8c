"""The production Caddyfile in a real Caddy: only ready workers, failover for reads, no duplicated write."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect

from tests.sockets.running_server import in_process
from tools import debian
from tools.cluster.caddy import CADDYFILE, Caddy, caddy_program, listed
from tools.services import ServiceError

UPSTREAMS_FILE = CADDYFILE.with_name("Caddyfile.upstreams")
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"
STOPPING = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 8\r\nconnection: close\r\n\r\nstopping"


class FakeWorker:
    """Answers /readyz as configured and everything else with `answer`; records the requests."""

    def __init__(self, answer: bytes = OK, *, is_ready: bool = True) -> None:
        self.answer = answer
        self.is_ready = is_ready
        self.asked: list[bytes] = []
        self.looks = asyncio.Semaphore(0)
        """Released once per readiness check."""
        self.port = 0
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()
        if self._connections:
            await asyncio.wait(self._connections)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)
        # A stopping Caddy closes its connections at any point of a health check.
        with suppress(asyncio.IncompleteReadError, ConnectionError), closing(writer):
            await self._answer(reader, writer)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if head.startswith(b"GET /readyz "):
            writer.write(OK if self.is_ready else STOPPING)
            self.looks.release()
        else:
            if head.startswith(b"POST"):
                head += await reader.readexactly(5)
            self.asked.append(head)
            writer.write(self.answer)
        await writer.drain()


@asynccontextmanager
async def behind(*workers: FakeWorker, upstreams: str = "") -> AsyncIterator[httpx.AsyncClient]:
    """Return a client of a Caddy in front of these workers, after its first health checks."""
    async with AsyncExitStack() as stack:
        for worker in workers:
            await worker.start()
            stack.push_async_callback(worker.stop)
        names = [f"127.0.0.1:{worker.port}" for worker in workers]
        caddy = stack.enter_context(Caddy(upstreams or listed(names)))
        for worker in () if upstreams else workers:
            # Three reverse_proxy blocks look at it each second: with a second round the first is known.
            for _ in range(4):
                async with asyncio.timeout(30):
                    await worker.looks.acquire()
        yield await stack.enter_async_context(httpx.AsyncClient(base_url=caddy.base, timeout=30))


async def test_worker_gets_the_client_address_and_ignores_forged_headers() -> None:
    worker = FakeWorker()
    async with behind(worker) as client:
        answer = await client.get("/page", headers={"X-Forwarded-For": "203.0.113.9"})
    assert (answer.status_code, answer.text) == (200, "ok")
    forwarded_headers = [
        line.lower() for line in worker.asked[0].split(b"\r\n") if line.lower().startswith(b"x-forwarded-for")
    ]
    assert forwarded_headers == [b"x-forwarded-for: 127.0.0.1"]


async def test_worker_that_is_not_ready_gets_no_requests() -> None:
    stopping, well = FakeWorker(is_ready=False), FakeWorker()
    async with behind(stopping, well) as client:
        for _ in range(4):
            assert (await client.post("/act", content=b"hello")).text == "ok"
    assert (len(stopping.asked), len(well.asked)) == (0, 4)


async def test_reads_are_retried_when_a_worker_is_down_or_stopping() -> None:
    gone, stopping, well = FakeWorker(), FakeWorker(STOPPING), FakeWorker()
    async with behind(gone, stopping, well) as client:
        await gone.stop()
        assert [(await client.get("/page")).text for _ in range(12)] == ["ok"] * 12
        await gone.start()
    assert not gone.asked
    assert len(well.asked) == 12


async def test_failed_write_does_not_mark_other_workers_unhealthy() -> None:
    """Caddy before 2.11 retried the request without its body and marked the next worker as failing."""
    gone, well = FakeWorker(), FakeWorker()
    async with behind(gone, well) as client:
        await gone.stop()
        codes = [(await client.post("/act", content=b"hello")).status_code for _ in range(12)]
        await gone.start()
    assert codes.count(502) <= 1, "only the first request may fail; then the worker is known to be down"
    assert codes.count(200) == len(well.asked) >= 11


async def test_sent_write_is_not_retried_at_another_worker() -> None:
    dying, well = FakeWorker(b""), FakeWorker()
    async with behind(dying, well) as client:
        codes = [(await client.post("/act", content=b"hello")).status_code for _ in range(6)]
    assert codes.count(502) == len(dying.asked) <= 1
    assert codes.count(200) == len(well.asked)
    assert len(dying.asked) + len(well.asked) == 6
    assert all(asked.endswith(b"\r\n\r\nhello") for asked in well.asked)


def paths_of_table(game: str) -> list[str]:
    """Return all paths that concern the table."""
    paths = ("", "/record", "/events?since=3")
    framed = [f"/ws/embed/{game}", f"/embed/{game}", f"/share/g/{game}.png"]
    return [f"/ws/game/{game}", f"/g/{game}", *framed, *(f"/api/v1/games/{game}{path}" for path in paths)]


async def test_each_table_goes_to_one_worker_and_tables_are_spread() -> None:
    workers = [FakeWorker() for _ in range(3)]
    async with behind(*workers) as client:
        for number in range(24):
            for worker in workers:
                worker.asked.clear()
            for path in paths_of_table(f"game-{number}_x"):
                # The address decides, whatever a client sends in the header that the proxy uses.
                await client.get(path, headers={"X-Cartagena-Table": str(number % 5)})
            await client.post(f"/api/v1/games/game-{number}_x/commands", content=b"hello")
            assert sorted(len(worker.asked) for worker in workers) == [0, 0, 9]
        for worker in workers:
            worker.asked.clear()
        for number in range(48):
            await client.get(f"/g/other-{number}")
        assert all(worker.asked for worker in workers)
        for path in ("/", "/ws/lobby", "/api/v1/games"):
            for worker in workers:
                worker.asked.clear()
            for _ in range(48):
                await client.get(path, headers={"X-Cartagena-Table": "mine"})
            assert all(worker.asked for worker in workers), f"{path} goes anywhere"


async def test_only_tables_of_a_lost_worker_move_to_another() -> None:
    workers = [FakeWorker() for _ in range(3)]
    games = [f"game-{number}" for number in range(12)]

    async def asked(client: httpx.AsyncClient) -> dict[str, FakeWorker]:
        """Return the worker of each table."""
        found = {}
        for game in games:
            for worker in workers:
                worker.asked.clear()
            assert (await client.get(f"/ws/game/{game}")).text == "ok"
            (found[game],) = [worker for worker in workers if worker.asked]
        return found

    async with behind(*workers) as client:
        before = await asked(client)
        gone = before[games[0]]
        await gone.stop()
        meanwhile = await asked(client)
        await gone.start()
    assert gone not in meanwhile.values()
    assert all(meanwhile[game] is where for game, where in before.items() if where is not gone)


async def test_proxy_answers_with_an_error_without_workers() -> None:
    worker = FakeWorker(is_ready=False)
    async with behind(worker) as client:
        assert (await client.post("/act", content=b"hello")).status_code == 503
    assert not worker.asked


async def test_metrics_are_not_proxied() -> None:
    worker = FakeWorker()
    async with behind(worker) as client:
        assert (await client.get("/metrics")).status_code == 404
    assert not worker.asked


async def test_replicas_are_found_by_name_as_in_compose() -> None:
    """The file that docker-compose.yml takes, with a name and a port that there are here."""
    worker = FakeWorker()
    await worker.start()
    port = worker.port
    await worker.stop()
    text = (
        UPSTREAMS_FILE.read_text().replace("name app", "name localhost").replace("port 8000", f"port {port}")
    )
    assert str(port) in text
    async with behind(worker, upstreams=text) as client:
        assert [(await client.get("/page")).text for _ in range(3)] == ["ok"] * 3
    assert len(worker.asked) == 3


async def test_pages_and_sockets_go_through_tls(sqlite_url: str) -> None:
    async with in_process(sqlite_url, trusted_hops=1, public_url="") as server:
        with Caddy(listed([f"127.0.0.1:{server.port}"]), tls=True) as caddy:
            trusted = ssl.create_default_context(cafile=str(caddy.authority))
            async with httpx.AsyncClient(base_url=caddy.base, verify=trusted, timeout=30) as browser:
                page = await browser.get("/", headers={"accept": "text/html"})
                assert page.status_code == 200
                assert "<html" in page.text
            address = caddy.base.replace("https", "wss") + "/ws/lobby"
            async with connect(address, ssl=trusted, compression=None) as lobby:
                await lobby.send('{"do":"hello","v":2}')
                async with asyncio.timeout(30):
                    assert '"welcome"' in str(await lobby.recv())


@pytest.mark.parametrize(
    "upstreams", [UPSTREAMS_FILE.read_text(), listed(["127.0.0.1:8001", "127.0.0.1:8002"])]
)
def test_the_caddyfile_is_valid_for_replicas_and_for_a_list(upstreams: str, tmp_path: Path) -> None:
    (tmp_path / "upstreams").write_text(upstreams)
    environment = {
        "SITE_ADDRESS": "https://play.example.org",
        "UPSTREAMS": str(tmp_path / "upstreams"),
        "HOME": str(tmp_path),
    }
    command = [caddy_program(), "validate", "--config", str(CADDYFILE), "--adapter", "caddyfile"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "Valid configuration" in ran.stdout + ran.stderr


def test_port_in_use_and_missing_caddy_are_reported_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        Caddy(listed(["127.0.0.1:1"])) as first,
        pytest.raises(ServiceError, match=f"cannot listen on port {first.port}: Address already in use"),
    ):
        Caddy(listed(["127.0.0.1:1"]), port=first.port).start()

    def missing(*_: object, **__: object) -> str:
        raise debian.Missing("the cluster's proxy needs the program caddy")

    monkeypatch.setattr(debian, "program", missing)
    with pytest.raises(ServiceError, match="needs the program caddy"):
        Caddy(listed(["127.0.0.1:1"])).start()
