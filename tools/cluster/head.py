"""The head of an HTTP request: enough of it for a proxy, rewritten so that one connection is one request."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BadHead", "Head"]

_SAFE = frozenset((b"GET", b"HEAD"))


class BadHead(ValueError):
    """Not a head that can be passed on."""


@dataclass(frozen=True)
class Head:
    """A request line and its headers, names in lower case."""

    line: bytes
    headers: tuple[tuple[bytes, bytes], ...]

    @classmethod
    def parse(cls, raw: bytes) -> Head:
        """From the bytes up to and with the empty line."""
        line, *rest = raw.removesuffix(b"\r\n\r\n").split(b"\r\n")
        words = line.split(b" ")
        if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
            raise BadHead("no request line")
        headers = []
        for each in rest:
            name, colon, value = each.partition(b":")
            if not colon or not name or name != name.strip():
                raise BadHead("no header")
            headers.append((name.lower(), value.strip()))
        return cls(line, tuple(headers))

    def values(self, name: bytes) -> list[bytes]:
        return [value for each, value in self.headers if each == name]

    @property
    def method(self) -> bytes:
        return self.line.split(b" ", 1)[0]

    @property
    def is_upgrade(self) -> bool:
        """Whether a WebSocket is asked for: then the connection lives on after the answer."""
        return any(value.lower() == b"websocket" for value in self.values(b"upgrade"))

    @property
    def body_length(self) -> int | None:
        """Bytes that follow; None when only the sender knows (chunks)."""
        if self.values(b"transfer-encoding"):
            return None
        lengths = self.values(b"content-length")
        if not lengths:
            return 0
        if len(set(lengths)) != 1 or not lengths[0].isdigit():
            raise BadHead("no length")
        return int(lengths[0])

    @property
    def may_repeat(self) -> bool:
        """Whether the request can be asked of another worker although this one may have begun with it."""
        return self.method in _SAFE and self.body_length == 0

    def passed_on(self, client: str) -> bytes:
        """The head for a worker: who asked, and that the connection ends with the answer."""
        kept = [(name, value) for name, value in self.headers if self.is_upgrade or name != b"connection"]
        if not self.is_upgrade:
            kept.append((b"connection", b"close"))
        kept.append((b"x-forwarded-for", client.encode()))
        lines = [self.line, *(name + b": " + value for name, value in kept)]
        return b"\r\n".join(lines) + b"\r\n\r\n"
