"""The authorisation matrix: every role, every command and every route of a table, in every state of the game.

Rows are read from the code: a command or a route of tables that has no row fails. What would be accepted is
answered `try_again`, because the store is frozen (tests/attack/cast.py). The routes that are not about a
table, whatever its state, have their rows in tests/web/auth/test_authorisation.py.
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
from app.play.commands.messages import message_names
from app.settings import Settings
from app.web.security.buckets import Attempt
from app.web.ws.lobby import lobby_message_names
from tests.attack.cast import LOCK, ROLES, SEATED, STATES, Cast, assembled
from tests.attack.routes import routes

PHASES = {
    "open": "before", "locked": "before", "unlisted": "before", "playing": "playing", "unwatched": "playing",
    "paused": "paused", "over": "after", "aborted": "after", "closed": "closed",
}  # fmt: skip
DONE = "try_again"
ACCEPTED = "accepted"  # what is not written into the log, which takes nothing here
CLOSED = ("closed", "closed", "closed")
STARTED = ("started", "started", "started")
OVER = ("game_over", "game_over", "not_seated")
ONLY_HOST = (DONE, "not_host", "not_host")
TOO_EARLY = ("not_started", "not_started", "not_seated")
ANYBODY = (DONE, DONE, DONE)
NO_BOT = ("not_taken_over", "not_taken_over", "not_seated")

# For each command and phase: what the host (who is to act), another seat and somebody who watches are told.
# Sitting, getting ready and starting: before the start, and then never again.
ROWS: dict[str, dict[str, tuple[str, str, str]]] = {
    name: {"before": row, "playing": STARTED, "paused": STARTED, "after": STARTED, "closed": CLOSED}
    for name, row in {
        "sit": ANYBODY,
        "stand": (DONE, DONE, "not_seated"),
        "colour": (DONE, DONE, "not_seated"),
        "ready": (DONE, DONE, "not_seated"),
        "start": ONLY_HOST,
        "remove": ONLY_HOST,
        "bot": ONLY_HOST,
        "close": ONLY_HOST,
        "password": ONLY_HOST,
        "seal": (DONE, DONE, "not_seated"),
    }.items()
}
# Opening: while a start waits for it, which no table here does.
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
# Playing: by whoever's turn it is, or by everybody who sits.
ROWS |= {
    name: {"before": TOO_EARLY, "playing": row, "paused": paused, "after": OVER, "closed": closed}
    for name, row, paused, closed in (
        ("act", (DONE, "not_your_turn", "not_seated"), ("paused", "paused", "not_seated"), CLOSED),
        ("undo", ("nothing_to_undo", "not_your_turn", "not_seated"), ("paused", "paused", "not_seated"), CLOSED),
        ("hint", (DONE, "not_your_turn", "not_seated"), ("paused", "paused", "not_seated"), OVER),
        ("consent", (DONE, DONE, "not_seated"), (DONE, DONE, "not_seated"), CLOSED),
        ("vote", ("not_absent", "not_absent", "not_seated"), ("not_absent", "not_absent", "not_seated"), CLOSED),
        ("return", NO_BOT, NO_BOT, CLOSED),
    )
}  # fmt: skip
# The table itself and talking.
NOT_OVER = ("not_over", "not_over", "not_seated")
MUTE = ("unknown_person", DONE, DONE)  # the host is who is muted: nobody mutes themselves
ROWS["host"] = dict.fromkeys(("before", "playing", "paused", "after"), ONLY_HOST) | {"closed": CLOSED}
ROWS["close_chat"] = dict(ROWS["host"])
ROWS["chat"] = dict.fromkeys(("before", "playing", "paused", "after"), ANYBODY) | {"closed": CLOSED}
ROWS["mute"] = dict.fromkeys(("before", "playing", "paused", "after", "closed"), MUTE)
ROWS["pace"] = dict.fromkeys(
    ("before", "playing", "paused", "after", "closed"), (ACCEPTED, ACCEPTED, "not_seated")
)
ROWS["rematch"] = dict.fromkeys(("before", "playing", "paused", "closed"), NOT_OVER) | {
    "after": (DONE, DONE, "not_seated")
}
# These change nothing and are not commands: whoever was let in may say them.
TALK = {"hello", "ping", "here"}


def told(role: str, state: str, do: str) -> str:
    """The code that this role gets for this command here."""
    if role == "banned":
        return "banned"
    if (turned_away := at_the_door(role, state)) is not None:
        return turned_away
    if role in ("nobody", "wrong token", "operator"):
        return "no_session"
    if (role, do) == ("host", "password") and state in ("open", "unlisted"):
        return "not_locked"
    row = ROWS[do][PHASES[state]]
    return row[0] if role == "host" else row[1] if role in SEATED else row[2]


def at_the_door(role: str, state: str) -> str | None:
    """Why this role does not even get in; None when it does."""
    if role in SEATED:
        return None
    if state == "locked" and role != "spectator":
        return "password_required"
    return "no_spectators" if state == "unwatched" else None


async def test_every_role_gets_what_is_its_own_and_nothing_else(sqlite_url: str) -> None:
    """One cast for all four halves: laying nine tables costs more than asking them everything."""
    async with assembled(sqlite_url) as cast:
        before = await _heads(cast)
        wrong = [*await commands(cast), *await reads(cast), *await the_other_doors(cast), *await pages(cast)]
        wrong += await as_a_stranger(cast)
        assert wrong == []
        assert await _heads(cast) == before


def test_every_command_has_a_row() -> None:
    assert set(message_names()) == set(ROWS) | TALK
    assert set(lobby_message_names()) == {"hello", "filter", "ping"}  # lists that everybody may read
    assert all(set(row) == set(PHASES.values()) for row in ROWS.values())


async def commands(cast: Cast) -> list[str]:
    """Every command over a socket by every role, and over HTTP by each role in turn."""
    wrong: list[str] = []
    for state in STATES:
        bodies = cast.bodies(state)
        assert set(bodies) == set(ROWS)
        for got in await asyncio.gather(*(_by_socket(cast, role, state, bodies) for role in ROLES)):
            wrong += got
    turn = 0
    for state in STATES:
        for do, body in cast.bodies(state).items():
            for _ in range(2):  # every role meets every state and every command in turn
                turn += 1
                role = ROLES[turn % len(ROLES)]
                answer = await cast.command(role, state, {"do": do, **body})
                assert answer.status_code < 500 or answer.status_code == 503, answer.text
                code = answer.json().get("error", {"code": ACCEPTED})["code"]
                if code != told(role, state, do):
                    wrong.append(f"http {role} {state} {do}: {code}, not {told(role, state, do)}")
    return wrong


async def _heads(cast: Cast) -> dict[str, int]:
    return await cast.server.game_server.store.heads(list(cast.rooms.values()))


async def _by_socket(cast: Cast, role: str, state: str, bodies: dict[str, dict[str, Any]]) -> list[str]:
    """All commands of one role on one socket; what was told otherwise than its row says."""
    http = cast.callers[role]
    headers = {name: http.headers[name] for name in ("authorization",) if name in http.headers}
    headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
    wrong = []
    address, here = f"{cast.server.sockets}/ws/game/{cast.rooms[state]}", Origin(cast.server.base)
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
        expected = at_the_door(role, state) or "in"
        if greeted != expected or greeted != "in":
            return [] if greeted == expected else [f"{role} {state}: {greeted}, not {expected}"]
        for do, body in bodies.items():
            number = secrets.token_urlsafe(9)
            await say(do=do, id=number, **body)
            code = await answer(number)
            if code != told(role, state, do):
                wrong.append(f"socket {role} {state} {do}: {code}, not {told(role, state, do)}")
    return wrong


# --- the routes of a table

READS: dict[str, dict[str, str]] = {
    # what somebody who was let in reads, by phase; "" is an answer
    "/api/v1/games/{game}": dict.fromkeys(PHASES.values(), ""),
    "/api/v1/games/{game}/events": dict.fromkeys(PHASES.values(), ""),
    "/api/v1/games/{game}/record": {"before": "not_over", "playing": "not_over", "paused": "not_over",
                                    "after": "", "closed": "not_started"},
    "/api/v1/games/{game}/review": {"before": "not_over", "playing": "not_over", "paused": "not_over",
                                    "after": "", "closed": "not_started"},
    "/api/v1/games/{game}/seen": {"before": "not_started", "playing": "", "paused": "", "after": "",
                                  "closed": "not_started"},
    "/g/{game}/seen": {"before": "not_started", "playing": "", "paused": "", "after": "", "closed": "not_started"},
    "/g/{game}/try": {"before": "not_over", "playing": "not_over", "paused": "not_over", "after": "",
                      "closed": "not_started"},
}  # fmt: skip
POSTED = {"/g/{game}/try": {"step": 0, "known": 0, "actions": []}}  # reads that need a body
WRITES = {"/api/v1/games/{game}/commands", "/api/v1/games/{game}/act", "/api/v1/games/{game}/hint"}
# What a person wishes for at a table where they sit; whoever does not is told so, whichever table it is.
SITTING = {"/api/v1/games/{game}/invitations", "/api/v1/me/notices/games/{game}"}
FRAMES = {
    "/g/{room}",
    "/g/{room}/replay",
    "/g/{room}/fairness",
    "/g/{room}/review",
    "/g/{room}/try",
    "/g/{room}/screen",
    "/qr/g/{room}.svg",
    "/embed/{room}",
}
# What looks a table up as a stranger does, whoever asks.
AS_A_STRANGER = {"/share/g/{room}.png", "/ws/embed/{game}"}


def test_every_route_of_a_table_has_a_row() -> None:
    found = {path for _, path in routes(create_app(Settings())) if re.search(r"\{(game|room)\}", path)}
    assert found == set(READS) | WRITES | SITTING | FRAMES | AS_A_STRANGER | {"/ws/game/{game}"}


async def reads(cast: Cast) -> list[str]:
    """Every route that shows something of a table."""
    app = cast.server._app
    assert app is not None

    async def made(*_: object) -> dict[str, Any]:
        return {"review": "of a finished game"}

    app.state.reviews.made = made  # a review costs seconds of a bot; who gets one is the point here
    app.state.site.limits.take_review = lambda *_: Attempt()
    wrong = []
    for state in STATES:
        for path, row in READS.items():
            for role in ROLES:
                headers = {"X-Room-Password": LOCK} if role == "spectator" else {}
                address = path.replace("{game}", cast.rooms[state])
                body = POSTED.get(path)
                asked = cast.callers[role].stream(
                    "POST" if body else "GET", address, headers=headers, json=body
                )
                async with asked as answer:
                    code = ""
                    if answer.status_code != 200:
                        code = orjson.loads(await answer.aread())["error"]["code"]
                expected = at_the_door(role, state) or row[PHASES[state]]
                if role == "banned":
                    expected = "banned"
                if code != expected:
                    wrong.append(f"{role} {state} {path}: {code!r}, not {expected!r}")
    return wrong


async def the_other_doors(cast: Cast) -> list[str]:
    """Moves and hints have routes of their own, which ask the same questions."""
    wrong = []
    for number, state in enumerate(STATES):
        bodies = cast.bodies(state)
        for role in (*SEATED, *ROLES[len(SEATED) + number % 3 :: 3]):
            headers = {"X-Room-Password": LOCK} if role == "spectator" else {}
            for do in ("act", "hint"):
                body = {"id": secrets.token_urlsafe(9), **bodies[do]}
                path = f"/api/v1/games/{cast.rooms[state]}/{do}"
                answer = await cast.callers[role].post(path, json=body, headers=headers)
                code = answer.json()["error"]["code"]
                if code != told(role, state, do):
                    wrong.append(f"{role} {state} {do}: {code}, not {told(role, state, do)}")
    return wrong


async def pages(cast: Cast) -> list[str]:
    """A locked, a running, a closed and an unknown table have the same page but for the id in it."""
    wrong = []
    unknown = "NoSuchTableAnywhere1"
    for path in sorted(FRAMES - {"/qr/g/{room}.svg"}):
        found = set()
        for room in (*cast.rooms.values(), unknown):
            plain = {"Accept-Encoding": "identity"}  # packed, each id would have its own length
            answer = await cast.callers["stranger"].get(path.replace("{room}", room), headers=plain)
            headers = tuple(pair for pair in answer.headers.raw if pair[0].lower() not in (b"date", b"etag"))
            found.add((answer.status_code, headers, answer.text.replace(room, "ROOM")))
        if len(found) != 1:
            wrong.append(f"{path} has {len(found)} faces")
    return wrong


async def as_a_stranger(cast: Cast) -> list[str]:
    """A link's picture and a frame's socket are the same for the host as for nobody; locked tables show nothing."""
    wrong = []
    site = (STATIC / "share" / "cartagena.png").read_bytes()
    for state in STATES:
        path = f"/share/g/{cast.rooms[state]}.png"
        asked = [await cast.callers[role].get(path) for role in ROLES]
        if len({(answer.status_code, answer.content) for answer in asked}) != 1:
            wrong.append(f"{path} ({state}) is not the same for everybody")
        if (asked[0].content == site) != (at_the_door("nobody", state) is not None):
            wrong.append(f"{path} ({state}) shows what a stranger may not see, or nothing of what they may")
        for role in ROLES:
            greeted = await _framed(cast, role, state)
            is_shut = at_the_door("nobody", state) is not None  # for whatever reason, the same code is sent
            if greeted != ("password_required" if is_shut else ("in", None, None)):
                wrong.append(f"/ws/embed {role} {state}: {greeted}")
    return wrong


async def _framed(cast: Cast, role: str, state: str) -> Any:
    """Why the frame's socket turns this role away, or as whom it is let in."""
    http = cast.callers[role]
    headers = {name: http.headers[name] for name in ("authorization",) if name in http.headers}
    headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
    address, here = f"{cast.server.sockets}/ws/embed/{cast.rooms[state]}", Origin(cast.server.base)
    async with (
        asyncio.timeout(60),
        connect(address, additional_headers=headers, origin=here, compression=None, open_timeout=60) as link,
    ):
        await link.send('{"do":"hello","v":2}')
        first = orjson.loads(await link.recv())
        if first["t"] == "refused":
            return first["code"]
        return "in", first["you"]["person"], first["you"]["seat"]
