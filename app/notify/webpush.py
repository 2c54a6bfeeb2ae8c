"""Web push: encryption of messages for a browser (RFC 8291, aes128gcm), and VAPID authorization (RFC 8292).

Uses only `cryptography` and performs no I/O.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
from typing import Any
from urllib.parse import urlsplit

from app.store.people.vapid import VapidKey, encode_base64url

TOPIC_LENGTH = 32  # the maximum of RFC 8030
MAX_MESSAGE_BYTES = 3800  # push services accept 4096 bytes, including header and padding
_RECORD_BYTES = 4096
_TOKEN_LIFETIME_SECONDS = 12 * 3600  # RFC 8292 allows a day


class BadKeys(ValueError):
    """The keys of a subscription are invalid."""


def decode_base64url(text: str) -> bytes:
    """Decode URL-safe base64 with or without padding; raise BadKeys."""
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), b"-_", validate=True)
    except (binascii.Error, ValueError) as problem:
        raise BadKeys(str(problem)) from problem


def validate_keys(p256dh: str, auth: str) -> None:
    """Raise BadKeys if no message can be encrypted with these keys."""
    if len(decode_base64url(auth)) != 16:
        raise BadKeys("auth")
    _load_public_key(decode_base64url(p256dh))


def encrypt(
    message: bytes, p256dh: str, auth: str, *, private: Any = None, salt: bytes | None = None
) -> bytes:
    """Return the body of a push: header and one record. Key and salt are random unless given, as in a test."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if len(message) > MAX_MESSAGE_BYTES:
        raise ValueError("the message is too long for a push")
    private = private or ec.generate_private_key(ec.SECP256R1())
    salt = salt or os.urandom(16)
    browser_point, server_point = decode_base64url(p256dh), _encode_public_key(private.public_key())
    shared = private.exchange(ec.ECDH(), _load_public_key(browser_point))
    secret = _derive(shared, decode_base64url(auth), b"WebPush: info\0" + browser_point + server_point, 32)
    key = _derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(secret, salt, b"Content-Encoding: nonce\0", 12)
    sealed = AESGCM(key).encrypt(nonce, message + b"\x02", None)
    return salt + _RECORD_BYTES.to_bytes(4, "big") + bytes([len(server_point)]) + server_point + sealed


def make_authorization(key: VapidKey, endpoint: str, contact: str, now: int) -> str:
    """Return the Authorization header for the push service of this endpoint, valid for half a day."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

    parts = urlsplit(endpoint)
    claims: dict[str, object] = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": now + _TOKEN_LIFETIME_SECONDS,
    }
    if contact:
        claims["sub"] = contact
    signed = ".".join(
        encode_base64url(json.dumps(part, separators=(",", ":")).encode())
        for part in ({"typ": "JWT", "alg": "ES256"}, claims)
    )
    private = ec.derive_private_key(int.from_bytes(decode_base64url(key.private), "big"), ec.SECP256R1())
    r, s = decode_dss_signature(private.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    token = f"{signed}.{encode_base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"
    return f"vapid t={token}, k={key.public}"


def make_topic(game: str, subscription: str) -> str:
    """Return the Topic header: a newer push with the same topic replaces an older one.

    It is a hash, because the id of a game is a secret if the table is unlisted.
    """
    digest = hashlib.sha256(f"topic:{subscription}:{game}".encode()).digest()
    return encode_base64url(digest)[:TOPIC_LENGTH]


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def _encode_public_key(public_key: Any) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    point: bytes = public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return point


def _load_public_key(point: bytes) -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec

    if len(point) != 65:
        raise BadKeys("p256dh")
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError as problem:
        raise BadKeys("p256dh") from problem
