"""Asking why a click does nothing: answered from the asker's own view, without writing or telling anyone."""

from __future__ import annotations

import pytest

from app.web.ws import game
from tests.sockets.client import Client, Clients, Message, Refused, advance


async def why(client: Client, **click: object) -> Message:
    return await client.command("why", **click)


async def test_the_answer_is_the_refusal_of_the_nearest_action(light_clients: Clients) -> None:
    ann, bo = await light_clients.game()
    watcher = await light_clients.person()
    await watcher.join(ann.game)
    own, other = (ann, bo) if ann.choices else (bo, ann)
    head = await light_clients.server.head(ann.game)
    heard = len(other.log)
    answer = await why(own, place=3)
    assert (answer["t"], answer["code"], answer["params"]["n"]) == ("why", "illegal", 3)
    # The hand decides which.
    assert answer["why"] in ("no_pirate_on", "no_card_with_symbol", "nearer_space")
    played = advance(own)
    assert (await why(own, card=played["card"], pirate=played["from"]))[
        "code"
    ] == "stale"  # it is a legal action
    assert (await why(other, place=3))["code"] == "not_your_turn"
    assert (await why(watcher, supply=True))["code"] == "not_seated"
    assert await light_clients.server.head(ann.game) == head
    assert not [frame for frame in other.log[heard:] if frame["t"] not in ("why", "presence")]
    assert other.seq == own.seq


async def test_questions_are_refused_before_hello_over_http_and_when_malformed(
    light_clients: Clients,
) -> None:
    ann, _bo = await light_clients.game()
    for wrong in ({"place": -1}, {"card": 5}, {"player": 10}, {"place": "x" * 65}, {"from": 3}):
        with pytest.raises(Refused) as refused:
            await why(ann, **wrong)
        assert refused.value.code == "bad_message"
    answer = await ann.http.post(f"/api/v1/games/{ann.game}/commands", json={"do": "why", "id": "question-1"})
    assert answer.status_code == 422
    assert "bad_message" in answer.text
    assert (await why(ann, place="nowhere", pirate="elsewhere"))["code"] in ("illegal", "not_your_turn")


async def test_tables_before_and_after_the_game_answer_too(light_clients: Clients) -> None:
    ann = await light_clients.person()
    table = await light_clients.open_table(ann)
    await ann.join(table)
    assert (await why(ann, place=1))["code"] == "not_seated"
    await ann.command("sit")
    assert (await why(ann, place=1))["code"] == "not_started"
    one, other = await light_clients.game()
    await one.act({"type": "resign"})
    await other.reaches(one.seq)
    assert (await why(other, place=1))["code"] == "game_over"


async def test_the_work_is_charged_to_the_address(
    light_clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _bo = await light_clients.game()
    monkeypatch.setattr(game, "WHY_COST_MS", 1e9)
    with pytest.raises(Refused) as refused:
        await why(ann, place=3)
    assert refused.value.code == "too_fast"
    await ann.say("ping", n=1)  # the socket stays open
    await ann.until(lambda: ann.of("pong"))
