"""Timing attack: compares the response times for missing and locked tables as a ratio."""

from __future__ import annotations

import statistics
import time

import httpx

from tools.fuzz.server import Server

__all__ = ["lookup_ratios"]

ABSENT = "NoSuchTableAnywhere1"


def lookup_ratios(server: Server, rounds: int) -> dict[str, float]:
    """Return median times for locked tables divided by missing ones: without and with a password, and not loaded."""
    with httpx.Client(base_url=server.base, headers={"Origin": server.base}, timeout=60) as host:
        host.post("/api/v1/me", json={})
        terms = {
            "options": {"preset": "jamaica", "players": 2},
            "visibility": "password",
            "password": "sesame",
        }
        locked = host.post("/api/v1/games", json=terms).json()["id"]
        # These rooms are not loaded yet: the first request reads each from the log.
        cold = [host.post("/api/v1/games", json=terms).json()["id"] for _ in range(rounds // 5)]
    ratios: dict[str, float] = {}
    with httpx.Client(base_url=server.base, timeout=60) as stranger:
        for name, headers in (("without a password", {}), ("with a wrong one", {"X-Room-Password": "guess"})):
            took: dict[str, list[float]] = {locked: [], ABSENT: []}
            for _ in range(rounds):
                for room in (locked, ABSENT):
                    began = time.perf_counter()
                    answer = stranger.get(f"/api/v1/games/{room}", headers=headers)
                    took[room].append(time.perf_counter() - began)
                    assert answer.status_code == 403, answer.text
            ratios[name] = statistics.median(took[locked]) / statistics.median(took[ABSENT])
        put_away: list[float] = []
        nothing: list[float] = []
        for number, room in enumerate(cold):
            for address, into in ((room, put_away), (f"{ABSENT[:-5]}{number:05}", nothing)):
                began = time.perf_counter()
                stranger.get(f"/api/v1/games/{address}")
                into.append(time.perf_counter() - began)
        ratios["not looked at before"] = statistics.median(put_away) / statistics.median(nothing)
    return ratios
