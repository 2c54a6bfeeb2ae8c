"""The HTTP side of a program that plays: create or find a table, sit down, get ready, start."""

from __future__ import annotations

import secrets
from types import TracebackType
from typing import Any

import httpx

__all__ = ["Api", "ApiError"]

Json = dict[str, Any]


class ApiError(Exception):
    """The server refused; `code` is stable, the message is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Api:
    """One program with its bearer token on one server."""

    def __init__(
        self, base: str, token: str, *, password: str | None = None, http: httpx.AsyncClient | None = None
    ) -> None:
        self.base = base.rstrip("/")
        self.headers = {"Authorization": f"Bearer {token}"}
        if password is not None:
            self.headers["X-Room-Password"] = password
        self._http = http or httpx.AsyncClient(timeout=30)

    async def __aenter__(self) -> Api:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def ask(self, method: str, path: str, body: Json | None = None) -> Json:
        answer = await self._http.request(
            method, f"{self.base}/api/v1{path}", json=body, headers=self.headers
        )
        try:
            value = answer.json()
        except ValueError:
            raise ApiError("bad_answer", f"the server answered {answer.status_code} without JSON") from None
        if answer.is_error:
            problem = value.get("error", {}) if isinstance(value, dict) else {}
            raise ApiError(str(problem.get("code", answer.status_code)), str(problem.get("message", "")))
        result: Json = value
        return result

    async def create(self, options: Json, **terms: Any) -> str:
        """Open a table; its id."""
        return str((await self.ask("POST", "/games", {"options": options, **terms}))["id"])

    async def state(self, game: str) -> Json:
        """The table as this program's seat sees it."""
        return await self.ask("GET", f"/games/{game}")

    async def seen(self, game: str) -> Json:
        """What this program's seat has seen so far: `view` at the opening, `steps` of events, up to `seq`."""
        return await self.ask("GET", f"/games/{game}/seen")

    async def command(self, game: str, do: str, **fields: Any) -> Json:
        """Any command of docs/protocol.md §2, with a fresh id."""
        return await self.ask("POST", f"/games/{game}/commands", {"do": do, "id": fresh_id(), **fields})

    async def sit(self, game: str, seat: int | None = None) -> None:
        where = {} if seat is None else {"seat": seat}
        await self.command(game, "sit", nonce=secrets.token_hex(16), **where)
        await self.command(game, "ready", ready=True)

    async def add_bot(self, game: str, level: str) -> None:
        await self.command(game, "bot", level=level)

    async def start(self, game: str) -> None:
        await self.command(game, "start")


def fresh_id() -> str:
    return secrets.token_hex(12)
