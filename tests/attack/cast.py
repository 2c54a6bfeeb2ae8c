"""Everybody who might call and a table in every state, on one real server whose store is then frozen.

Frozen: nothing can be written any more. A command that would be accepted is answered `try_again`, which is
how the test knows, and the table stays as it is for the next one.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from app import rules
from app.client.sealing import Keeper
from app.play.ports import StoreUnavailable
from tests.play.simple_bot import SimpleBot
from tests.play.stage import exchange, stored_by
from tests.sockets.running_server import RunningServer, in_process

LOCK = "open sesame"
OPERATOR = "a-collectors-token"
PASSWORD = "plank, parrot, doubloon"
STATES = ("open", "locked", "unlisted", "playing", "unwatched", "paused", "over", "aborted", "closed")
# In seat order: the host is to act, the one who is banned later has a seat like the others.
SEATED = ("host", "seated", "program", "banned")
ROLES = (*SEATED, "nobody", "stranger", "spectator", "account", "wrong token", "operator")
OPTIONS = {"preset": "jamaica", "players": 5, "first": 0}


class Cast:
    """Callers by role, tables by state."""

    def __init__(self, server: RunningServer) -> None:
        self.server = server
        self.callers: dict[str, httpx.AsyncClient] = {}
        self.people: dict[str, str] = {}
        self.rooms: dict[str, str] = {}

    def caller(self, **headers: str) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.server.base, headers=headers, timeout=300)

    async def guest(self, role: str) -> httpx.AsyncClient:
        http = self.callers[role] = self.caller(Origin=self.server.base)
        answer = await http.post("/api/v1/me", json={"name": f"The {role} {secrets.token_hex(2)}"})
        self.people[role] = answer.json()["person"]["id"]
        return http

    async def command(self, role: str, state: str, body: dict[str, Any]) -> httpx.Response:
        headers = {"X-Room-Password": LOCK} if role == "spectator" else {}
        return await self.callers[role].post(
            f"/api/v1/games/{self.rooms[state]}/commands",
            json={"id": secrets.token_urlsafe(9), **body},
            headers=headers,
        )

    async def do(self, role: str, state: str, do: str, **fields: Any) -> None:
        answer = await self.command(role, state, {"do": do, **fields})
        assert answer.status_code == 200, f"{role} {state} {do}: {answer.text}"

    def bodies(self, state: str) -> dict[str, dict[str, Any]]:
        """Of every command one that its rightful sender could send now."""
        room = self.server.game_server.rooms.loaded(self.rooms[state])
        assert room is not None
        position, seq = room.table.position, room.table.seq
        action: dict[str, Any] = {"type": "end"}
        if position is not None and position.winner is None:
            action = rules.action_to_json(rules.legal(position, 0)[0])
        return {
            "act": {"version": seq, "action": action},
            "undo": {"version": seq},
            "sit": {"seal": "0" * 64},
            "seal": {"seal": "1" * 64},
            "open": {"nonce": "0" * 32, "next_seal": "2" * 64},
            "void": {"next_seal": "2" * 64},
            "stand": {},
            "colour": {"colour": "violet"},
            "ready": {"ready": False},
            "start": {},
            "remove": {"seat": 1},
            "bot": {"level": "sailor", "seat": 4},
            "close": {},
            "password": {"password": "another"},
            "host": {"seat": 1},
            "consent": {"to": "continue" if state == "paused" else "pause", "yes": True},
            "vote": {"seat": 1, "choice": "end"},
            "return": {},
            "rematch": {},
            "hint": {"version": seq},
            "chat": {"preset": "hello"},
            "mute": {"person": self.people["host"], "on": True},
            "close_chat": {"closed": True},
            "pace": {"pace": "fast"},
        }


@asynccontextmanager
async def assembled(database_url: str) -> AsyncIterator[Cast]:
    async with in_process(database_url, metrics_token=OPERATOR, rooms_per_guest=100) as server:
        exchange(server.game_server, bots=SimpleBot())
        cast = Cast(server)
        try:
            await _people(cast)
            for state in STATES:
                await _table(cast, state)
            await _settle(cast)
            yield cast
        finally:
            for http in cast.callers.values():
                await http.aclose()


async def _people(cast: Cast) -> None:
    for role in ("host", "seated", "banned", "stranger", "spectator", "account"):
        await cast.guest(role)
    await cast.callers["account"].post("/api/v1/account/register", json={"password": PASSWORD})
    owner = await cast.guest("program")
    await owner.post("/api/v1/account/register", json={"password": PASSWORD})
    token = (await owner.post("/api/v1/account/tokens", json={"label": "mine", "password": PASSWORD})).json()[
        "token"
    ]
    await owner.aclose()
    cast.callers["program"] = cast.caller(Authorization=f"Bearer {token}")
    cast.callers["nobody"] = cast.caller()
    cast.callers["wrong token"] = cast.caller(Authorization="Bearer ct_wrong")
    cast.callers["operator"] = cast.caller(Authorization=f"Bearer {OPERATOR}")


async def _table(cast: Cast, state: str) -> None:
    terms: dict[str, Any] = {"hints": True, "spectators": state != "unwatched"}
    if state == "locked":
        terms |= {"visibility": "password", "password": LOCK}
    elif state == "unlisted":
        terms["visibility"] = "unlisted"
    made = await cast.callers["host"].post("/api/v1/games", json={"options": OPTIONS, **terms})
    assert made.status_code == 201, made.text
    cast.rooms[state] = made.json()["id"]
    if state == "locked":
        for role in SEATED[1:]:
            cast.callers[role].headers["X-Room-Password"] = LOCK
    keepers: dict[str, Keeper] = {}
    for role in SEATED:
        keepers[role] = Keeper()
        await cast.do(role, state, "sit", **keepers[role].sit(made.json()))
        await cast.do(role, state, "ready", ready=True)
    for role in SEATED:
        cast.callers[role].headers.pop("X-Room-Password", None)
    if state not in ("open", "locked", "unlisted", "closed"):
        await cast.do("host", state, "start")
        for role in SEATED:
            told = (await cast.callers[role].get(f"/api/v1/games/{cast.rooms[state]}")).json()
            wanted = keepers[role].answer(told["table"], told["you"]["seat"])
            assert wanted is not None
            await cast.do(role, state, **wanted)
    if state == "paused":
        for role in SEATED:
            await cast.do(role, state, "consent", to="pause", yes=True)
    if state == "over":
        for role in SEATED[1:]:
            await cast.do(role, state, "act", version=0, action={"type": "resign"})
    if state in ("aborted", "closed"):
        await cast.server.game_server.close_room(cast.rooms[state], "test")


async def _settle(cast: Cast) -> None:
    """The ban, and from here on nothing is written."""
    app = cast.server._app
    assert app is not None
    site = app.state.site
    await site.social.ban(
        "olga", player=cast.people["banned"], address=None, reason="x", until=None, now=site.now()
    )
    site.known.clear()

    async def refuse(*_: object, **__: object) -> Any:
        raise StoreUnavailable("frozen")

    for name in ("append", "create", "add_chat", "set_mute"):
        setattr(cast.server.game_server.store, name, stored_by(refuse) if name == "append" else refuse)
