"""One caller of every role and a table in every state, on a real server whose store is then frozen.

A frozen store refuses all writes. A command that would be accepted is answered `try_again`, and the table stays
unchanged for the next command.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from app import rules
from app.client.sealing import SealKeeper
from app.play.ports import StoreUnavailable
from tests.play.simple_bot import SimpleBot
from tests.play.stage import append_with, replace_ports
from tests.sockets.running_server import RunningServer, in_process

LOCK = "open sesame"
OPERATOR = "a-collectors-token"
PASSWORD = "plank, parrot, doubloon"
STATES = ("open", "locked", "unlisted", "playing", "unwatched", "paused", "over", "aborted", "closed")
# In seat order. The host is to act; the caller who is banned later has a seat like the others.
SEATED = ("host", "seated", "program", "banned")
ROLES = (*SEATED, "nobody", "stranger", "spectator", "account", "wrong token", "operator")
OPTIONS = {"preset": "jamaica", "players": 5, "first": 0}


class Callers:
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
        """Return one valid message of every command."""
        room = self.server.game_server.rooms.get_loaded(self.rooms[state])
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
            "readmit": {},
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
async def make_callers(database_url: str) -> AsyncIterator[Callers]:
    async with in_process(database_url, metrics_token=OPERATOR, rooms_per_guest=100) as server:
        replace_ports(server.game_server, bots=SimpleBot())
        callers = Callers(server)
        try:
            await _changed_people(callers)
            for state in STATES:
                await _table(callers, state)
            await _settle(callers)
            yield callers
        finally:
            for http in callers.callers.values():
                await http.aclose()


async def _changed_people(callers: Callers) -> None:
    for role in ("host", "seated", "banned", "stranger", "spectator", "account"):
        await callers.guest(role)
    await callers.callers["account"].post("/api/v1/account/register", json={"password": PASSWORD})
    owner = await callers.guest("program")
    await owner.post("/api/v1/account/register", json={"password": PASSWORD})
    token = (await owner.post("/api/v1/account/tokens", json={"label": "mine", "password": PASSWORD})).json()[
        "token"
    ]
    await owner.aclose()
    callers.callers["program"] = callers.caller(Authorization=f"Bearer {token}")
    callers.callers["nobody"] = callers.caller()
    callers.callers["wrong token"] = callers.caller(Authorization="Bearer ct_wrong")
    callers.callers["operator"] = callers.caller(Authorization=f"Bearer {OPERATOR}")


async def _table(callers: Callers, state: str) -> None:
    terms: dict[str, Any] = {"hints": True, "spectators": state != "unwatched"}
    if state == "locked":
        terms |= {"visibility": "password", "password": LOCK}
    elif state == "unlisted":
        terms["visibility"] = "unlisted"
    made = await callers.callers["host"].post("/api/v1/games", json={"options": OPTIONS, **terms})
    assert made.status_code == 201, made.text
    callers.rooms[state] = made.json()["id"]
    if state == "locked":
        for role in SEATED[1:]:
            callers.callers[role].headers["X-Room-Password"] = LOCK
    keepers: dict[str, SealKeeper] = {}
    for role in SEATED:
        keepers[role] = SealKeeper()
        await callers.do(role, state, "sit", **keepers[role].sit_fields(made.json()))
        await callers.do(role, state, "ready", ready=True)
    for role in SEATED:
        callers.callers[role].headers.pop("X-Room-Password", None)
    if state not in ("open", "locked", "unlisted", "closed"):
        await callers.do("host", state, "start")
        for role in SEATED:
            told = (await callers.callers[role].get(f"/api/v1/games/{callers.rooms[state]}")).json()
            wanted = keepers[role].next_command(told["table"], told["you"]["seat"])
            assert wanted is not None
            await callers.do(role, state, **wanted)
    if state == "paused":
        for role in SEATED:
            await callers.do(role, state, "consent", to="pause", yes=True)
    if state == "over":
        for role in SEATED[1:]:
            await callers.do(role, state, "act", version=0, action={"type": "resign"})
    if state in ("aborted", "closed"):
        await callers.server.game_server.close_room(callers.rooms[state], "test")


async def _settle(callers: Callers) -> None:
    """Ban one caller and freeze the store."""
    app = callers.server._app
    assert app is not None
    site = app.state.site
    await site.social.ban(
        "olga", player=callers.people["banned"], address=None, reason="x", until=None, now=site.now()
    )
    site.player_cache.clear()

    async def refuse(*_: object, **__: object) -> Any:
        raise StoreUnavailable("frozen")

    store = callers.server.game_server.store
    for part, name in (
        (store.log, "append"),
        (store.log, "create"),
        (store.chat, "add_line"),
        (store.chat, "set_mute"),
    ):
        setattr(part, name, append_with(refuse) if name == "append" else refuse)
