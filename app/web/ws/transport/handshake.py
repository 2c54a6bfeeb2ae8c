"""The opening handshake as pure functions: the `websockets` library parses the request and writes the response."""

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
from app.web.ws.transport.framing import SILENT_LOGGER

RawHeaders = Iterable[tuple[bytes, bytes]]

# The library's default for a line is 8 KB. Cookies of other apps on the same host may be longer, and the HTTP protocol
# accepts them: a client that can open a page must be able to open its socket.
http11.MAX_LINE_LENGTH = MAX_HEAD_BYTES


class _HandshakeProtocol(ServerProtocol):
    """Adds the security headers to every response that opens no socket, including the library's own."""

    def send_response(self, response: Response) -> None:
        if response.status_code != http.HTTPStatus.SWITCHING_PROTOCOLS:
            for name, value in SECURITY_HEADERS.items():
                response.headers.setdefault(name, value)
        super().send_response(response)


def read_request(head: bytes, root_path: str) -> tuple[dict[str, Any], Response] | bytes:
    """Parse the whole head of a request. Return the request's fields of the ASGI scope and the response that would
    accept it, or the bytes of the response if it is not a valid handshake.
    """
    library = _HandshakeProtocol(logger=SILENT_LOGGER)
    library.receive_data(head)
    events = library.events_received()
    if events and isinstance(events[0], Request):
        request = events[0]
        response = library.accept(request)
        if response.status_code == http.HTTPStatus.SWITCHING_PROTOCOLS:
            return _scope_fields(request, root_path), response
        library.send_response(response)
    return b"".join(library.data_to_send())


def _scope_fields(request: Request, root_path: str) -> dict[str, Any]:
    path, _, query = request.path.partition("?")
    protocols = request.headers.get_all("Sec-WebSocket-Protocol")
    return {
        "root_path": root_path,
        "path": root_path + unquote(path),
        "raw_path": (root_path + path).encode("ascii"),
        "query_string": query.encode("ascii"),
        "headers": [
            (name.encode("ascii"), value.encode("latin-1")) for name, value in request.headers.raw_items()
        ],
        "subprotocols": [name.strip() for line in protocols for name in line.split(",")],
    }


def encode_acceptance(response: Response, headers: RawHeaders, subprotocol: str | None) -> bytes:
    """Return the bytes of the response that opens the socket, with the app's headers added."""
    for raw_name, value in headers:
        name = raw_name.decode("latin-1")
        if name.lower() == "date":
            del response.headers["Date"]
        response.headers[name] = value.decode("latin-1")
    if subprotocol:
        response.headers["Sec-WebSocket-Protocol"] = subprotocol
    return response.serialize()


def encode_denial(status: int, headers: RawHeaders = (), body: bytes = b"") -> bytes:
    """Return the bytes of an HTTP response that opens no socket."""
    sent = Headers((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers)
    defaults = {
        "Date": email.utils.formatdate(usegmt=True),
        "Connection": "close",
        "Content-Length": str(len(body)),
        "Content-Type": "text/plain; charset=utf-8",
        **SECURITY_HEADERS,
    }
    for name, value in defaults.items():
        sent.setdefault(name, value)
    return Response(status, http.HTTPStatus(status).phrase, sent, body).serialize()
