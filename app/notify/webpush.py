"""Web push: a message that only one browser can read (RFC 8291, aes128gcm), and who we are to its push service (VAPID,
RFC 8292). Built on `cryptography` alone; nothing here talks to anybody."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

TOPIC_LETTERS = 32  # RFC 8030: at most 32 URL-safe characters
LONGEST = 3800  # bytes of a message; push services take 4096 with all that is around it
_RECORD = 4096
_TOKEN_SECONDS = 12 * 3600  # RFC 8292 allows a day


class BadKeys(ValueError):
    """Not the keys of a browser's subscription."""


@dataclass(frozen=True, slots=True)
class VapidKey:
    """One pair of keys of this server; `number` is what subscriptions made with it remember."""

    number: int
    private: str
    public: str
    made_at: int = 0


def encoded(data: bytes) -> str:
    """URL-safe base64 without its padding, as all of web push writes bytes."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    """The bytes of such a text; raises BadKeys."""
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), b"-_", validate=True)
    except (binascii.Error, ValueError) as problem:
        raise BadKeys(str(problem)) from problem


def new_keys() -> tuple[str, str]:
    """A private and a public key, as texts."""
    from cryptography.hazmat.primitives.asymmetric import (
        ec,
    )  # with the first key: servers start sooner without

    private = ec.generate_private_key(ec.SECP256R1())
    number = private.private_numbers().private_value
    return encoded(number.to_bytes(32, "big")), encoded(_point(private.public_key()))


def checked_keys(p256dh: str, auth: str) -> None:
    """Whether a message can be written for these; raises BadKeys."""
    if len(decoded(auth)) != 16:
        raise BadKeys("auth")
    _public(decoded(p256dh))


def encrypt(
    message: bytes, p256dh: str, auth: str, *, private: Any = None, salt: bytes | None = None
) -> bytes:
    """The body of a push: header and one record. Key and salt are fresh ones; the RFC's example gives its own."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if len(message) > LONGEST:
        raise ValueError("too long for a push")
    private = private or ec.generate_private_key(ec.SECP256R1())
    salt = salt or os.urandom(16)
    theirs, ours = decoded(p256dh), _point(private.public_key())
    shared = private.exchange(ec.ECDH(), _public(theirs))
    secret = _derived(shared, decoded(auth), b"WebPush: info\0" + theirs + ours, 32)
    key = _derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    sealed = AESGCM(key).encrypt(nonce, message + b"\x02", None)
    return salt + _RECORD.to_bytes(4, "big") + bytes([len(ours)]) + ours + sealed


def authorization(key: VapidKey, endpoint: str, contact: str, now: int) -> str:
    """The Authorization header for one push service: signed by our key, good for half a day."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

    parts = urlsplit(endpoint)
    claims: dict[str, object] = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": now + _TOKEN_SECONDS}
    if contact:
        claims["sub"] = contact
    signed = ".".join(
        encoded(json.dumps(part, separators=(",", ":")).encode())
        for part in ({"typ": "JWT", "alg": "ES256"}, claims)
    )
    private = ec.derive_private_key(int.from_bytes(decoded(key.private), "big"), ec.SECP256R1())
    r, s = decode_dss_signature(private.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    token = f"{signed}.{encoded(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"
    return f"vapid t={token}, k={key.public}"


def topic(game: str, subscription: str) -> str:
    """What a newer notice replaces an older one by. A hash: the game's id is an unlisted table's only key."""
    digest = hashlib.sha256(f"topic:{subscription}:{game}".encode()).digest()
    return encoded(digest)[:TOPIC_LETTERS]


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def _point(public: Any) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    point: bytes = public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return point


def _public(point: bytes) -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec

    if len(point) != 65:
        raise BadKeys("p256dh")
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError as problem:
        raise BadKeys("p256dh") from problem
