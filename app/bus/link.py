"""One connection to Redis that both publishes and subscribes (RESP3: Redis 6, Valkey).

Built on redis-py's connection class, which connects, authenticates, speaks TLS and parses. Its client and pub/sub
classes are not used: they need a connection each and take more CPU per message.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Self

from redis.asyncio.connection import AbstractConnection, Connection, SSLConnection, parse_url
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError

_OPEN_TIMEOUT_SECONDS = 3.0  # to connect and receive the reply to HELLO
_SETTINGS = ("host", "port", "path", "username", "password")  # taken from the URL
_TLS_SETTINGS = (
    "ssl_keyfile",
    "ssl_certfile",
    "ssl_cert_reqs",
    "ssl_ca_certs",
    "ssl_check_hostname",
    "ssl_password",
)
_PUSH = object()  # placeholder for a push among the values read; the push has been handled already

Command = Sequence[bytes]
OnPush = Callable[[list[Any]], None]
"""Receives a push: its kind (message, subscribe, unsubscribe), the channel, and the data or a count."""

LINK_ERRORS = (RedisError, OSError, TimeoutError)


class Link:
    """An open connection. `read` must run while it is in use, and ends when the connection does."""

    def __init__(self, connection: AbstractConnection, on_push: OnPush) -> None:
        self._connection = connection
        self._on_push = on_push
        # For each batch of commands sent, in order: the replies so far, how many are expected, and the future.
        self._pending: deque[tuple[list[Any], int, asyncio.Future[list[Any]]]] = deque()
        # These two have no public API in redis-py, whose `disconnect` waits until the peer has read everything.
        parser: Any = connection._parser
        parser.set_pubsub_push_handler(self._handle_push)
        assert connection._writer is not None
        self._transport = connection._writer.transport

    @classmethod
    async def open(cls, url: str, on_push: OnPush) -> Self:
        """Connect and authenticate. Raise one of LINK_ERRORS."""
        parameters: dict[str, Any] = {**parse_url(url)}
        connection_class = parameters.pop("connection_class", Connection)
        # Other parameters are ignored: channels do not belong to a database, and timeouts are set here.
        names = _SETTINGS + (_TLS_SETTINGS if connection_class is SSLConnection else ())
        settings = {name: parameters[name] for name in names if name in parameters}
        connection = connection_class(**settings, protocol=3, socket_timeout=None, driver_info=None)
        async with asyncio.timeout(_OPEN_TIMEOUT_SECONDS):
            await connection.connect()
        return cls(connection, on_push)

    async def read(self) -> None:
        """Handle incoming data until the connection ends. Raise one of LINK_ERRORS, or what `on_push` raised."""
        try:
            while True:
                value: Any
                try:
                    value = await self._connection.read_response(
                        disable_decoding=True, timeout=math.inf, push_request=True
                    )
                except ResponseError as error:
                    value = error
                if value is not _PUSH:
                    self._handle_reply(value)
        finally:
            self.close()
            await self._connection.disconnect(nowait=True)
            for _, _, future in self._pending:
                if not future.done():
                    future.set_exception(RedisConnectionError("the connection is closed"))
            self._pending.clear()

    async def send(self, *words: bytes) -> None:
        """Send a command without waiting for a reply. (A subscription is confirmed by a push.)"""
        if not self._connection.is_connected:  # otherwise redis-py would reconnect
            raise RedisConnectionError("the connection is closed")
        await self._connection.send_packed_command(self._connection.pack_command(*words), check_health=False)

    async def execute(self, commands: Sequence[Command]) -> list[Any]:
        """Send these commands in one write and return their replies. Raise one of LINK_ERRORS if any of them failed."""
        connection = self._connection
        if not connection.is_connected:
            raise RedisConnectionError("the connection is closed")
        future: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
        self._pending.append(([], len(commands), future))
        try:
            await connection.send_packed_command(connection.pack_commands(commands), check_health=False)
            return await future
        finally:
            future.cancel()  # no-op unless this caller failed or was cancelled

    def close(self) -> None:
        """Abort the connection; `read` and waiting callers raise an error."""
        self._transport.abort()

    async def _handle_push(self, push: list[Any]) -> object:
        self._on_push(push)
        return _PUSH

    def _handle_reply(self, value: Any) -> None:
        replies, count, future = self._pending[0]
        replies.append(value)
        if len(replies) < count:
            return
        self._pending.popleft()
        if future.done():  # the caller was cancelled
            return
        error = next((reply for reply in replies if isinstance(reply, ResponseError)), None)
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(replies)
