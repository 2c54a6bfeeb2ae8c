"""Log and metrics of a game contain no card, seed, password, code or session."""

from __future__ import annotations

import re
from pathlib import Path

import httpx

from tests.sockets.client import Clients, play_out
from tests.sockets.running_server import own_process

CARDS = re.compile(r"bottle|dagger|skull|pistol|\bhat\b|\bkey\b|\bkey\*|hat\*")
PASSWORD = "plank, parrot, doubloon"


async def test_log_and_metrics_of_a_whole_game_contain_no_card(sqlite_url: str, tmp_path: Path) -> None:
    """At debug level, with bots, refusals, a hint, a wrong password and invalid messages."""
    async with own_process(sqlite_url, tmp_path, log_level="debug", metrics_token="collector") as server:
        clients = Clients(server)
        ann, bo = await clients.game(2, bots=["cabin-boy"], hints=True, pace=0, absence=0)
        await ann.command("hint", version=ann.seq)
        await ann.refused("act", version=ann.seq, action={"type": "advance", "card": "skull*", "from": 35})
        await play_out([ann, bo])
        await ann.sees("status", "finished")
        await ann.http.post("/api/v1/account/login", json={"name": "Nobody Here", "password": PASSWORD})
        await ann.http.get("/resume/ABCD-EFGH-JKMN")
        await ann.http.post("/replay/steps", json={"record": {"players": "dagger"}})
        assert ann.link is not None
        await ann.link.send('{"do":"act","card":"dagger"}')
        await ann.link.send("dagger" * 1000)
        await ann.is_closed()
        async with httpx.AsyncClient(base_url=server.base) as collector:
            metrics = (await collector.get("/metrics", headers={"Authorization": "Bearer collector"})).text
        sessions = [client.http.cookies["cartagena"].split(".")[0] for client in (ann, bo)]
        nonces = [nonce for nonce in ann.table["nonces"] if nonce]
        seed = ann.table["server_seed"]  # revealed now; the server knew it from the start
        await clients.close()
    log = server.said()
    assert "cartagena_actions_total" in metrics
    assert "Cartagena is open" in log
    for text in (metrics, log):
        lines = [line for line in text.splitlines() if CARDS.search(line)]
        assert lines == []
        for secret in (*sessions, *nonces, seed, PASSWORD, "ABCD-EFGH", "collector"):
            assert secret not in text
    assert "Traceback" not in log
