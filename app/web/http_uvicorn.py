"""HTTP under uvicorn with bounds on what a peer may send before it has asked for anything.

The fast parser keeps a request's head, however long, until it is whole, and waits for it for ever. Here a
head has so many bytes and so many seconds; without a proxy in front nothing else would stop a peer.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = ["CarefulHttp"]

HEAD_BYTES = 32_768
HEAD_SECONDS = 15.0


class CarefulHttp(HttpToolsProtocol):
    """Give it to uvicorn as `http`."""

    _is_in_head = True
    _has_ended = False
    _head_bytes = 0
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_in_head and self._head_timer is None:
            self._begin_timer()  # the next request on a connection that was kept
        self._has_ended = False
        super().data_received(data)
        # What ended a request was its body, which has bounds of its own (guard.py), not the next one's head.
        if self._is_in_head and not self._has_ended and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES:
                self._end_timer()
                self.send_400_response("The head of this request is too long.")

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._head_bytes = 0
        self._end_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._is_in_head = True
        self._has_ended = True
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """As when a connection is lost: parser and protocol hold each other, and the request with all its headers.
        Five kilobytes a socket would wait for the collector, which comes seldom.
        """
        super().handle_websocket_upgrade()
        self.parser = None  # type: ignore[assignment]

    def _begin_timer(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _end_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
