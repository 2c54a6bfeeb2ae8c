"""Clients with another protocol version, and tables with an unknown rules version."""

from __future__ import annotations

import pytest

from app.client.socket import receive, send
from app.play import engines
from tests.sockets.client import Clients


@pytest.mark.parametrize(
    ("version", "answers"),
    [(1, {"game": 4001, "lobby": "welcome"}), (3, {"game": 4001, "lobby": 4001})],
)
async def test_other_protocol_versions_are_closed_except_that_of_0_1_0_in_the_lobby(
    light_clients: Clients, version: int, answers: dict[str, int | str]
) -> None:
    ann = await light_clients.person()
    paths = {"game": f"/ws/game/{await light_clients.open_table(ann)}", "lobby": "/ws/lobby"}
    for name, path in paths.items():
        link = await ann.open(path)
        await send(link, {"do": "hello", "v": version})
        frame = await receive(link)
        assert (link.close_code if frame is None else frame["t"]) == answers[name]
        await link.close()


async def test_a_table_with_unknown_rules_is_refused_over_http(
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
