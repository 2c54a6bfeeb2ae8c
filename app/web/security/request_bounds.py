"""Bounds on a request, checked before parsing: address, Host, number of headers, cookies, body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from ipaddress import IPv6Address

from starlette.types import Scope

from app.web.errors import Refused

MAX_HEAD_BYTES = 16_384
MAX_PATH_BYTES = 2048
MAX_QUERY_BYTES = 2048
MAX_QUERY_FIELDS = 64
MAX_HOST_BYTES = 255
MAX_HEADERS = 100
MAX_FOREIGN_COOKIE_BYTES = 1024
"""A longer Cookie header is reduced to this server's own cookies."""

DEFAULT_BODY_BYTES = 16_384
TRIAL_BODY_BYTES = 200_000
RECORD_PATH = "/replay/steps"
_TRIAL_PATH = re.compile(r"/g/[^/]+/try")

FREE_BYTES_PER_REQUEST = 4096
"""Bytes included in the price of one request."""
BYTES_PER_EXTRA_REQUEST = 8192
"""Additional bytes that cost as much as another request."""

_HOST = re.compile(rb"(?:[A-Za-z0-9._-]+|\[([0-9A-Fa-f:.]+)\])(?::([0-9]{1,5}))?")


class AddressTooLong(Refused):
    """The path or the query is longer than any address of this server."""

    status, code = 414, "address_too_long"
    message = f"The path and the query of an address may have at most {MAX_QUERY_BYTES} bytes each."


class BadHost(Refused):
    """The Host header is not a host name or address."""

    status, code = 400, "bad_host"
    message = "The Host header must be one host name or address, optionally with a port."


class TooManyHeaders(Refused):
    """The request has more headers than any browser or proxy sends."""

    status, code, message = 431, "too_many_headers", f"A request may have at most {MAX_HEADERS} headers."


def check_head(scope: Scope) -> None:
    """Raise Refused if the head of an HTTP request or WebSocket handshake is out of bounds."""
    query: bytes = scope["query_string"]
    if (
        len(query) > MAX_QUERY_BYTES
        or query.count(b"&") >= MAX_QUERY_FIELDS
        or len(scope["path"]) > MAX_PATH_BYTES
    ):
        raise AddressTooLong
    headers = scope["headers"]
    if len(headers) > MAX_HEADERS:
        raise TooManyHeaders
    hosts = [value for name, value in headers if name == b"host"]
    if len(hosts) > 1 or (hosts and not is_host(hosts[0])):
        raise BadHost


def is_head_in_bounds(scope: Scope) -> bool:
    """Return whether `check_head` accepts it."""
    try:
        check_head(scope)
    except Refused:
        return False
    return True


def is_host(value: bytes) -> bool:
    """Return whether this is a valid Host header; it may be empty, as in HTTP/1.0."""
    return len(value) <= MAX_HOST_BYTES and (not value or _is_host(value))


@lru_cache(maxsize=64)
def _is_host(value: bytes) -> bool:
    found = _HOST.fullmatch(value)
    if found is None or int(found[2] or 0) > 65_535:
        return False
    if found[1] is not None:
        try:
            IPv6Address(found[1].decode())
        except ValueError:
            return False
    return True


def strip_foreign_cookies(
    headers: Iterable[tuple[bytes, bytes]], own: frozenset[bytes]
) -> list[tuple[bytes, bytes]]:
    """Return the headers with long Cookie headers reduced to the cookies named in `own`.

    Cookies are parsed several times per request, and a header of 16 KB can hold 8,000 of them.
    """
    return [
        (name, b"; ".join(_own_cookie_pattern(own).findall(value)))
        if name == b"cookie" and len(value) > MAX_FOREIGN_COOKIE_BYTES
        else (name, value)
        for name, value in headers
    ]


@cache
def _own_cookie_pattern(own: frozenset[bytes]) -> re.Pattern[bytes]:
    return re.compile(rb"(?:^|;) ?((?:" + b"|".join(sorted(own)) + rb")=[^;]*)")


def max_body_bytes(path: str, record_bytes: int) -> int:
    """Return the largest body that this path accepts; `record_bytes` is the setting for uploaded records."""
    if path == RECORD_PATH:
        return record_bytes
    return min(record_bytes, TRIAL_BODY_BYTES if _TRIAL_PATH.fullmatch(path) else DEFAULT_BODY_BYTES)


def declared_body_bytes(headers: Mapping[str, str], limit: int) -> int:
    """Return the declared length of the body; `limit` for a chunked body, whose length is unknown."""
    if "transfer-encoding" in headers:
        return limit
    declared = headers.get("content-length", "0")
    return int(declared) if declared.isascii() and declared.isdigit() and len(declared) < 20 else 0


def request_cost(scope: Scope, body: int) -> float:
    """Return the price, in requests, of the bytes beyond those that one request includes."""
    head = len(scope["path"]) + len(scope["query_string"])
    head += sum(len(name) + len(value) for name, value in scope["headers"])
    return max(0, head + body - FREE_BYTES_PER_REQUEST) / BYTES_PER_EXTRA_REQUEST
