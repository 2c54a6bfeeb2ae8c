"""One POST to an address that a stranger gave us, which may not be used to reach into our network.

The host is looked up once, every address it has is checked, and the connection goes to one of those
checked addresses: a name that answers differently the second time (DNS rebinding) gains nothing.
Redirects are not followed, the answer's body is not read. Webhooks and push services are reached this way.
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

PATIENCE = 10.0
LOOK_UPS_AT_ONCE = (
    32  # threads: a name server that is silent holds one for as long as the system waits for it
)
LOOK_UPS_OF_OWNER = 2  # for names that one person registered


class BadUrl(ValueError):
    """Not an address that may be called; the text is a sentence."""


class NotReached(Exception):
    """Nobody took it; the text names no address."""


class TimedOut(NotReached):
    """The receiver, or the name server of its host, did not answer in time."""


class Congested(Exception):
    """Nothing was sent for want of a thread here; the receiver is not to blame."""


@dataclass(frozen=True, slots=True)
class Answer:
    """All that is looked at of what came back."""

    status: int
    retry_after: str = ""


def checked_url(text: str, *, private: bool, longest: int, what: str) -> str:
    """The address as it is kept; raises BadUrl. What its name stands for is checked at every call."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise BadUrl("That is not an address.") from None
    if len(text) > longest or not all("!" <= letter <= "~" for letter in text.strip()):
        raise BadUrl("That is not an address.")
    if parts.scheme != "https" and not (private and parts.scheme == "http"):
        raise BadUrl(f"{what}'s address begins with https://.")
    if not parts.hostname or parts.username is not None or parts.fragment:
        raise BadUrl(f"{what}'s address has a host, and neither a user name nor a # part.")
    if not private and port not in (None, 443, 8443):
        raise BadUrl(f"{what} listens on port 443 or 8443.")
    if not private:
        try:
            literal = ipaddress.ip_address(parts.hostname)
        except ValueError:
            literal = None
        if literal is not None and not is_public(str(literal)):
            raise BadUrl(f"{what} may not point into a private network.")
    return text.strip()


class Outbound:
    """Posts; `private` allows addresses inside our own network (tests, a site at home)."""

    def __init__(self, *, private: bool, patience: float = PATIENCE) -> None:
        self._private = private
        self._patience = patience
        # Names are looked up in threads of its own: when a name server hangs, nobody else waits for a thread.
        self._threads = ThreadPoolExecutor(LOOK_UPS_AT_ONCE, "look-up")
        self._slots = asyncio.Semaphore(LOOK_UPS_AT_ONCE)
        self._owners: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._trusted: ssl.SSLContext | None = None
        self._trusting = threading.Lock()

    def close(self) -> None:
        """Nobody waits for a name any longer."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], *, owner: str = "") -> Answer:
        """Post once for `owner`, the person who registered the address.

        Raise NotReached with a reason that names no address, or Congested.
        """
        try:
            parts = urlsplit(url)
            address, trusted = await self._resolve(parts, owner)
            return await self._post(parts, address, trusted, body, headers)
        except ValueError as problem:  # an address that was taken when less was checked
            raise NotReached(type(problem).__name__) from problem

    async def _post(
        self,
        parts: SplitResult,
        address: str,
        trusted: ssl.SSLContext,
        body: bytes,
        headers: Mapping[str, str],
    ) -> Answer:
        import httpx  # with the first call, and read by the look-up's thread: most servers never make one

        host = parts.hostname or ""
        port = parts.port or (443 if parts.scheme == "https" else 80)
        named = {"Host": host if parts.port is None else f"{host}:{parts.port}", **headers}
        extensions = {"sni_hostname": host} if parts.scheme == "https" else {}
        settings: dict[str, Any] = {"follow_redirects": False, "trust_env": False, "verify": trusted}
        try:
            target = httpx.URL(scheme=parts.scheme, host=address, port=port, raw_path=_path(parts))
            async with (
                asyncio.timeout(self._patience),
                httpx.AsyncClient(timeout=self._patience, **settings) as client,
                client.stream("POST", target, content=body, headers=named, extensions=extensions) as answer,
            ):
                return Answer(answer.status_code, answer.headers.get("retry-after", ""))
        except (TimeoutError, httpx.TimeoutException) as problem:
            raise TimedOut(type(problem).__name__) from problem
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as problem:
            raise NotReached(type(problem).__name__) from problem

    async def _resolve(self, parts: SplitResult, owner: str) -> tuple[str, ssl.SSLContext]:
        """An address to connect to, and whom to trust there."""
        try:
            found, trusted = await self._look_up(parts, owner)
        except TimeoutError as problem:
            raise TimedOut("unknown host") from problem
        except (OSError, UnicodeError) as problem:
            raise NotReached("unknown host") from problem
        addresses = [str(entry[4][0]).split("%", 1)[0] for entry in found]
        if not addresses:
            raise NotReached("unknown host")
        if not self._private and not all(is_public(address) for address in addresses):
            raise NotReached("private address")
        return addresses[0], trusted

    async def _look_up(self, parts: SplitResult, owner: str) -> tuple[list[Any], ssl.SSLContext]:
        """Look a name up in a thread; raise Congested if there is none, or none for this owner, in time.

        A thread is taken until the system gives up, however soon its caller does.
        """
        loop, slots = asyncio.get_running_loop(), (self._slots_of(owner), self._slots)
        try:
            async with asyncio.timeout(self._patience):
                await slots[0].acquire()
                try:
                    await slots[1].acquire()
                except asyncio.CancelledError:
                    slots[0].release()
                    raise
        except TimeoutError:
            raise Congested from None

        def release() -> None:
            for each in slots:
                each.release()

        def on_done(_done: object) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(release)

        thread = self._threads.submit(self._prepare, parts.hostname or "", parts.port or 443)
        thread.add_done_callback(on_done)
        async with asyncio.timeout(self._patience):
            return await asyncio.wrap_future(thread)

    def _slots_of(self, owner: str) -> asyncio.Semaphore:
        found = self._owners.get(owner)
        if found is None:
            found = self._owners[owner] = asyncio.Semaphore(LOOK_UPS_OF_OWNER)
        return found

    def _prepare(self, host: str, port: int) -> tuple[list[Any], ssl.SSLContext]:
        """Everything that would hold up the loop; the certificates are read once, for all calls."""
        with self._trusting:
            if self._trusted is None:
                import httpx

                self._trusted = httpx.create_ssl_context(trust_env=False)
        return _look_up(host, port), self._trusted


def _look_up(host: str, port: int) -> list[Any]:
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)


def _path(parts: SplitResult) -> bytes:
    return ((parts.path or "/") + (f"?{parts.query}" if parts.query else "")).encode()


def is_public(address: str) -> bool:
    """Whether anybody may be there; not our machine, not our network."""
    parsed = ipaddress.ip_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        # NAT64 carries an IPv4 address in its last four bytes
        if inner is None and parsed in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(parsed.packed[-4:])
        if inner is not None and not is_public(str(inner)):
            return False
    return parsed.is_global and not parsed.is_multicast
