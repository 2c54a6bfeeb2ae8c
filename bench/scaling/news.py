"""What a word between workers costs: its bytes, and the CPU to write and to read it."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

from app.bus.wire import decode, encode
from app.play.log.entries import Entry
from app.play.ports import News

__all__ = ["news"]

TIMES = 20_000
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


def _microseconds(work: Callable[[], object]) -> float:
    began = process_time()
    for _ in range(TIMES):
        work()
    return 1e6 * (process_time() - began) / TIMES


def news() -> dict[str, dict[str, float]]:
    """For an entry, which goes to the workers that have its room, and for a lobby row, which goes to all."""
    found = {}
    for name, word in (
        ("entry", News("entry", _ENTRY.game, "a1b2c3d4", _ENTRY)),
        ("lobby", News("lobby", "lobby", "a1b2c3d4", _LOBBY)),
    ):
        data = encode(word)
        found[name] = {
            "bytes": float(len(data)),
            "write_us": _microseconds(lambda word=word: encode(word)),  # type: ignore[misc]
            "read_us": _microseconds(lambda data=data: decode(data)),  # type: ignore[misc]
        }
    return found
