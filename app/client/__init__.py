"""A small typed client for programs that play: the same knowledge as a seat, over HTTP and WebSocket."""

from __future__ import annotations

from app.client.api import Api
from app.client.errors import ApiError, ClientError, NotKept, PlayerFailed, SeatLost, Unreachable
from app.client.sealing import Keeper
from app.client.seat import Seat, play_seat

__all__ = [
    "Api",
    "ApiError",
    "ClientError",
    "Keeper",
    "NotKept",
    "PlayerFailed",
    "Seat",
    "SeatLost",
    "Unreachable",
    "play_seat",
]
