"""Webhooks: a signed POST to an address its owner chose, which may not be used to reach into our network.

The host is looked up once, every address it has is checked, and the connection goes to one of those
checked addresses: a name that answers differently the second time (DNS rebinding) gains nothing.
Redirects are not followed, the answer's body is not read.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import json
import socket
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import SplitResult, urlsplit

_PATIENCE = 10.0
_LONGEST = 500
_LOOK_UPS = 2  # names looked up at a time


class BadWebhook(ValueError):
    """Not an address a webhook may have; the text is a sentence."""


class WebhookFailed(Exception):
    """The receiver did not take it."""


def checked_url(text: str, *, private: bool) -> str:
    """The address as it is kept; raises BadWebhook. What its name stands for is checked at every call."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise BadWebhook("That is not an address.") from None
    if len(text) > _LONGEST or not text.isascii() or any(letter.isspace() for letter in text.strip()):
        raise BadWebhook("That is not an address.")
    if parts.scheme != "https" and not (private and parts.scheme == "http"):
        raise BadWebhook("A webhook's address begins with https://.")
    if not parts.hostname or parts.username is not None or parts.fragment:
        raise BadWebhook("A webhook's address has a host, and neither a user name nor a # part.")
    if not private and port not in (None, 443, 8443):
        raise BadWebhook("A webhook listens on port 443 or 8443.")
    if not private:
        try:
            literal = ipaddress.ip_address(parts.hostname)
        except ValueError:
            literal = None
        if literal is not None and not _is_public(str(literal)):
            raise BadWebhook("A webhook may not point into a private network.")
    return text.strip()


def signature(key: str, at: int, body: bytes) -> str:
    """What the receiver computes too: t=<seconds>,v1=<HMAC-SHA256 of "<seconds>." + body>."""
    code = hmac.new(key.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={code}"


class Webhooks:
    """Calls webhooks; `private` allows addresses inside our own network (tests, a site at home)."""

    def __init__(self, *, private: bool) -> None:
        self._private = private
        # Names are looked up in threads of its own: when a name server hangs, nobody else waits for a thread.
        self._threads = ThreadPoolExecutor(_LOOK_UPS, "look-up")

    def close(self) -> None:
        """Nobody waits for a name any longer."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def call(self, url: str, key: str, told: Mapping[str, Any], now: int) -> None:
        """One signed POST; raises WebhookFailed with a reason that names no address."""
        import httpx  # with the first call: most servers never make one

        body = json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode()
        parts = urlsplit(url)
        address = await self._resolve(parts)
        host = parts.hostname or ""
        port = parts.port or (443 if parts.scheme == "https" else 80)
        shown = f"[{address}]" if ":" in address else address
        target = httpx.URL(scheme=parts.scheme, host=shown.strip("[]"), port=port, raw_path=_path(parts))
        headers = {
            "Host": host if parts.port is None else f"{host}:{parts.port}",
            "Content-Type": "application/json",
            "User-Agent": "cartagena-webhook",
            "X-Cartagena-Signature": signature(key, now, body),
        }
        extensions = {"sni_hostname": host} if parts.scheme == "https" else {}
        try:
            async with (
                asyncio.timeout(_PATIENCE),
                httpx.AsyncClient(follow_redirects=False, trust_env=False, timeout=_PATIENCE) as client,
                client.stream("POST", target, content=body, headers=headers, extensions=extensions) as answer,
            ):
                status = answer.status_code
        except (httpx.HTTPError, OSError, TimeoutError) as problem:
            raise WebhookFailed(type(problem).__name__) from problem
        if not 200 <= status < 300:
            raise WebhookFailed(f"answered {status}")

    async def _resolve(self, parts: SplitResult) -> str:
        try:
            async with asyncio.timeout(_PATIENCE):
                found = await asyncio.get_running_loop().run_in_executor(
                    self._threads, _look_up, parts.hostname or "", parts.port or 443
                )
        except (OSError, TimeoutError, UnicodeError) as problem:
            raise WebhookFailed("unknown host") from problem
        addresses = [str(entry[4][0]).split("%", 1)[0] for entry in found]
        if not addresses:
            raise WebhookFailed("unknown host")
        if not self._private and not all(_is_public(address) for address in addresses):
            raise WebhookFailed("private address")
        return addresses[0]


def _look_up(host: str, port: int) -> list[Any]:
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)


def _path(parts: SplitResult) -> bytes:
    return ((parts.path or "/") + (f"?{parts.query}" if parts.query else "")).encode()


def _is_public(address: str) -> bool:
    parsed = ipaddress.ip_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        # NAT64 carries an IPv4 address in its last four bytes
        if inner is None and parsed in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(parsed.packed[-4:])
        if inner is not None and not _is_public(str(inner)):
            return False
    return parsed.is_global and not parsed.is_multicast
