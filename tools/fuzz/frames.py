"""Frame fuzzing: random, mutated and malformed frames over real sockets while games run at the same tables.

Whatever is sent, the server must answer, refuse or close with a code of docs/protocol.md. It must log no error, keep
its size, and continue to play afterwards.
"""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx
import orjson

from app.client.sealing import SealKeeper
from app.play.commands.messages import list_message_names
from app.play.log.terms import BOT_LEVELS, CHAT_PRESETS, COLOURS
from app.web.ws.lobby import lobby_message_names
from tests.sockets.close_codes import CLOSE_CODES
from tools.fuzz.mutate import spoilt
from tools.fuzz.server import Server
from tools.fuzz.socket_client import BINARY, MORE, PING, PONG, TEXT, Raw, frame

__all__ = ["Outcome", "fuzz_frames"]

# Our own close codes, and those of the WebSocket protocol for malformed frames (RFC 6455 §7.4.1).
ALLOWED = {*CLOSE_CODES, 1002, 1005, 1007}
TABLES: tuple[dict[str, Any], ...] = (
    {"preset": "jamaica"},
    {"preset": "hispaniola"},
    {"preset": "tortuga", "scoundrels": True},
    {"preset": "dungeon", "black_magic": True, "scoundrels": True},
    {"preset": "complete", "card_gain": "split", "black_magic": True},
)
FRAMES_PER_ROUND = 400  # then new tables are opened


@dataclass
class Outcome:
    """What was sent, and how the server reacted."""

    frames: int = 0
    answers: int = 0
    closes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


class _Guest:
    def __init__(self, server: Server) -> None:
        self.server = server
        self.http = httpx.AsyncClient(base_url=server.base, headers={"Origin": server.base}, timeout=60)

    async def come(self) -> _Guest:
        answer = await self.http.post("/api/v1/me", json={})
        self.person = answer.json()["person"]["id"]
        return self

    async def do(self, room: str, do: str, **fields: Any) -> None:
        body = {"do": do, "id": secrets.token_urlsafe(9), **fields}
        answer = await self.http.post(f"/api/v1/games/{room}/commands", json=body)
        assert answer.status_code == 200, answer.text

    def socket(self, path: str) -> Raw:
        cookie = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        return Raw(self.server.port, path, cookie)


def a_message(do: str, chance: random.Random, seq: int, choices: list[Any], people: list[str]) -> Any:
    """Return a message that might be accepted."""
    fields: dict[str, Any] = {"do": do}
    if do not in ("hello", "ping", "here", "filter"):
        fields["id"] = secrets.token_urlsafe(9)
    match do:
        case "hello":
            fields |= {"v": 2, "seq": max(0, seq - chance.randrange(6))}
        case "ping":
            fields["n"] = chance.getrandbits(20)
        case "act":
            action = chance.choice(choices)["action"] if choices else {"type": "end"}
            fields |= {"version": seq, "action": action}
        case "undo" | "hint":
            fields["version"] = seq
        case "sit":
            fields |= {"seal": secrets.token_hex(32), "seat": chance.randrange(3)}
        case "seal":
            fields["seal"] = secrets.token_hex(32)
        case "open":
            fields |= {"nonce": secrets.token_hex(16), "next_seal": secrets.token_hex(32)}
        case "void":
            fields["next_seal"] = secrets.token_hex(32)
        case "colour":
            fields["colour"] = chance.choice(COLOURS)
        case "ready":
            fields["ready"] = True
        case "remove" | "host":
            fields["seat"] = chance.randrange(3)
        case "bot":
            fields |= {"level": chance.choice(BOT_LEVELS), "seat": chance.randrange(3)}
        case "consent":
            fields |= {"to": chance.choice(("pause", "continue")), "yes": chance.random() < 0.5}
        case "vote":
            fields |= {"seat": chance.randrange(3), "choice": chance.choice(("wait", "bot", "end"))}
        case "chat":
            fields |= {"preset": chance.choice(CHAT_PRESETS)} if chance.random() < 0.5 else {"text": "ahoy"}
        case "mute":
            fields |= {"person": chance.choice(people), "on": chance.random() < 0.5}
        case "close_chat":
            fields["closed"] = chance.random() < 0.5
        case "filter":
            fields |= {"preset": "jamaica", "seats": 2, "clock": "none", "bots": False}
    return fields


def a_frame(message: Any, chance: random.Random) -> tuple[bytes, bool]:
    """Return the message as bytes, usually corrupted, and whether nothing can follow it."""
    if chance.random() < 0.15:
        return frame(orjson.dumps(message)), False
    data = spoilt(message, chance)
    match chance.randrange(150):
        case 0:
            return frame(data, BINARY), False
        case 1:
            return frame(data[:125], chance.choice((PING, PONG))), False
        case 2:
            cut = len(data) // 2
            return frame(data[:cut], TEXT, final=False) + frame(data[cut:], MORE), False
        case 3:
            return frame(data, reserved=chance.choice((0x10, 0x20, 0x40))), False
        case 4:
            return frame(data, chance.choice((3, 7, 11, 15))), False
        case 5:
            return frame(data, masked=False), True
        case 6:
            return frame(data * (5000 // max(1, len(data)) + 1)), False
        case 7:
            return frame(data, length=2 ** chance.choice((13, 31, 62))), True
        case 8:
            return frame(data, MORE), False
        case 9:
            return frame(chance.randbytes(2) + data[:100], 8), True
        case 10:
            return frame(data[:5], TEXT, final=False), True
    return frame(data), False


async def fuzz_frames(server: Server, count: int, seed: int, tell: Any = lambda _: None) -> Outcome:
    """Send `count` frames; `wrong` is empty if the server behaved."""
    chance = random.Random(seed)
    outcome = Outcome()
    number = 0
    told = time.monotonic()
    while outcome.frames < count:
        await _round(server, chance, min(FRAMES_PER_ROUND, count - outcome.frames), outcome, number)
        number += 1
        if not server.lives:
            outcome.wrong.append("the server is gone or not ready")
        if faults := server.faults():
            outcome.wrong.append(f"the log has errors: {faults[0]}")
        if outcome.wrong:
            break
        if time.monotonic() - told > 20:
            told = time.monotonic()
            memory, files = server.size()
            tell(f"{outcome.frames} frames, {outcome.answers} answers, {memory:.0f} MiB, {files} files")
    return outcome


async def _round(server: Server, chance: random.Random, count: int, outcome: Outcome, number: int) -> None:
    guests = [await _Guest(server).come() for _ in range(3)]
    host, other, watcher = guests
    options = {**TABLES[number % len(TABLES)], "players": 2, "first": 0}
    answer = await host.http.post("/api/v1/games", json={"options": options, "hints": number % 2 == 0})
    room = answer.json()["id"]
    if number % 4 != 3:  # every fourth table has not started
        keepers: dict[_Guest, SealKeeper] = {}
        for guest in (host, other):
            keepers[guest] = SealKeeper()
            await guest.do(room, "sit", **keepers[guest].sit_fields(answer.json()))
            await guest.do(room, "ready", ready=True)
        await host.do(room, "start")
        for guest in (host, other):
            state = (await guest.http.get(f"/api/v1/games/{room}")).json()
            wanted = keepers[guest].next_command(state["table"], state["you"]["seat"])
            assert wanted is not None
            await guest.do(room, wanted.pop("do"), **wanted)
    nobody = _Guest(server)
    people = [guest.person for guest in guests]
    places = [(guest, f"/ws/game/{room}") for guest in (host, host, other, watcher, nobody)]
    places += [(watcher, "/ws/lobby"), (host, "/ws/game/NoSuchRoomAnywhere")]
    share = -(-count // len(places))
    each = [random.Random(chance.getrandbits(64)) for _ in places]
    await asyncio.gather(
        *(
            _talk(guest, path, share, own, people, outcome)
            for (guest, path), own in zip(places, each, strict=True)
        )
    )
    for guest in (*guests, nobody):
        await guest.http.aclose()


async def _talk(
    guest: _Guest, path: str, count: int, chance: random.Random, people: list[str], outcome: Outcome
) -> None:
    """Run the sockets of one seat, opening a new one whenever one is closed."""
    names = lobby_message_names() if path == "/ws/lobby" else list_message_names()
    raw: Raw | None = None
    for _ in range(count):
        if raw is not None and raw.is_closed:
            await _ended(raw, outcome)
            raw = None
        if raw is None:
            raw = await guest.socket(path).open()
            if chance.random() < 0.95:
                await raw.say({"do": "hello", "v": 2})
        message = a_message(chance.choice(names), chance, raw.seq, raw.choices, people)
        data, is_last = a_frame(message, chance)
        await raw.send(data)
        outcome.frames += 1
        if is_last:
            # A close frame, which is echoed with its code; or fewer bytes follow than announced.
            await _ended(raw, outcome)
            raw = None
        elif chance.random() < 0.2:
            await _answered(raw, outcome)  # so that versions and choices are current
    if raw is not None:
        await _answered(raw, outcome)
        await _ended(raw, outcome)


async def _answered(raw: Raw, outcome: Outcome) -> None:
    if not await raw.answers():
        outcome.wrong.append("a socket was neither answered nor closed within a minute")


async def _ended(raw: Raw, outcome: Outcome) -> None:
    outcome.answers += raw.frames
    if raw.is_closed:
        outcome.closes[str(raw.code)] += 1
        if raw.code is not None and raw.code not in ALLOWED:
            outcome.wrong.append(f"a socket was closed with {raw.code}")
    await raw.close()
