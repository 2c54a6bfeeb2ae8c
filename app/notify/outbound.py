"""POST requests to user-supplied URLs (webhooks and push services), without access to the private network.

The host is resolved once, all its addresses are checked, and the connection goes to one of the checked addresses. So a
name that resolves differently the second time (DNS rebinding) gains nothing. Redirects are not followed, and the body
of the response is not read.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit
from weakref import WeakValueDictionary

TIMEOUT_SECONDS = 10.0
MAX_LOOK_UPS = 32  # threads; a silent name server occupies one until the resolver times out
MAX_LOOK_UPS_PER_OWNER = 2  # for URLs registered by one person
CONGESTED_RETRY_SECONDS = 20


class BadUrl(ValueError):
    """A URL that may not be called. The message is a sentence for people."""


class Unreachable(Exception):
    """The receiver could not be reached. The message contains no address."""


class TimedOut(Unreachable):
    """The receiver, or the name server of its host, did not respond in time."""


class Congested(Exception):
    """Nothing was sent because no thread was free; not the receiver's fault."""


@dataclass(frozen=True, slots=True)
class Response:
    """The parts of an HTTP response that are used."""

    status: int
    retry_after: str = ""


def validate_url(text: str, *, allow_private: bool, max_length: int, what: str) -> str:
    """Return the URL without surrounding spaces; raise BadUrl. The host's addresses are checked at every call."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise BadUrl("That is not an address.") from None
    if len(text) > max_length or not all("!" <= letter <= "~" for letter in text.strip()):
        raise BadUrl("That is not an address.")
    if parts.scheme != "https" and not (allow_private and parts.scheme == "http"):
        raise BadUrl(f"{what}'s address begins with https://.")
    if not parts.hostname or parts.username is not None or parts.fragment:
        raise BadUrl(f"{what}'s address has a host, and neither a user name nor a # part.")
    if not allow_private and port not in (None, 443, 8443):
        raise BadUrl(f"{what} listens on port 443 or 8443.")
    if not allow_private:
        try:
            literal = ipaddress.ip_address(parts.hostname)
        except ValueError:
            literal = None
        if literal is not None and not is_public_address(str(literal)):
            raise BadUrl(f"{what} may not point into a private network.")
    return text.strip()


class Outbound:
    """Sends POST requests. `allow_private` permits private addresses, for tests and servers at home."""

    def __init__(self, *, allow_private: bool, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._allow_private = allow_private
        self._timeout_seconds = timeout_seconds
        # A separate thread pool: a name server that hangs must not occupy the threads of other tasks.
        self._threads = ThreadPoolExecutor(MAX_LOOK_UPS, "look-up")
        self._slots = asyncio.Semaphore(MAX_LOOK_UPS)
        self._owner_slots: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._ssl_context: ssl.SSLContext | None = None
        self._ssl_lock = threading.Lock()

    def close(self) -> None:
        """Cancel queued look-ups; running ones are not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], *, owner: str = "") -> Response:
        """Send one POST request on behalf of `owner`, the person who registered the URL.

        Raise Unreachable with a reason that contains no address, or Congested.
        """
        try:
            parts = urlsplit(url)
            address, ssl_context = await self._resolve(parts, owner)
            return await self._post(parts, address, ssl_context, body, headers)
        except ValueError as problem:  # a URL that was stored by a release with fewer checks
            raise Unreachable(type(problem).__name__) from problem

    async def _post(
        self,
        parts: SplitResult,
        address: str,
        ssl_context: ssl.SSLContext,
        body: bytes,
        headers: Mapping[str, str],
    ) -> Response:
        import httpx  # late: most servers never send one; `_resolve_and_load_certificates` loads it in a thread

        host = parts.hostname or ""
        port = parts.port or (443 if parts.scheme == "https" else 80)
        all_headers = {"Host": host if parts.port is None else f"{host}:{parts.port}", **headers}
        extensions = {"sni_hostname": host} if parts.scheme == "https" else {}
        settings: dict[str, Any] = {"follow_redirects": False, "trust_env": False, "verify": ssl_context}
        try:
            target = httpx.URL(scheme=parts.scheme, host=address, port=port, raw_path=_make_path(parts))
            async with (
                asyncio.timeout(self._timeout_seconds),
                httpx.AsyncClient(timeout=self._timeout_seconds, **settings) as client,
                client.stream(
                    "POST", target, content=body, headers=all_headers, extensions=extensions
                ) as response,
            ):
                return Response(response.status_code, response.headers.get("retry-after", ""))
        except (TimeoutError, httpx.TimeoutException) as problem:
            raise TimedOut(type(problem).__name__) from problem
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as problem:
            raise Unreachable(type(problem).__name__) from problem

    async def _resolve(self, parts: SplitResult, owner: str) -> tuple[str, ssl.SSLContext]:
        """Return a checked address of the host, and the TLS context."""
        try:
            found, ssl_context = await self._look_up(parts, owner)
        except TimeoutError as problem:
            raise TimedOut("unknown host") from problem
        except (OSError, UnicodeError) as problem:
            raise Unreachable("unknown host") from problem
        addresses = [str(entry[4][0]).split("%", 1)[0] for entry in found]
        if not addresses:
            raise Unreachable("unknown host")
        if not self._allow_private and not all(is_public_address(address) for address in addresses):
            raise Unreachable("private address")
        return addresses[0], ssl_context

    async def _look_up(self, parts: SplitResult, owner: str) -> tuple[list[Any], ssl.SSLContext]:
        """Resolve a host in a thread; raise Congested if none becomes free, for all or for this owner, in time.

        The thread stays occupied until the system's resolver returns, even if the caller has timed out.
        """
        loop, slots = asyncio.get_running_loop(), (self._get_owner_slots(owner), self._slots)
        try:
            async with asyncio.timeout(self._timeout_seconds):
                await slots[0].acquire()
                try:
                    await slots[1].acquire()
                except asyncio.CancelledError:
                    slots[0].release()
                    raise
        except TimeoutError:
            raise Congested from None

        def release() -> None:
            for semaphore in slots:
                semaphore.release()

        def on_done(_: object) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(release)

        look_up = self._threads.submit(
            self._resolve_and_load_certificates, parts.hostname or "", parts.port or 443
        )
        look_up.add_done_callback(on_done)
        async with asyncio.timeout(self._timeout_seconds):
            return await asyncio.wrap_future(look_up)

    def _get_owner_slots(self, owner: str) -> asyncio.Semaphore:
        found = self._owner_slots.get(owner)
        if found is None:
            found = self._owner_slots[owner] = asyncio.Semaphore(MAX_LOOK_UPS_PER_OWNER)
        return found

    def _resolve_and_load_certificates(self, host: str, port: int) -> tuple[list[Any], ssl.SSLContext]:
        """Do everything that would block the event loop. The certificates are loaded once, for all requests."""
        with self._ssl_lock:
            if self._ssl_context is None:
                import httpx

                self._ssl_context = httpx.create_ssl_context(trust_env=False)
        return _look_up(host, port), self._ssl_context


def _look_up(host: str, port: int) -> list[Any]:
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)


def _make_path(parts: SplitResult) -> bytes:
    return ((parts.path or "/") + (f"?{parts.query}" if parts.query else "")).encode()


def is_public_address(address: str) -> bool:
    """Return whether the address is on the public Internet, not on this machine or in a private network."""
    parsed = ipaddress.ip_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        # A NAT64 address contains an IPv4 address in its last four bytes.
        if inner is None and parsed in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(parsed.packed[-4:])
        if inner is not None and not is_public_address(str(inner)):
            return False
    return parsed.is_global and not parsed.is_multicast
