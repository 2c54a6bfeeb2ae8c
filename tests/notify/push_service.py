"""A push service of the tests' own, and the browser behind it: it checks who sends, decrypts and keeps what came."""

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

from app.notify.webpush import decoded, encoded


def private_key(text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(decoded(text), "big"), ec.SECP256R1())


def _point(public: ec.EllipticCurvePublicKey) -> bytes:
    return public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


class Browser:
    """A browser's half of a subscription, written from RFC 8291 and apart from the server's code."""

    def __init__(self, private: ec.EllipticCurvePrivateKey | None = None, auth: bytes | None = None) -> None:
        self.private = private or ec.generate_private_key(ec.SECP256R1())
        self.auth = auth or os.urandom(16)
        self.p256dh = encoded(_point(self.private.public_key()))
        self.auth_text = encoded(self.auth)

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


def checked_authorization(header: str) -> dict[str, Any]:
    """The claims, once the signature by the key that comes with them was found good."""
    scheme, _, rest = header.partition(" ")
    assert scheme == "vapid"
    fields = dict(part.strip().split("=", 1) for part in rest.split(","))
    head, claims, signature = fields["t"].split(".")
    assert json.loads(decoded(head)) == {"typ": "JWT", "alg": "ES256"}
    raw = decoded(signature)
    assert len(raw) == 64
    signed = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(fields["k"]))
    public.verify(signed, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    told: dict[str, Any] = json.loads(decoded(claims))
    return told


@dataclass(frozen=True, slots=True)
class Received:
    """One push as it reached a browser."""

    path: str
    headers: dict[str, str]
    key: str  # of the server that sent it
    told: dict[str, Any]


class PushService:
    """A real HTTP server of a few lines. `status` and `extra` are what it answers, `gate` holds answers back."""

    def __init__(self) -> None:
        self.browsers: dict[str, Browser] = {}
        self.received: list[Received] = []
        self.tries = 0
        self.status = "201 Created"
        self.extra = ""
        self.gate: asyncio.Event | None = None
        self.port = 0
        self._try = asyncio.Event()
        self._taken = asyncio.Event()
        self._serving: set[asyncio.Task[Any]] = set()

    def subscription(self) -> dict[str, Any]:
        """What a browser hands to the site after subscribing here."""
        browser = Browser()
        path = f"/push/{encoded(os.urandom(12))}"
        self.browsers[path] = browser
        return {
            "endpoint": f"http://127.0.0.1:{self.port}{path}",
            "keys": {"p256dh": browser.p256dh, "auth": browser.auth_text},
        }

    async def tried(self, times: int) -> None:
        """Returns once so many pushes have come; they may not be answered yet."""
        while self.tries < times:
            self._try.clear()
            await self._try.wait()

    async def taken(self, number: int) -> None:
        """Returns once so many pushes have been taken and read."""
        while len(self.received) < number:
            self._taken.clear()
            await self._taken.wait()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        try:
            await self._answer(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.close()  # the server under test hung up, or the test is over
        finally:
            self._serving.discard(task)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:] if line)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        path = lines[0].split()[1]
        self.tries += 1
        self._try.set()
        if self.gate is not None:
            await self.gate.wait()
        if self.status.startswith("2") and path in self.browsers:
            claims = checked_authorization(headers["authorization"])
            assert claims["aud"] == f"http://127.0.0.1:{self.port}"
            assert headers["content-encoding"] == "aes128gcm"
            told = json.loads(self.browsers[path].decrypt(body))
            key = headers["authorization"].rpartition("k=")[2]
            self.received.append(Received(path, headers, key, told))
            self._taken.set()
        writer.write(
            f"HTTP/1.1 {self.status}\r\n{self.extra}content-length: 0\r\nconnection: close\r\n\r\n".encode()
        )
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    def hang_up(self) -> None:
        """Ends what still waits at the gate."""
        for task in self._serving:
            task.cancel()


@asynccontextmanager
async def push_service() -> AsyncIterator[PushService]:
    """It listens on a port of this machine until the test is over."""
    service = PushService()
    server = await asyncio.start_server(service.serve, "127.0.0.1", 0)
    service.port = server.sockets[0].getsockname()[1]
    try:
        yield service
    finally:
        service.hang_up()
        server.close()
