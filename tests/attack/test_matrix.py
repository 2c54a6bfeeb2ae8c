"""The authorisation matrix: every role, every command and every route of a table, in every state of the game.

Commands and routes are read from the code; one without a row fails. What would be accepted is answered `try_again`,
because the store is frozen (tests/attack/callers.py). Routes that do not concern a table have their rows in
tests/web/auth/test_authorisation.py.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from typing import Any

import orjson
from websockets.asyncio.client import connect
from websockets.typing import Origin

from app.main import create_app
from app.paths import STATIC
from app.play.commands.messages import list_message_names
from app.settings import Settings
from app.web.security.buckets import Attempt
from app.web.ws.lobby import lobby_message_names
from tests.attack.callers import LOCK, ROLES, SEATED, STATES, Callers, make_callers
from tests.attack.routes import routes

PHASES = {
    "open": "before", "locked": "before", "unlisted": "before", "playing": "playing", "unwatched": "playing",
    "paused": "paused", "over": "after", "aborted": "after", "closed": "closed",
}  # fmt: skip
FROZEN_STORE = "try_again"
ACCEPTED = "accepted"  # commands that are not written into the log
CLOSED = ("closed", "closed", "closed")
STARTED = ("started", "started", "started")
OVER = ("game_over", "game_over", "not_seated")
ONLY_HOST = (FROZEN_STORE, "not_host", "not_host")
TOO_EARLY = ("not_started", "not_started", "not_seated")
ALL_ROLES = (FROZEN_STORE, FROZEN_STORE, FROZEN_STORE)
NO_BOT = ("not_taken_over", "not_taken_over", "not_seated")

# For each command and phase: the answer to the host (who is to act), another seat and a spectator.
# Sitting, getting ready and starting: only before the start.
ROWS: dict[str, dict[str, tuple[str, str, str]]] = {
    name: {"before": row, "playing": STARTED, "paused": STARTED, "after": STARTED, "closed": CLOSED}
    for name, row in {
        "sit": ALL_ROLES,
        "stand": (FROZEN_STORE, FROZEN_STORE, "not_seated"),
        "colour": (FROZEN_STORE, FROZEN_STORE, "not_seated"),
        "ready": (FROZEN_STORE, FROZEN_STORE, "not_seated"),
        "start": ONLY_HOST,
        "remove": ONLY_HOST,
        "readmit": ("no_change", *ONLY_HOST[1:]),  # no one was removed
        "bot": ONLY_HOST,
        "close": ONLY_HOST,
        "password": ONLY_HOST,
        "seal": (FROZEN_STORE, FROZEN_STORE, "not_seated"),
    }.items()
}
# Opening: only during a start, which no table here is in.
ROWS |= {
    name: {
        "before": ("not_opening", "not_opening", "not_seated"),
        "playing": ("started", "started", "not_seated"),
        "paused": ("started", "started", "not_seated"),
        "after": ("started", "started", "not_seated"),
        "closed": CLOSED,
    }
    for name in ("open", "void")
}
# Playing: by the player to act, or by all seated players.
ROWS |= {
    name: {"before": TOO_EARLY, "playing": row, "paused": paused, "after": OVER, "closed": closed}
    for name, row, paused, closed in (
        ("act", (FROZEN_STORE, "not_your_turn", "not_seated"), ("paused", "paused", "not_seated"), CLOSED),
        ("undo", ("nothing_to_undo", "not_your_turn", "not_seated"), ("paused", "paused", "not_seated"), CLOSED),
        ("hint", (FROZEN_STORE, "not_your_turn", "not_seated"), ("paused", "paused", "not_seated"), OVER),
        ("consent", (FROZEN_STORE, FROZEN_STORE, "not_seated"), (FROZEN_STORE, FROZEN_STORE, "not_seated"), CLOSED),
        ("vote", ("not_absent", "not_absent", "not_seated"), ("not_absent", "not_absent", "not_seated"), CLOSED),
        ("return", NO_BOT, NO_BOT, CLOSED),
    )
}  # fmt: skip
# The table itself and talking.
NOT_OVER = ("not_over", "not_over", "not_seated")
MUTE = ("unknown_person", FROZEN_STORE, FROZEN_STORE)  # the host is muted: muting oneself is refused
ROWS["host"] = dict.fromkeys(("before", "playing", "paused", "after"), ONLY_HOST) | {"closed": CLOSED}
ROWS["close_chat"] = dict(ROWS["host"])
ROWS["chat"] = dict.fromkeys(("before", "playing", "paused", "after"), ALL_ROLES) | {"closed": CLOSED}
ROWS["mute"] = dict.fromkeys(("before", "playing", "paused", "after", "closed"), MUTE)
ROWS["pace"] = dict.fromkeys(
    ("before", "playing", "paused", "after", "closed"), (ACCEPTED, ACCEPTED, "not_seated")
)
ROWS["rematch"] = dict.fromkeys(("before", "playing", "paused", "closed"), NOT_OVER) | {
    "after": (FROZEN_STORE, FROZEN_STORE, "not_seated")
}
# Not commands: every admitted client may send them.
SOCKET_MESSAGES = {"hello", "ping", "here", "why"}


def _answer_of(role: str, state: str, do: str) -> str:
    """Return the expected code of this command for this role."""
    if role == "banned":
        return "banned"
    if (turned_away := check_sockets(role, state)) is not None:
        return turned_away
    if role in ("nobody", "wrong token", "operator"):
        return "no_session"
    if (role, do) == ("host", "password") and state in ("open", "unlisted"):
        return "not_locked"
    row = ROWS[do][PHASES[state]]
    return row[0] if role == "host" else row[1] if role in SEATED else row[2]


def check_sockets(role: str, state: str) -> str | None:
    """Return why this role is not admitted; None if it is."""
    if role in SEATED:
        return None
    if state == "locked" and role != "spectator":
        return "password_required"
    return "no_spectators" if state == "unwatched" else None


async def test_every_role_gets_exactly_what_it_may(sqlite_url: str) -> None:
    """One set of callers for all four parts: creating nine tables takes longer than all requests."""
    async with make_callers(sqlite_url) as callers:
        before = await _heads(callers)
        wrong = [
            *await commands(callers),
            *await reads(callers),
            *await check_other_routes(callers),
            *await pages(callers),
        ]
        wrong += await as_a_stranger(callers)
        assert wrong == []
        assert await _heads(callers) == before


def test_every_command_has_a_row() -> None:
    assert set(list_message_names()) == set(ROWS) | SOCKET_MESSAGES
    assert set(lobby_message_names()) == {"hello", "filter", "ping"}  # public lists
    assert all(set(row) == set(PHASES.values()) for row in ROWS.values())


async def commands(callers: Callers) -> list[str]:
    """Send every command over a socket as every role, and over HTTP as each role in turn."""
    wrong: list[str] = []
    for state in STATES:
        bodies = callers.bodies(state)
        assert set(bodies) == set(ROWS)
        for got in await asyncio.gather(*(_by_socket(callers, role, state, bodies) for role in ROLES)):
            wrong += got
    turn = 0
    for state in STATES:
        for do, body in callers.bodies(state).items():
            for _ in range(2):  # all combinations of role, state and command
                turn += 1
                role = ROLES[turn % len(ROLES)]
                answer = await callers.command(role, state, {"do": do, **body})
                assert answer.status_code < 500 or answer.status_code == 503, answer.text
                code = answer.json().get("error", {"code": ACCEPTED})["code"]
                if code != _answer_of(role, state, do):
                    wrong.append(f"http {role} {state} {do}: {code}, not {_answer_of(role, state, do)}")
    return wrong


async def _heads(callers: Callers) -> dict[str, int]:
    return await callers.server.game_server.store.log.read_heads(list(callers.rooms.values()))


async def _by_socket(callers: Callers, role: str, state: str, bodies: dict[str, dict[str, Any]]) -> list[str]:
    """All commands of one role on one socket; what was told otherwise than its row says."""
    http = callers.callers[role]
    headers = {name: http.headers[name] for name in ("authorization",) if name in http.headers}
    headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
    wrong = []
    address, here = f"{callers.server.sockets}/ws/game/{callers.rooms[state]}", Origin(callers.server.base)
    async with (
        asyncio.timeout(300),
        connect(address, additional_headers=headers, origin=here, compression=None, open_timeout=60) as link,
    ):

        async def answer(to: str | None) -> str:
            while True:
                message = orjson.loads(await link.recv())
                if message["t"] == "presence" and to is None:
                    return "in"
                if message["t"] == "refused" and message["id"] == to:
                    return str(message["code"])
                if to is not None and message.get("ack") == to:
                    return ACCEPTED

        async def say(**message: Any) -> None:
            await link.send(orjson.dumps(message).decode())

        if role == "banned":
            code = await answer(None)
            return [] if code == "banned" else [f"{role} {state}: {code}"]
        await say(do="hello", v=2, **({"password": LOCK} if role == "spectator" else {}))
        greeted = await answer(None)
        expected = check_sockets(role, state) or "in"
        if greeted != expected or greeted != "in":
            return [] if greeted == expected else [f"{role} {state}: {greeted}, not {expected}"]
        for do, body in bodies.items():
            number = secrets.token_urlsafe(9)
            await say(do=do, id=number, **body)
            code = await answer(number)
            if code != _answer_of(role, state, do):
                wrong.append(f"socket {role} {state} {do}: {code}, not {_answer_of(role, state, do)}")
    return wrong


# --- the routes of a table

READS: dict[str, dict[str, str]] = {
    # what an admitted client reads, by phase; "" is an answer
    "/api/v1/games/{game}": dict.fromkeys(PHASES.values(), ""),
    "/api/v1/games/{game}/events": dict.fromkeys(PHASES.values(), ""),
    "/api/v1/games/{game}/ratings": dict.fromkeys(PHASES.values(), ""),
    "/api/v1/games/{game}/record": {"before": "not_over", "playing": "not_over", "paused": "not_over",
                                    "after": "", "closed": "not_started"},
    "/api/v1/games/{game}/review": {"before": "not_over", "playing": "not_over", "paused": "not_over",
                                    "after": "", "closed": "not_started"},
    "/api/v1/games/{game}/seat-ratings": dict.fromkeys(PHASES.values(), ""),
    "/api/v1/games/{game}/seen": {"before": "not_started", "playing": "", "paused": "", "after": "",
                                  "closed": "not_started"},
    "/g/{game}/seen": {"before": "not_started", "playing": "", "paused": "", "after": "", "closed": "not_started"},
    "/g/{game}/try": {"before": "not_over", "playing": "not_over", "paused": "not_over", "after": "",
                      "closed": "not_started"},
}  # fmt: skip
POSTED = {"/g/{game}/try": {"step": 0, "known": 0, "actions": []}}  # reads that need a body
WRITES = {"/api/v1/games/{game}/commands", "/api/v1/games/{game}/act", "/api/v1/games/{game}/hint"}
# Routes for people seated at the table. Others get the same refusal at every table.
SITTING = {
    "/api/v1/games/{game}/invitations",
    "/api/v1/games/{game}/again",
    "/api/v1/me/notices/games/{game}",
}
FRAMES = {
    "/g/{room}",
    "/g/{room}/replay",
    "/g/{room}/fairness",
    "/g/{room}/review",
    "/g/{room}/try",
    "/g/{room}/screen",
    "/h/{room}",
    "/h/{room}/",
    "/qr/g/{room}.svg",
    "/embed/{room}",
}
# Routes that look a table up as a stranger would, for every caller.
AS_A_STRANGER = {"/share/g/{room}.png", "/ws/embed/{game}"}


def test_every_route_of_a_table_has_a_row() -> None:
    found = {path for _, path in routes(create_app(Settings())) if re.search(r"\{(game|room)\}", path)}
    assert found == set(READS) | WRITES | SITTING | FRAMES | AS_A_STRANGER | {"/ws/game/{game}"}


async def reads(callers: Callers) -> list[str]:
    """Every route that shows something of a table."""
    app = callers.server._app
    assert app is not None

    async def made(*_: object) -> dict[str, Any]:
        return {"review": "of a finished game"}

    app.state.reviews.find_or_make = made  # a review takes seconds of a bot; only access is tested here
    app.state.site.limits.take_review = lambda *_: Attempt()
    wrong = []
    for state in STATES:
        for path, row in READS.items():
            for role in ROLES:
                headers = {"X-Room-Password": LOCK} if role == "spectator" else {}
                address = path.replace("{game}", callers.rooms[state])
                body = POSTED.get(path)
                asked = callers.callers[role].stream(
                    "POST" if body else "GET", address, headers=headers, json=body
                )
                async with asked as answer:
                    code = ""
                    if answer.status_code != 200:
                        code = orjson.loads(await answer.aread())["error"]["code"]
                expected = check_sockets(role, state) or row[PHASES[state]]
                if role == "banned":
                    expected = "banned"
                if code != expected:
                    wrong.append(f"{role} {state} {path}: {code!r}, not {expected!r}")
    return wrong


async def check_other_routes(callers: Callers) -> list[str]:
    """Moves and hints have routes of their own, with the same checks."""
    wrong = []
    for number, state in enumerate(STATES):
        bodies = callers.bodies(state)
        for role in (*SEATED, *ROLES[len(SEATED) + number % 3 :: 3]):
            headers = {"X-Room-Password": LOCK} if role == "spectator" else {}
            for do in ("act", "hint"):
                body = {"id": secrets.token_urlsafe(9), **bodies[do]}
                path = f"/api/v1/games/{callers.rooms[state]}/{do}"
                answer = await callers.callers[role].post(path, json=body, headers=headers)
                code = answer.json()["error"]["code"]
                if code != _answer_of(role, state, do):
                    wrong.append(f"{role} {state} {do}: {code}, not {_answer_of(role, state, do)}")
    return wrong


async def pages(callers: Callers) -> list[str]:
    """The pages of a locked, a running, a closed and an unknown table differ only in the id."""
    wrong = []
    unknown = "NoSuchTableAnywhere1"
    for path in sorted(FRAMES - {"/qr/g/{room}.svg"}):
        found = set()
        for room in (*callers.rooms.values(), unknown):
            plain = {"Accept-Encoding": "identity"}  # compressed, the length would depend on the id
            answer = await callers.callers["stranger"].get(path.replace("{room}", room), headers=plain)
            headers = tuple(
                (name, value.replace(room.encode(), b"ROOM"))
                for name, value in answer.headers.raw
                if name.lower() not in (b"date", b"etag")
            )
            # The token depends on the address alone (test_compressed_pages.py).
            text = re.sub(r'(?<=name="csrf" content=")\w+', "TOKEN", answer.text.replace(room, "ROOM"))
            found.add((answer.status_code, headers, text))
        if len(found) != 1:
            wrong.append(f"{path} has {len(found)} faces")
    return wrong


async def as_a_stranger(callers: Callers) -> list[str]:
    """Preview pictures and embedded sockets treat the host like a stranger; locked tables reveal nothing."""
    wrong = []
    site = (STATIC / "share" / "cartagena.png").read_bytes()
    for state in STATES:
        path = f"/share/g/{callers.rooms[state]}.png"
        asked = [await callers.callers[role].get(path) for role in ROLES]
        if len({(answer.status_code, answer.content) for answer in asked}) != 1:
            wrong.append(f"{path} ({state}) is not the same for everybody")
        if (asked[0].content == site) != (check_sockets("nobody", state) is not None):
            wrong.append(f"{path} ({state}) shows what a stranger may not see, or nothing of what they may")
        for role in ROLES:
            greeted = await _framed(callers, role, state)
            is_shut = check_sockets("nobody", state) is not None  # the same code for every reason
            if greeted != ("password_required" if is_shut else ("in", None, None)):
                wrong.append(f"/ws/embed {role} {state}: {greeted}")
    return wrong


async def _framed(callers: Callers, role: str, state: str) -> Any:
    """Return why the embedded socket refuses this role, or as whom it admits it."""
    http = callers.callers[role]
    headers = {name: http.headers[name] for name in ("authorization",) if name in http.headers}
    headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
    address, here = f"{callers.server.sockets}/ws/embed/{callers.rooms[state]}", Origin(callers.server.base)
    async with (
        asyncio.timeout(60),
        connect(address, additional_headers=headers, origin=here, compression=None, open_timeout=60) as link,
    ):
        await link.send('{"do":"hello","v":2}')
        first = orjson.loads(await link.recv())
        if first["t"] == "refused":
            return first["code"]
        return "in", first["you"]["person"], first["you"]["seat"]
