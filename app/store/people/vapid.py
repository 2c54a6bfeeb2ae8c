"""The keys with which this server signs web pushes (VAPID, RFC 8292)."""

from __future__ import annotations

import base64
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VapidKey:
    """A key pair of this server. Subscriptions refer to it by `number`."""

    number: int
    private: str
    public: str
    made_at: int = 0


def encode_base64url(data: bytes) -> str:
    """Return URL-safe base64 without padding, as web push uses it."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def generate_key_pair() -> tuple[str, str]:
    """Return a new private and public key, base64url-encoded."""
    # Imported late: most servers never create a key.
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    private = ec.generate_private_key(ec.SECP256R1())
    number = private.private_numbers().private_value
    point = private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return encode_base64url(number.to_bytes(32, "big")), encode_base64url(point)
