"""The HTTP side of a program that plays: create or find a table, sit down, get ready, start."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from app.client.errors import ApiError, ClientError, Unreachable, unreachable
from app.client.protocol import fresh_id
from app.client.sealing import Keeper
from app.rules import Json

PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds between the tries to reach a server that does not answer; after the last one it is given up."""
LONGEST_WAIT = 60.0
"""A server that asks for more patience than this at once is not waited for: somebody should know."""
MOST_WAITS = 20


class Api:
    """One program with its bearer token on one server.

    A server that cannot be reached is tried again after each of PAUSES; one that says "too much" or "busy"
    (429, 503) is asked again when it said, at most MOST_WAITS times; so is a proxy without its server (502, 504).
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
        self.base = _checked(base)
        self.headers = {"Authorization": f"Bearer {_ascii(token, 'token')}"}
        if password is not None:
            self.headers["X-Room-Password"] = _ascii(password, "password")
        self._http = http or httpx.AsyncClient(timeout=30)
        self.sleep = sleep
        self._keepers: dict[str, Keeper] = {}

    async def __aenter__(self) -> Api:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def ask(self, method: str, path: str, body: Json | None = None) -> Json:
        for _ in range(MOST_WAITS):
            answer = await self._sent(method, path, body)
            if not _is_to_be_repeated(answer, method, body):
                return _value(answer)
            wait = _seconds_to_wait(answer)
            if wait > LONGEST_WAIT:
                _value(answer, f" The server asks to wait {wait / 60:.0f} minutes; start again then.")
            await self.sleep(wait)
        return _value(answer)

    async def _sent(self, method: str, path: str, body: Json | None) -> httpx.Response:
        may_repeat = _is_safe(method, body)
        for pause in (*PAUSES, None):
            try:
                return await self._http.request(
                    method, f"{self.base}/api/v1{path}", json=body, headers=self.headers
                )
            except httpx.InvalidURL:
                raise _no_address(self.base) from None
            except httpx.HTTPError as problem:
                found = unreachable(self.base, problem)
                was_sent = not isinstance(problem, httpx.ConnectError | httpx.ConnectTimeout)
                if pause is None or found.is_final or (was_sent and not may_repeat):
                    raise found from problem
            await self.sleep(pause)
        raise AssertionError("the last try raises or returns")

    async def create(self, options: Json, **terms: Any) -> str:
        """Open a table; its id."""
        return str((await self.ask("POST", "/games", {"options": options, **terms}))["id"])

    async def state(self, game: str) -> Json:
        """The table as this program's seat sees it."""
        return await self.ask("GET", f"/games/{quote(game, safe='')}")

    async def seen(self, game: str) -> Json:
        """What this program's seat has seen so far: `view` at the opening, `steps` of events, up to `seq`."""
        return await self.ask("GET", f"/games/{quote(game, safe='')}/seen")

    async def command(self, game: str, do: str, **fields: Any) -> Json:
        """Any command of docs/protocol.md §2, with a fresh id."""
        path = f"/games/{quote(game, safe='')}/commands"
        return await self.ask("POST", path, {"do": do, "id": fresh_id(), **fields})

    async def sit(self, game: str, seat: int | None = None) -> None:
        """Sit down and be ready. The nonce stays here; what is kept of it is `keeper(game)`."""
        where = {} if seat is None else {"seat": seat}
        table = (await self.state(game))["table"]
        await self.command(game, "sit", **self.keeper(game).sit(table), **where)
        await self.command(game, "ready", ready=True)

    async def add_bot(self, game: str, level: str) -> None:
        await self.command(game, "bot", level=level)

    async def start(self, game: str) -> None:
        """Begin. Where seats are sealed everybody's client must open first: `play_seat` does."""
        await self.command(game, "start")

    def keeper(self, game: str) -> Keeper:
        """What this program keeps of a table's chance."""
        return self._keepers.setdefault(game, Keeper())

    async def record(self, game: str) -> Json:
        """The record of a finished game."""
        return await self.ask("GET", f"/games/{quote(game, safe='')}/record")


def _is_safe(method: str, body: Json | None) -> bool:
    """Whether it may be sent twice: what has no id would be done twice if its answer alone was lost."""
    return method == "GET" or (body is not None and "id" in body)


def _is_to_be_repeated(answer: httpx.Response, method: str, body: Json | None) -> bool:
    """Busy, or a proxy whose worker went away with the request: then nobody knows whether it was done."""
    return answer.status_code in (429, 503) or (answer.status_code in (502, 504) and _is_safe(method, body))


def _checked(base: str) -> str:
    try:
        parts = urlsplit(base)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise _no_address(base)
    return base.rstrip("/")


def _no_address(base: str) -> Unreachable:
    return Unreachable(f"{base!r} is not the address of a server; write it like https://example.org.")


def _ascii(secret: str, what: str) -> str:
    """What travels in a header."""
    if not (secret.isascii() and secret.isprintable()):
        raise ClientError(f"The {what} has a character that HTTP cannot carry; check it, or use another one.")
    return secret


def _seconds_to_wait(answer: httpx.Response) -> float:
    said = answer.headers.get("Retry-After", "")
    return max(0.1, float(said)) if said.isdecimal() else 1.0


def _value(answer: httpx.Response, advice: str = "") -> Json:
    """The JSON of an answer; raises ApiError where it is a refusal."""
    try:
        value = answer.json()
    except ValueError:
        value = None
    if answer.has_redirect_location:
        raise Unreachable(
            f"{answer.request.url} sends us on to {answer.headers['Location']}; give the address it leads to."
        )
    if not isinstance(value, dict):
        raise Unreachable(
            f"{answer.request.url} answered {answer.status_code}, not as a Cartagena server does; "
            "check the address."
        )
    if answer.is_error:
        problem = value.get("error")
        problem = problem if isinstance(problem, dict) else {}
        message = str(problem.get("message", "")) or "The server did not say why."
        if answer.status_code == 401:
            advice = " The token is wrong or was removed: make a new one on the account page."
        raise ApiError(str(problem.get("code", answer.status_code)), message + advice)
    return value
