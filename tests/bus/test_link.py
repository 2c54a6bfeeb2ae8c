"""The connection to Redis: pushes and replies, authentication, TLS, errors."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import pytest
import uvloop
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError

from app.bus import link as link_module
from app.bus.link import Link, OnPush
from tools.services import RedisServer

GREETING = b"%2\r\n$6\r\nserver\r\n$6\r\nvalkey\r\n$5\r\nproto\r\n:3\r\n"
INCOMING = (
    b">3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"
    b":2\r\n"
    b">3\r\n$7\r\nmessage\r\n$1\r\na\r\n$8\r\n\r\n>3\r\n\r\n\r\n"
    b"-ERR no\r\n"
    b"+PONG\r\n"
    b"*3\r\n$1\r\nx\r\n_\r\n~1\r\n:7\r\n"
)
PUSHES = [[b"subscribe", b"a", 1], [b"message", b"a", b"\r\n>3\r\n\r\n"]]


@asynccontextmanager
async def open_link(url: str, on_push: OnPush = print) -> AsyncIterator[Link]:
    """Yield an open link whose reader is running."""
    link = await Link.open(url, on_push)
    reader = asyncio.create_task(link.read())
    try:
        yield link
    finally:
        link.close()
        await asyncio.gather(reader, return_exceptions=True)


async def test_replies_and_pushes_are_distinguished_however_the_bytes_are_split() -> None:
    for size in (1, 2, 3, 5, 7, 11, 64, len(INCOMING)):
        pieces = [INCOMING[at : at + size] for at in range(0, len(INCOMING), size)]
        pushes: list[Any] = []
        async with (
            fake_server(GREETING, pieces) as port,
            open_link(f"redis://127.0.0.1:{port}", pushes.append) as link,
        ):
            first = asyncio.create_task(link.execute([(b"A",), (b"B",)]))
            second = asyncio.create_task(link.execute([(b"PING",), (b"C",)]))
            with pytest.raises(ResponseError, match="no"):  # one of the two commands failed
                await first
            assert await second == [b"PONG", [b"x", None, [7]]]
        assert pushes == PUSHES


async def test_waiting_caller_gets_an_error_when_the_connection_closes(redis_url: str) -> None:
    async with open_link(redis_url) as link:
        waiting = asyncio.create_task(link.execute([(b"BLPOP", b"nothing", b"0")]))
        await asyncio.sleep(0.05)
        link.close()
        with pytest.raises(RedisConnectionError):
            await waiting
        with pytest.raises(RedisConnectionError):
            await link.execute([(b"PING",)])
        with pytest.raises(RedisConnectionError):
            await link.send(b"SUBSCRIBE", b"a")


async def test_replies_still_match_after_a_caller_was_cancelled(redis_url: str) -> None:
    async with open_link(redis_url) as link:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await link.execute([(b"BLPOP", b"nothing", b"0.2")])
        assert await link.execute([(b"PING",)]) == [b"PONG"]


async def test_server_other_than_redis_is_rejected() -> None:
    async with fake_server(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        with pytest.raises(RedisError, match="HTTP"):
            await Link.open(f"redis://127.0.0.1:{port}", print)


async def test_unused_url_parameters_are_ignored(redis_url: str) -> None:
    query = "socket_timeout=5&protocol=2&max_connections=10&ssl_cert_reqs=none&no_such_name=1"
    async with open_link(f"{redis_url}?{query}", print) as link:
        assert await link.execute([(b"PING",)]) == [b"PONG"]


async def test_thousands_of_pushes_without_a_reply_in_between(redis_url: str) -> None:
    pushes: asyncio.Queue[list[Any]] = asyncio.Queue()
    async with (
        open_link(redis_url, pushes.put_nowait) as link,
        open_link(redis_url) as other,
        asyncio.timeout(20),
    ):
        await link.send(b"SUBSCRIBE", b"here")
        await pushes.get()
        await other.execute([(b"PUBLISH", b"here", b"%d" % number) for number in range(5000)])
        assert [(await pushes.get())[2] for _ in range(5000)] == [b"%d" % number for number in range(5000)]


async def test_one_connection_publishes_and_subscribes(redis_url: str) -> None:
    await _publish_and_receive(redis_url)


def test_one_connection_publishes_and_subscribes_on_uvloop(redis_url: str) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_publish_and_receive(redis_url))


async def _publish_and_receive(redis_url: str) -> None:
    pushes: asyncio.Queue[list[Any]] = asyncio.Queue()
    long = b"x" * 3_000_000
    async with open_link(redis_url, pushes.put_nowait) as link, asyncio.timeout(20):
        await link.send(b"SUBSCRIBE", b"here")
        assert await link.execute([(b"PUBLISH", b"here", long), (b"PUBLISH", b"elsewhere", b"")]) == [1, 0]
        assert await pushes.get() == [b"subscribe", b"here", 1]
        assert await pushes.get() == [b"message", b"here", long]


async def test_password_with_special_characters_works_and_a_wrong_one_is_reported() -> None:
    secret = "s p@ß/:%"
    with RedisServer() as server:
        server.command("CONFIG", "SET", "requirepass", secret)
        for user in ("", "default"):
            url = f"redis://{user}:{quote(secret, safe='')}@127.0.0.1:{server.port}/0"
            async with open_link(url) as link:
                assert await link.execute([(b"PING",)]) == [b"PONG"]
        with pytest.raises(RedisError, match="invalid username-password pair"):
            await Link.open(f"redis://:wrong@127.0.0.1:{server.port}/0", print)
        with pytest.raises(RedisError, match="HELLO must be called"):
            await Link.open(server.url, print)


@asynccontextmanager
async def fake_server(
    greeting: bytes, replies: Sequence[bytes] = (), path: str | None = None, **options: Any
) -> AsyncIterator[int]:
    """Yield the port of a server that replies to HELLO with `greeting`, and to later commands with `replies`."""
    tasks: list[asyncio.Task[Any]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.append(cast("asyncio.Task[Any]", asyncio.current_task()))
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"$1\r\n3\r\n")
            # Over a Unix socket redis-py sends HELLO twice.
            writer.write(greeting * (1 if path is None else 2))
            if replies:
                await reader.readuntil(b"$1\r\nC\r\n")
            for piece in replies:
                writer.write(piece)
                await asyncio.sleep(0)
            await reader.read()
        writer.close()

    if path is not None:
        server = await asyncio.start_unix_server(serve, path)
    else:
        server = await asyncio.start_server(serve, "127.0.0.1", 0, **options)
    try:
        yield 0 if path is not None else server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await asyncio.sleep(0.05)  # until the clients' disconnects have arrived
        await asyncio.gather(*tasks)


async def test_connect_over_a_unix_socket(tmp_path: Path) -> None:
    async with (
        fake_server(GREETING, path=str(tmp_path / "redis sock")),
        open_link(f"unix://{tmp_path}/redis%20sock"),
    ):
        pass


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Write a self-signed certificate for localhost and its key; return their paths."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name.from_rfc4514_string("CN=localhost")
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, private = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (folder / "cert.pem").write_bytes(certificate.public_bytes(pem))
    secret = key.private_bytes(pem, private, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(secret)
    return folder / "cert.pem", folder / "key.pem"


async def test_tls_certificate_is_checked_unless_the_url_disables_it(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    async with fake_server(GREETING, ssl=context) as port:
        for option in ("ssl_cert_reqs=none", f"ssl_ca_certs={certificate}"):
            async with open_link(f"rediss://localhost:{port}/0?{option}"):
                pass
        with pytest.raises(RedisError, match="certificate verify failed"):
            await Link.open(f"rediss://localhost:{port}/0", print)


async def test_connecting_to_a_silent_server_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "_OPEN_TIMEOUT_SECONDS", 0.2)
    async with fake_server(b"") as port:
        with pytest.raises(TimeoutError):
            await Link.open(f"redis://127.0.0.1:{port}", print)
