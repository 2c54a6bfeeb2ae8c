"""HTTP client for bot programs: create or find a table, sit down, get ready, start."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from app.client.errors import ApiError, ClientError, Unreachable, unreachable
from app.client.protocol import new_command_id
from app.client.sealing import SealKeeper
from app.rules import Json

RETRY_PAUSES_SECONDS = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Pauses between attempts to reach a server that does not respond; after the last one the client gives up."""
MAX_WAIT_SECONDS = 60.0
"""The longest Retry-After that is waited for. A longer one is reported to the user instead."""
MAX_WAITS = 20


class Api:
    """One bot program with its bearer token on one server.

    An unreachable server is tried again after each of RETRY_PAUSES_SECONDS. After 429 or 503 a request is repeated
    when Retry-After says, at most MAX_WAITS times; after 502 or 504 as well, if repeating it is safe.
    """

    def __init__(
        self,
        base: str,
        token: str,
        *,
        password: str | None = None,
        http: httpx.AsyncClient | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.base = _check_base_url(base)
        self.headers = {"Authorization": f"Bearer {_check_header_value(token, 'token')}"}
        if password is not None:
            self.headers["X-Room-Password"] = _check_header_value(password, "password")
        self._http = http or httpx.AsyncClient(timeout=30)
        self.sleep = sleep
        self._keepers: dict[str, SealKeeper] = {}

    async def __aenter__(self) -> Api:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def request(self, method: str, path: str, body: Json | None = None) -> Json:
        for _ in range(MAX_WAITS):
            answer = await self._send(method, path, body)
            if not _should_retry(answer, method, body):
                return _parse_answer(answer)
            wait = _seconds_to_wait(answer)
            if wait > MAX_WAIT_SECONDS:
                _parse_answer(answer, f" The server asks to wait {wait / 60:.0f} minutes; try again then.")
            await self.sleep(wait)
        return _parse_answer(answer)

    async def _send(self, method: str, path: str, body: Json | None) -> httpx.Response:
        may_repeat = _is_safe(method, body)
        for pause in (*RETRY_PAUSES_SECONDS, None):
            try:
                return await self._http.request(
                    method, f"{self.base}/api/v1{path}", json=body, headers=self.headers
                )
            except httpx.InvalidURL:
                raise _bad_address(self.base) from None
            except httpx.HTTPError as problem:
                error = unreachable(self.base, problem)
                was_sent = not isinstance(problem, httpx.ConnectError | httpx.ConnectTimeout)
                if pause is None or error.is_final or (was_sent and not may_repeat):
                    raise error from problem
            await self.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    async def create(self, options: Json, **terms: Any) -> str:
        """Create a table and return its id."""
        return str((await self.request("POST", "/games", {"options": options, **terms}))["id"])

    async def state(self, game: str) -> Json:
        """Return the table as this program's seat sees it."""
        return await self.request("GET", f"/games/{quote(game, safe='')}")

    async def seen(self, game: str) -> Json:
        """Return what this program's seat has seen: `view` at the start, `steps` of events, up to `seq`."""
        return await self.request("GET", f"/games/{quote(game, safe='')}/seen")

    async def command(self, game: str, do: str, **fields: Any) -> Json:
        """Send any command of docs/protocol.md §2, with a new id."""
        path = f"/games/{quote(game, safe='')}/commands"
        return await self.request("POST", path, {"do": do, "id": new_command_id(), **fields})

    async def sit(self, game: str, seat: int | None = None) -> None:
        """Sit down and get ready. The nonce stays on this side, in `keeper(game)`."""
        seat_field = {} if seat is None else {"seat": seat}
        table = (await self.state(game))["table"]
        await self.command(game, "sit", **self.keeper(game).sit_fields(table), **seat_field)
        await self.command(game, "ready", ready=True)

    async def add_bot(self, game: str, level: str) -> None:
        await self.command(game, "bot", level=level)

    async def start(self, game: str) -> None:
        """Start the game. With sealed seats every client must open its seal first; `play_seat` does."""
        await self.command(game, "start")

    def keeper(self, game: str) -> SealKeeper:
        """Return the seals and nonces that this program has kept for a table."""
        return self._keepers.setdefault(game, SealKeeper())

    async def record(self, game: str) -> Json:
        """Return the record of a finished game."""
        return await self.request("GET", f"/games/{quote(game, safe='')}/record")


def _is_safe(method: str, body: Json | None) -> bool:
    """Return whether a request may be repeated. Without an id it would be carried out twice if its answer was lost."""
    return method == "GET" or (body is not None and "id" in body)


def _should_retry(answer: httpx.Response, method: str, body: Json | None) -> bool:
    """Return whether to repeat a request: the server is busy, or a proxy lost its worker and repeating is safe."""
    return answer.status_code in (429, 503) or (answer.status_code in (502, 504) and _is_safe(method, body))


def _check_base_url(base: str) -> str:
    try:
        parts = urlsplit(base)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise _bad_address(base)
    return base.rstrip("/")


def _bad_address(base: str) -> Unreachable:
    return Unreachable(f"{base!r} is not a server address; it must look like https://example.org.")


def _check_header_value(secret: str, what: str) -> str:
    """Return a header's value, checked to be printable ASCII."""
    if not (secret.isascii() and secret.isprintable()):
        raise ClientError(
            f"The {what} contains characters that HTTP headers cannot contain; check it, or use another one."
        )
    return secret


def _seconds_to_wait(answer: httpx.Response) -> float:
    retry_after = answer.headers.get("Retry-After", "")
    return max(0.1, float(retry_after)) if retry_after.isdecimal() else 1.0


def _parse_answer(answer: httpx.Response, advice: str = "") -> Json:
    """Return the JSON of an answer. Raise ApiError for a refusal."""
    try:
        value = answer.json()
    except ValueError:
        value = None
    if answer.has_redirect_location:
        raise Unreachable(
            f"{answer.request.url} redirects to {answer.headers['Location']}; use that address."
        )
    if not isinstance(value, dict):
        raise Unreachable(
            f"{answer.request.url} answered {answer.status_code}, unlike a Cartagena server; "
            "check the address."
        )
    if answer.is_error:
        problem = value.get("error")
        problem = problem if isinstance(problem, dict) else {}
        message = str(problem.get("message", "")) or "The server gave no reason."
        if answer.status_code == 401:
            advice = " The token is wrong or was removed; create a new one on the account page."
        raise ApiError(str(problem.get("code", answer.status_code)), message + advice)
    return value
