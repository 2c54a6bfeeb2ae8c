"""Every preset with five seats and spectators on each kind of database, over real sockets."""

from __future__ import annotations

import pytest

from app import rules
from tests.sockets.client import Clients
from tests.sockets.conftest import clients, server
from tests.sockets.test_games import a_full_game_of_five

__all__ = ["clients", "server"]


@pytest.mark.parametrize("preset", sorted(rules.PRESETS))
async def test_a_full_game_of_five_on_both_databases(clients: Clients, preset: str) -> None:
    await a_full_game_of_five(clients, preset)
