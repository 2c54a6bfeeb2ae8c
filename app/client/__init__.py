"""A small typed client for bot programs, over HTTP and WebSocket. It knows no more than a seat does."""

from __future__ import annotations

from app.client.api import Api
from app.client.errors import ApiError, ClientError, PlayerFailed, RecordMismatch, SeatLost, Unreachable
from app.client.sealing import SealKeeper
from app.client.seat import Seat, play_seat

__all__ = [
    "Api",
    "ApiError",
    "ClientError",
    "PlayerFailed",
    "RecordMismatch",
    "SealKeeper",
    "Seat",
    "SeatLost",
    "Unreachable",
    "play_seat",
]
