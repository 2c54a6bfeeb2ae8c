"""A socket's opening handshake: the `websockets` library reads the request and words the answer."""

from __future__ import annotations

import email.utils
import http
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

from websockets import http11
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from app.web.security.raw_response import SECURITY_HEADERS
from app.web.security.request_bounds import MAX_HEAD_BYTES
from app.web.ws.transport.framing import SILENT

_PairsOfBytes = Iterable[tuple[bytes, bytes]]


# The library's default for a line is 8 KB. Cookies of other apps on the same host may be longer, and the HTTP protocol
# accepts them: a client that can open a page must be able to open its socket.
http11.MAX_LINE_LENGTH = MAX_HEAD_BYTES


class _Library(ServerProtocol):
    """Adds the security headers to every response that opens no socket, the library's own included."""

    def send_response(self, response: Response) -> None:
        if response.status_code != http.HTTPStatus.SWITCHING_PROTOCOLS:
            for name, value in SECURITY_HEADERS.items():
                response.headers.setdefault(name, value)
        super().send_response(response)


class Handshake:
    """From the request's head to its answer. Every answer is given once, as bytes."""

    __slots__ = ("_library", "_response", "denial", "is_read")

    def __init__(self) -> None:
        self._library = _Library(logger=SILENT)
        self._response: Response | None = None
        self.is_read = False
        self.denial: tuple[int, _PairsOfBytes, bytes] = (
            500,
            (),
            b"",
        )  # an answer of the app's own, as it grows

    def read(self, head: bytes, scope: dict[str, Any]) -> dict[str, Any] | None:
        """The whole head of a request; `scope` with what it says, or None when `refused` has the answer."""
        self.is_read = True
        self._library.receive_data(head)
        events = self._library.events_received()
        if not events or not isinstance(events[0], Request):
            return None
        request = events[0]
        self._response = self._library.accept(request)
        if self._response.status_code != http.HTTPStatus.SWITCHING_PROTOCOLS:
            self._library.send_response(self._response)
            return None
        path, _, query = request.path.partition("?")
        root = scope["root_path"]
        protocols = request.headers.get_all("Sec-WebSocket-Protocol")
        return {
            **scope,
            "path": root + unquote(path),
            "raw_path": (root + path).encode("ascii"),
            "query_string": query.encode("ascii"),
            "headers": [
                (name.encode("ascii"), value.encode("latin-1")) for name, value in request.headers.raw_items()
            ],
            "subprotocols": [each.strip() for line in protocols for each in line.split(",")],
        }

    def refused(self) -> bytes:
        """The library's answer to a request that is none for a socket."""
        return b"".join(self._library.data_to_send())

    def accepted(self, headers: _PairsOfBytes, subprotocol: str | None) -> bytes:
        assert self._response is not None
        for name, value in headers:
            text = name.decode("latin-1")
            if text.lower() == "date":
                del self._response.headers["Date"]
            self._response.headers[text] = value.decode("latin-1")
        if subprotocol:
            self._response.headers["Sec-WebSocket-Protocol"] = subprotocol
        self._library.send_response(self._response)
        return b"".join(self._library.data_to_send())

    def denied(self, status: int, headers: _PairsOfBytes = (), body: bytes = b"") -> bytes:
        """Another answer than a socket."""
        sent = Headers((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers)
        sent.setdefault("Date", email.utils.formatdate(usegmt=True))
        sent.setdefault("Connection", "close")
        sent.setdefault("Content-Length", str(len(body)))
        sent.setdefault("Content-Type", "text/plain; charset=utf-8")
        self._library.send_response(Response(status, http.HTTPStatus(status).phrase, sent, body))
        return b"".join(self._library.data_to_send())
