"""A push service for tests, and its browsers: it checks authorization, decrypts and records what it receives."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from app.notify.webpush import decode_base64url
from app.store.people.vapid import encode_base64url


def private_key(text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(decode_base64url(text), "big"), ec.SECP256R1())


def _point(public: ec.EllipticCurvePublicKey) -> bytes:
    return public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


class Browser:
    """The browser's side of a subscription, implemented from RFC 8291 independently of the server's code."""

    def __init__(self, private: ec.EllipticCurvePrivateKey | None = None, auth: bytes | None = None) -> None:
        self.private = private or ec.generate_private_key(ec.SECP256R1())
        self.auth = auth or os.urandom(16)
        self.p256dh = encode_base64url(_point(self.private.public_key()))
        self.auth_text = encode_base64url(self.auth)

    def decrypt(self, body: bytes) -> bytes:
        salt, size = body[:16], int.from_bytes(body[16:20], "big")
        theirs, sealed = body[21 : 21 + body[20]], body[21 + body[20] :]
        assert len(sealed) <= size
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), theirs)
        shared = self.private.exchange(ec.ECDH(), public)
        info = b"WebPush: info\0" + _point(self.private.public_key()) + theirs
        secret = HKDF(hashes.SHA256(), 32, self.auth, info).derive(shared)
        key = HKDF(hashes.SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(secret)
        nonce = HKDF(hashes.SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(secret)
        plain = AESGCM(key).decrypt(nonce, sealed, None).rstrip(b"\0")
        assert plain[-1:] == b"\x02", "the last record"
        return plain[:-1]


def check_authorization(header: str) -> dict[str, Any]:
    """Check the signature with the key in the header; return the claims."""
    scheme, _, rest = header.partition(" ")
    assert scheme == "vapid"
    fields = dict(part.strip().split("=", 1) for part in rest.split(","))
    head, claims, signature = fields["t"].split(".")
    assert json.loads(decode_base64url(head)) == {"typ": "JWT", "alg": "ES256"}
    raw = decode_base64url(signature)
    assert len(raw) == 64
    signed = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode_base64url(fields["k"]))
    public.verify(signed, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    content: dict[str, Any] = json.loads(decode_base64url(claims))
    return content


@dataclass(frozen=True, slots=True)
class Received:
    """A push as a browser received it."""

    path: str
    headers: dict[str, str]
    key: str  # of the server that sent it
    content: dict[str, Any]


class PushService:
    """A small HTTP server. It responds with `status` and the headers in `extra`, once `gate` is set if there is one."""

    def __init__(self) -> None:
        self.browsers: dict[str, Browser] = {}
        self.received: list[Received] = []
        self.attempts = 0
        self.status = "201 Created"
        self.extra = ""
        self.gate: asyncio.Event | None = None
        self.port = 0
        self._on_attempt = asyncio.Event()
        self._on_accepted = asyncio.Event()
        self._serving: set[asyncio.Task[Any]] = set()

    def subscription(self) -> dict[str, Any]:
        """Subscribe a browser; return what it sends to the site."""
        browser = Browser()
        path = f"/push/{encode_base64url(os.urandom(12))}"
        self.browsers[path] = browser
        return {
            "endpoint": f"http://127.0.0.1:{self.port}{path}",
            "keys": {"p256dh": browser.p256dh, "auth": browser.auth_text},
        }

    async def wait_for_attempts(self, times: int) -> None:
        """Return once so many requests have arrived; they may not be answered yet."""
        while self.attempts < times:
            self._on_attempt.clear()
            await self._on_attempt.wait()

    async def wait_for_accepted(self, number: int) -> None:
        """Return once so many pushes have been accepted."""
        while len(self.received) < number:
            self._on_accepted.clear()
            await self._on_accepted.wait()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        try:
            await self._answer(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.close()  # the server under test closed the connection, or the test has ended
        finally:
            self._serving.discard(task)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:] if line)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        path = lines[0].split()[1]
        self.attempts += 1
        self._on_attempt.set()
        if self.gate is not None:
            await self.gate.wait()
        if self.status.startswith("2") and path in self.browsers:
            claims = check_authorization(headers["authorization"])
            assert claims["aud"] == f"http://127.0.0.1:{self.port}"
            assert headers["content-encoding"] == "aes128gcm"
            content = json.loads(self.browsers[path].decrypt(body))
            key = headers["authorization"].rpartition("k=")[2]
            self.received.append(Received(path, headers, key, content))
            self._on_accepted.set()
        writer.write(
            f"HTTP/1.1 {self.status}\r\n{self.extra}content-length: 0\r\nconnection: close\r\n\r\n".encode()
        )
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    def hang_up(self) -> None:
        """Cancel requests that still wait for `gate`."""
        for task in self._serving:
            task.cancel()


@asynccontextmanager
async def push_service() -> AsyncIterator[PushService]:
    """Yield a push service that listens on a local port."""
    service = PushService()
    server = await asyncio.start_server(service.serve, "127.0.0.1", 0)
    service.port = server.sockets[0].getsockname()[1]
    try:
        yield service
    finally:
        service.hang_up()
        server.close()
