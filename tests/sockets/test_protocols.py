"""Old and new clients and tables: protocol 1 where seats are not sealed, and a version nobody here knows."""

from __future__ import annotations

import pytest

from app.play import engines
from tests.sockets.client import Clients


async def test_a_page_of_before_the_update_plays_on_where_seats_are_not_sealed(
    light_clients: Clients,
) -> None:
    game_server = light_clients.server.game_server
    ann = await light_clients.person()
    sealed = await light_clients.open_table(ann)
    game_server.new_tables = 1
    old = await light_clients.open_table(ann)
    game_server.new_tables = 2
    for game, closed in ((old, None), (sealed, 4001)):
        page = light_clients.twin(ann)
        page.game = game
        page.speaks = 1
        await page.join(game)
        assert page.closed_with == closed
    strange = light_clients.twin(ann)
    strange.speaks = 3
    await strange.join(old)
    assert strange.closed_with == 4001


async def test_a_table_of_a_version_nobody_here_knows_is_let_alone_over_http_too(
    light_clients: Clients, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ann = await light_clients.person()
    game = await light_clients.open_table(ann)
    monkeypatch.setattr(engines, "ENGINES", {})
    for method, path, body in (
        ("GET", f"/api/v1/games/{game}", None),
        ("GET", f"/api/v1/games/{game}/record", None),
        ("POST", f"/api/v1/games/{game}/commands", {"do": "stand", "id": "12345678"}),
    ):
        answer = await ann.http.request(method, path, json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "unknown_rules")
    assert (await ann.http.get("/api/v1/games?list=mine")).json()["games"][0]["id"] == game
    await ann.join(game)
    assert ann.closed_with == 4006
    assert not [line for line in caplog.records if line.exc_info]
