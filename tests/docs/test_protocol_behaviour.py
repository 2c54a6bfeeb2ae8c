"""Sentences of docs/protocol.md that only a running server can show."""

from __future__ import annotations

import json

from tests.docs.protocol_page import PAGE
from tests.sockets.client import Clients
from tests.sockets.running_server import in_process


async def test_messages_before_hello_a_seat_without_a_seal_and_votes_after_resigning(sqlite_url: str) -> None:
    async with in_process(sqlite_url) as server:
        clients = Clients(server)
        try:
            ann, bo, cy = await clients.game(3)

            assert (
                "Before it, `ping` is answered and every other message is refused with `hello_first`" in PAGE
            )
            async with await clients.twin(ann).open(f"/ws/game/{ann.game}") as link:
                await link.send('{"do":"here"}')
                assert json.loads(await link.recv())["code"] == "hello_first"
                await link.send('{"do":"ping","n":7}')
                assert json.loads(await link.recv())["n"] == 7

            assert "A player who has resigned has no vote" in PAGE
            await cy.act({"type": "resign"})
            assert await cy.refused("vote", seat=1, choice="wait") == "not_seated"
            assert await cy.refused("consent", to="pause", yes=True) == "not_seated"

            assert "`sit` without a seal" in PAGE
            await bo.join(await clients.open_table(ann))
            sit = {"do": "sit", "id": "no-seal-00001"}
            answer = await bo.http.post(f"/api/v1/games/{bo.game}/commands", json=sit)
            assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_seal")
        finally:
            await clients.close()
