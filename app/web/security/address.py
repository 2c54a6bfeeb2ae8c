"""Where a connection comes from: the address behind trusted proxies, and whether its page is ours."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from app.settings import Settings

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_DEFAULT_PORTS = {"http": 80, "https": 443}


def client_address(connection: HTTPConnection, settings: Settings) -> str:
    """The client's address: the peer, or the entry that the outermost trusted proxy wrote.

    Only the last `trusted_hops` entries of X-Forwarded-For were written by proxies of ours;
    whatever stands before them came from the client and could be anything.
    """
    peer = _peer(connection)
    if settings.trusted_hops == 0:
        return peer
    # Split from the end: a client can put thousands of entries in front.
    forwarded = ",".join(connection.headers.getlist("x-forwarded-for"))
    entries = forwarded.rsplit(",", settings.trusted_hops)[-settings.trusted_hops :]
    if len(entries) < settings.trusted_hops:
        return peer
    return _plain(entries[0].strip()) or peer


@lru_cache(maxsize=4096)  # of whoever is here it is asked several times a request
def limit_key(address: str) -> str:
    """What limits count by: an IPv4 address, or the /64 of an IPv6 one (a household has 2^64 of those)."""
    try:
        parsed = parsed_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


@lru_cache(maxsize=4096)
def limit_prefixes(address: str) -> tuple[str, ...]:
    """Return the networks that failures of an address count for: /64, /56 and /48 of IPv6, the address of IPv4.

    Providers give a customer anything from a /64 to a /48, so that a /56 alone has 256 networks to fail from.
    """
    try:
        parsed = parsed_address(address)
    except ValueError:
        return (address,)
    if isinstance(parsed, ipaddress.IPv6Address):
        return tuple(str(ipaddress.ip_network((parsed, width), strict=False)) for width in (64, 56, 48))
    return (str(parsed),)


def parsed_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An address, an IPv4 one in the clothes of IPv6 (::ffff:203.0.113.9) as what it is; raises ValueError.

    A listener for both kinds, and some proxies, show every IPv4 address so.
    """
    address = ipaddress.ip_address(text)
    return (address.ipv4_mapped or address) if isinstance(address, ipaddress.IPv6Address) else address


def parsed_network(text: str) -> Network:
    """A network, or an address as one of its own; what is IPv4 is told so, as with addresses. Raises ValueError."""
    network = ipaddress.ip_network(text, strict=False)
    inner = network.network_address.ipv4_mapped if isinstance(network, ipaddress.IPv6Network) else None
    if inner is None or network.prefixlen < 96:
        return network
    return ipaddress.ip_network((inner, network.prefixlen - 96), strict=False)


def _peer(connection: HTTPConnection) -> str:
    return _shown(connection.client.host) if connection.client else "unknown"


@lru_cache(maxsize=4096)
def _shown(peer: str) -> str:
    try:
        return str(parsed_address(peer))
    except ValueError:
        return peer


def is_direct_from_loopback(connection: HTTPConnection) -> bool:
    """Whether the peer is this machine and no proxy stands between."""
    peer = _peer(connection)
    forwarded = any(
        name in connection.headers for name in ("x-forwarded-for", "forwarded", "via", "x-real-ip")
    )
    try:
        if forwarded or not ipaddress.ip_address(peer).is_loopback:
            return False
        # A page elsewhere whose name was turned to point here would still send its own name.
        host = urlsplit(f"//{connection.headers.get('host', '')}").hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_same_origin(connection: HTTPConnection, settings: Settings) -> bool | None:
    """Whether the page behind this connection is ours; None when a program sent it that says nothing.

    Browsers send Origin with every socket handshake and every unsafe request, so for a handshake
    take None as a program (it has no cookie of a person unless it was given one).
    """
    origin = connection.headers.get("origin")
    site = connection.headers.get("sec-fetch-site")
    if site in ("cross-site", "same-site"):
        return False
    if origin is None:
        return True if site in ("same-origin", "none") else None
    theirs = _origin(origin)
    if theirs is None:
        return False
    if settings.public_url:
        return theirs == _origin(settings.public_url)
    # Without a public address the Host header is what the person typed; the scheme is not compared,
    # because a TLS proxy in front would make an honest https page look foreign.
    host = connection.headers.get("host", "")
    return theirs == _origin(f"{theirs[0]}://{host}")


def _origin(url: str) -> tuple[str, str, int] | None:
    return _parsed_origin(url) if len(url) < 200 else _parsed_origin.__wrapped__(url)


@lru_cache(maxsize=256)
def _parsed_origin(url: str) -> tuple[str, str, int] | None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        return None
    return parts.scheme, parts.hostname, port or _DEFAULT_PORTS[parts.scheme]


def _plain(entry: str) -> str:
    """An address without port or brackets; empty when it is none."""
    text = entry.strip('"')
    if text.startswith("["):
        text = text[1:].split("]", 1)[0]
    elif text.count(":") == 1:
        text = text.split(":", 1)[0]
    try:
        return str(parsed_address(text))
    except ValueError:
        return ""
