"""The bus's own connection to Redis: what it reads however the bytes come, how it is let in, and how it ends."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
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

from app.bus import link as link_module
from app.bus.link import Link, LinkError
from tools.services import RedisServer

GREETING = b"%2\r\n$6\r\nserver\r\n$6\r\nvalkey\r\n$5\r\nproto\r\n:3\r\n"
SAID = (
    GREETING
    + b">3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"
    + b":2\r\n"
    + b">3\r\n$7\r\nmessage\r\n$1\r\na\r\n$8\r\n\r\n>3\r\n\r\n\r\n"
    + b"-ERR no\r\n"
    + b"+PONG\r\n"
    + b"*3\r\n$1\r\nx\r\n_\r\n~1\r\n:7\r\n"
)
HEARD = [[b"subscribe", b"a", 1], [b"message", b"a", b"\r\n>3\r\n\r\n"]]


class Wire:
    """A transport that only keeps what is written."""

    def __init__(self) -> None:
        self.written = b""

    def write(self, data: bytes) -> None:
        self.written += data

    def abort(self) -> None:
        self.written = b""


def linked(heard: list[Any]) -> tuple[Link, Wire]:
    link, wire = Link(heard.append), Wire()
    link.connection_made(wire)  # type: ignore[arg-type]
    return link, wire


async def test_however_the_bytes_are_cut_the_same_is_read() -> None:
    for size in (1, 2, 3, 5, 7, 11, 64, len(SAID)):
        heard: list[Any] = []
        link, _ = linked(heard)
        asked = [link.ask([(b"HELLO",)]), link.ask([(b"A",), (b"B",)]), link.ask([(b"PING",), (b"C",)])]
        for at in range(0, len(SAID), size):
            link.data_received(SAID[at : at + size])
        assert heard == HEARD
        assert await asked[0] == [[b"server", b"valkey", b"proto", 3]]
        with pytest.raises(
            LinkError, match="ERR no"
        ):  # one of two was refused; the next are answered all the same
            await asked[1]
        assert await asked[2] == [b"PONG", [b"x", None, [7]]]


async def test_commands_are_written_by_the_length_of_their_words_and_at_once() -> None:
    link, wire = linked([])
    link.ask([(b"PUBLISH", b"a", b"one\r\ntwo"), (b"PING",)])
    assert wire.written == b"*3\r\n$7\r\nPUBLISH\r\n$1\r\na\r\n$8\r\none\r\ntwo\r\n*1\r\n$4\r\nPING\r\n"


async def test_who_waits_for_an_answer_is_told_that_the_connection_is_gone() -> None:
    link, _ = linked([])
    waiting = link.ask([(b"PING",)])
    link.connection_lost(None)
    with pytest.raises(LinkError):
        await waiting
    with pytest.raises(LinkError):
        await link.ask([(b"PING",)])
    await link.lost


async def test_what_is_no_redis_is_not_read_on() -> None:
    with pytest.raises(ValueError, match="HTTP"):
        linked([])[0].data_received(b"HTTP/1.1 400 Bad Request\r\n\r\n")


async def test_publishing_and_hearing_on_one_connection(redis_url: str) -> None:
    await _publish_and_hear(redis_url)


def test_the_same_on_the_loop_that_the_server_runs_on(redis_url: str) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_publish_and_hear(redis_url))


async def _publish_and_hear(redis_url: str) -> None:
    heard: asyncio.Queue[list[Any]] = asyncio.Queue()
    link = await Link.open(redis_url, heard.put_nowait)
    link.say(b"SUBSCRIBE", b"here")
    long = b"x" * 3_000_000
    async with asyncio.timeout(20):
        assert await link.ask([(b"PUBLISH", b"here", long), (b"PUBLISH", b"nobody", b"")]) == [1, 0]
        assert await heard.get() == [b"subscribe", b"here", 1]
        assert await heard.get() == [b"message", b"here", long]
        link.close()
        await link.lost


async def test_a_password_with_odd_letters_lets_in_and_a_wrong_one_says_why() -> None:
    secret = "s p@ß/:%"
    with RedisServer() as server:
        server.command("CONFIG", "SET", "requirepass", secret)
        for who in ("", "default"):
            url = f"redis://{who}:{quote(secret, safe='')}@127.0.0.1:{server.port}/0"
            link = await Link.open(url, print)
            assert await link.ask([(b"PING",)]) == [b"PONG"]
            link.close()
        with pytest.raises(LinkError, match="WRONGPASS"):
            await Link.open(f"redis://:wrong@127.0.0.1:{server.port}/0", print)
        with pytest.raises(LinkError, match="NOAUTH"):
            await Link.open(server.url, print)


@asynccontextmanager
async def standing_in(greeting: bytes, path: str | None = None, **how: Any) -> AsyncIterator[int]:
    """Something that greets as Redis does, or not at all, and says nothing else; its port."""
    visits: list[asyncio.Task[Any]] = []

    async def visited(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visits.append(cast("asyncio.Task[Any]", asyncio.current_task()))
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"$1\r\n3\r\n")
            writer.write(greeting)
            await reader.read()
        writer.close()

    if path is not None:
        server = await asyncio.start_unix_server(visited, path)
    else:
        server = await asyncio.start_server(visited, "127.0.0.1", 0, **how)
    try:
        yield 0 if path is not None else server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await asyncio.sleep(0.05)  # until it has been seen that they went
        await asyncio.gather(*visits)


async def test_over_a_unix_socket(tmp_path: Path) -> None:
    async with standing_in(GREETING, str(tmp_path / "redis sock")):
        link = await Link.open(f"unix://{tmp_path}/redis%20sock", print)
        link.close()


def self_signed(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost, and its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name.from_rfc4514_string("CN=localhost")
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, private = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (folder / "cert.pem").write_bytes(made.public_bytes(pem))
    secret = key.private_bytes(pem, private, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(secret)
    return folder / "cert.pem", folder / "key.pem"


async def test_over_tls_a_certificate_is_checked_unless_the_address_says_otherwise(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    async with standing_in(GREETING, ssl=context) as port:
        for asked in ("ssl_cert_reqs=none", f"ssl_ca_certs={certificate}"):
            link = await Link.open(f"rediss://localhost:{port}/0?{asked}", print)
            link.close()
        with pytest.raises(ssl.SSLCertVerificationError):
            await Link.open(f"rediss://localhost:{port}/0", print)


async def test_one_that_does_not_greet_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "_OPEN_SECONDS", 0.2)
    async with standing_in(b"") as port:
        with pytest.raises(TimeoutError):
            await Link.open(f"redis://127.0.0.1:{port}", print)
