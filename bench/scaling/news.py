"""What a message between workers costs: its bytes, the worker that hears it, and Redis for each that is sent and
for each worker at which it arrives.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from time import process_time

from app.bus.redis_bus import RedisBus
from app.bus.wire import Packet, TopicAnnouncement, encode
from app.play.log.entries import Entry
from app.play.ports import News
from bench.scaling.meters import cpu
from tools.services import RedisServer

__all__ = ["BATCH", "news"]

BATCH = 10  # entries that go to a worker in one packet
_ROW = {
    "id": "hWq7cYt0b1kZ3m5n",
    "title": "Anne's table",
    "preset": "jamaica",
    "status": "running",
    "seats": 4,
    "taken": 4,
    "bots": 0,
    "names": ["Anne Bonfire", "Bo", "Cy", "Dee"],
    "watching": 0,
    "clock": "none",
    "variant": [],
    "locked": False,
    "at": 1_794_795_000_123,
}
_LOBBY = {
    "row": _ROW,
    "lists": {},
    "people": {f"p_4k2j8d7f6s5a4k3j{n}": n == 1 for n in range(4)},
    "is_over": False,
    "due": None,
}
_ENTRY = Entry(
    "hWq7cYt0b1kZ3m5n",
    57,
    "action",
    2,
    {"action": {"type": "advance", "card": "dagger", "from": 14}},
    "person",
    1_794_795_003_456,
    "k3v9x0qak3v9",
    "p_4k2j8d7f6s5a4k3j",
)


MESSAGES, MANY = 4_000, 40
_LIMIT = 60.0


class _Heard:
    """Counts what a bus hands on, and says when it is all."""

    def __init__(self, count: int) -> None:
        self.left = count
        self.all = asyncio.Event()

    def __call__(self, news: News) -> None:
        self.left -= 1
        if not self.left:
            self.all.set()


def _commands(channel: str, messages: list[bytes]) -> bytes:
    """PUBLISH, ready for the wire: so the sender hardly costs anything beside what is measured."""
    name = channel.encode()
    return b"".join(
        b"*3\r\n$7\r\nPUBLISH\r\n$%d\r\n%b\r\n$%d\r\n%b\r\n" % (len(name), name, len(data), data)
        for data in messages
    )


async def _hearing(redis: RedisServer, data: bytes, heard: int) -> float:
    """Microseconds of a worker's bus for each such message, from Redis' socket to the handler."""
    bus, handler = RedisBus(redis.url), _Heard(MESSAGES * heard)
    bus.listen(handler)
    await bus.open()
    try:
        await asyncio.sleep(1)  # subscribed
        with socket.create_connection(("127.0.0.1", redis.port)) as link:
            commands = _commands(f"cartagena:to:{bus.worker}", [data] * MESSAGES)
            began = process_time()
            await asyncio.to_thread(link.sendall, commands)
            await asyncio.wait_for(handler.all.wait(), _LIMIT)
            return 1e6 * (process_time() - began) / MESSAGES
    finally:
        await bus.close()


def _redis_cost(redis: RedisServer, data: bytes) -> tuple[float, float]:
    """Microseconds of Redis for a message that is sent, and for each worker at which it arrives."""
    found = []
    for workers in (0, MANY):
        links = [
            socket.create_connection(("127.0.0.1", redis.port), timeout=_LIMIT) for _ in range(workers + 1)
        ]
        for link in links[1:]:
            link.sendall(b"SUBSCRIBE cartagena:cost\r\n")
            link.recv(1000)
        before = cpu([redis.pid])
        for _ in range(0, MESSAGES, 100):
            links[0].sendall(_commands("cartagena:cost", [data] * 100))
            for link in links:
                _drain(link)
        found.append(1e6 * (cpu([redis.pid]) - before) / MESSAGES)
        for link in links:
            link.close()
    return found[0], (found[1] - found[0]) / MANY


def _drain(link: socket.socket) -> None:
    link.recv(1_000_000)
    link.setblocking(False)
    with suppress(BlockingIOError):
        while link.recv(1_000_000):
            pass
    link.settimeout(_LIMIT)


def news() -> dict[str, dict[str, float]]:
    """Of an entry to a worker that has its room, of a batch of them, of a lobby row, of a room that was announced."""
    entry = News("entry", _ENTRY.game, "a1b2c3d4", _ENTRY)
    lobby = News("lobby", "lobby", "a1b2c3d4", _LOBBY)
    said = {
        "entry": Packet("a1b2c3d4e5f6", [entry]),
        "batch": Packet("a1b2c3d4e5f6", [entry] * BATCH),
        "lobby": Packet("a1b2c3d4e5f6", [lobby]),
        "holding": Packet("a1b2c3d4e5f6", [entry], TopicAnnouncement(["hWq7cYt0b1kZ3m5n"])),
    }
    found = {}
    with RedisServer() as redis:
        for name, packet in said.items():
            data = encode(packet)
            sent, arrived = _redis_cost(redis, data)
            found[name] = {
                "bytes": float(len(data)),
                "hear_us": asyncio.run(_hearing(redis, data, len(packet.news))),
                "redis_us": sent,
                "redis_arrival_us": arrived,
            }
    found["holding"]["bytes"] = float(
        len(encode(Packet("a1b2c3d4e5f6", [], TopicAnnouncement(["hWq7cYt0b1kZ3m5n"]))))
    )
    more = (found["batch"]["hear_us"] - found["entry"]["hear_us"]) / (BATCH - 1)
    found["holding"]["hear_us"] -= more  # the entry by which it was seen to arrive
    return found
