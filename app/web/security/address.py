"""Where a connection comes from: the client's address behind trusted proxies, and whether its page is ours."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from app.settings import Settings

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_DEFAULT_PORTS = {"http": 80, "https": 443}


def client_address(connection: HTTPConnection, settings: Settings) -> str:
    """Return the client's address: the peer's, or the entry that the outermost trusted proxy wrote.

    Only the last `trusted_hops` entries of X-Forwarded-For were written by our proxies. Earlier entries were sent by
    the client and could be anything.
    """
    peer = _peer(connection)
    if settings.trusted_hops == 0:
        return peer
    # Split from the end: the client may have sent thousands of entries.
    forwarded = ",".join(connection.headers.getlist("x-forwarded-for"))
    entries = forwarded.rsplit(",", settings.trusted_hops)[-settings.trusted_hops :]
    if len(entries) < settings.trusted_hops:
        return peer
    return _parse_forwarded(entries[0].strip()) or peer


@lru_cache(maxsize=12_288)  # called several times per request
def networks_of(address: str, *widths: int) -> tuple[str, ...]:
    """Return the networks of these prefix lengths that contain an IPv6 address; for IPv4 the address alone.

    Return () if it is not an IP address, such as the peer of a Unix socket.
    """
    try:
        parsed = parse_address(address)
    except ValueError:
        return ()
    if isinstance(parsed, ipaddress.IPv6Address):
        return tuple(str(ipaddress.ip_network((parsed, width), strict=False)) for width in widths)
    return (str(parsed),)


def limit_key(address: str) -> str:
    """Return the key that limits count by: an IPv4 address, or the /64 of an IPv6 one (a household has a whole /64)."""
    return next(iter(networks_of(address, 64)), address)


def limit_prefixes(address: str) -> tuple[str, ...]:
    """Return the networks that an address's failures count towards: /64, /56 and /48 for IPv6, the address for IPv4.

    Providers assign a customer anything from a /64 to a /48, so a single /56 has 256 /64s to fail from.
    """
    return networks_of(address, 64, 56, 48) or (address,)


def parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Parse an address; an IPv4-mapped IPv6 address (::ffff:203.0.113.9) becomes IPv4. Raise ValueError.

    Dual-stack listeners and some proxies report every IPv4 address in mapped form.
    """
    address = ipaddress.ip_address(text)
    return (address.ipv4_mapped or address) if isinstance(address, ipaddress.IPv6Address) else address


def parse_network(text: str) -> Network:
    """Parse a network, or an address as a network of one. IPv4-mapped networks become IPv4. Raise ValueError."""
    network = ipaddress.ip_network(text, strict=False)
    inner = network.network_address.ipv4_mapped if isinstance(network, ipaddress.IPv6Network) else None
    if inner is None or network.prefixlen < 96:
        return network
    return ipaddress.ip_network((inner, network.prefixlen - 96), strict=False)


def _peer(connection: HTTPConnection) -> str:
    return _normalise_peer(connection.client.host) if connection.client else "unknown"


@lru_cache(maxsize=4096)
def _normalise_peer(peer: str) -> str:
    try:
        return str(parse_address(peer))
    except ValueError:
        return peer


def is_direct_from_loopback(connection: HTTPConnection) -> bool:
    """Return whether the peer is this machine and no proxy is in between."""
    peer = _peer(connection)
    forwarded = any(
        name in connection.headers for name in ("x-forwarded-for", "forwarded", "via", "x-real-ip")
    )
    try:
        if forwarded or not ipaddress.ip_address(peer).is_loopback:
            return False
        # DNS rebinding: a foreign host name that resolves to this machine still appears in the Host header.
        host = urlsplit(f"//{connection.headers.get('host', '')}").hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_same_origin(connection: HTTPConnection, settings: Settings) -> bool | None:
    """Return whether the page behind this connection is ours; None if a program sent it without saying.

    Browsers send Origin with every WebSocket handshake and every unsafe request. A handshake without it comes from a
    program, which has a person's cookie only if it was given one.
    """
    origin = connection.headers.get("origin")
    site = connection.headers.get("sec-fetch-site")
    if site in ("cross-site", "same-site"):
        return False
    if origin is None:
        return True if site in ("same-origin", "none") else None
    theirs = _parse_origin(origin)
    if theirs is None:
        return False
    if settings.public_url:
        return theirs == _parse_origin(settings.public_url)
    # Without a public address, compare with the Host header. The scheme is ignored, because behind a TLS proxy our
    # own https page would look foreign.
    host = connection.headers.get("host", "")
    return theirs == _parse_origin(f"{theirs[0]}://{host}")


def _parse_origin(url: str) -> tuple[str, str, int] | None:
    return _parse_origin_cached(url) if len(url) < 200 else _parse_origin_cached.__wrapped__(url)


@lru_cache(maxsize=256)
def _parse_origin_cached(url: str) -> tuple[str, str, int] | None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        return None
    return parts.scheme, parts.hostname, port or _DEFAULT_PORTS[parts.scheme]


def _parse_forwarded(entry: str) -> str:
    """Return an address without port or brackets; empty if it is invalid."""
    text = entry.strip('"')
    if text.startswith("["):
        text = text[1:].split("]", 1)[0]
    elif text.count(":") == 1:
        text = text.split(":", 1)[0]
    try:
        return str(parse_address(text))
    except ValueError:
        return ""
