"""Whole games over real sockets: four of the presets with five seats and spectators.

Every preset on each of the databases: tests/soak/test_every_game.py; each once, played to its end over sockets:
tests/store/test_old_databases.py.
"""

from __future__ import annotations

import asyncio
import copy

import pytest

from app import rules
from tests.sockets.client import Client, Clients, advance, play_out

GAMES = [("sqlite", "complete"), ("postgresql", "dungeon"), ("sqlite", "jamaica"), ("postgresql", "tortuga")]


@pytest.mark.parametrize(("database_url", "preset"), GAMES, indirect=["database_url"])
async def test_a_full_game_of_five_with_spectators(clients: Clients, preset: str) -> None:
    await a_full_game_of_five(clients, preset)


async def a_full_game_of_five(clients: Clients, preset: str) -> None:
    seated = await clients.game(5, preset)
    watchers = [await clients.person(), await clients.nobody()]
    for watcher in watchers:
        await watcher.join(seated[0].game)
    everybody = [*seated, *watchers]
    await play_out(seated)
    last = seated[0].seq
    for each in everybody:
        await each.reaches(last)
        assert each.table["status"] == "finished"
        assert each.view == seated[0].view  # over: nothing is hidden, and all views are the same
    record = (await seated[0].http.get(f"/api/v1/games/{seated[0].game}/record")).json()
    final = rules.verify(rules.record_from_json(record))
    assert rules.position_to_json(final) == seated[0].view
    assert record["result"] == seated[0].table["result"]


async def test_reconnecting_in_mid_turn_from_another_client(clients: Clients) -> None:
    ann, bo = await clients.game(2)
    await ann.act(advance(ann))
    phone = clients.twin(ann)
    await phone.join(ann.game)
    assert phone.choices == ann.choices
    assert phone.view == ann.view
    await ann.leave()
    await phone.act(advance(phone))
    await bo.until(lambda: bo.seq == phone.seq)
    ann.link = None
    await ann.join(ann.game, resume=True)
    await ann.until(lambda: ann.seq == phone.seq)
    assert ann.of("welcome")[-1]["resumed"] is True
    assert ann.view == phone.view
    assert ann.choices == phone.choices


async def test_five_copies_of_a_command_are_applied_once(clients: Clients) -> None:
    ann, bo = await clients.game(2)
    seq, action = ann.seq, advance(ann)
    for _ in range(5):
        await ann.say("act", id="five-copies", version=seq, action=action)
    await ann.until(lambda: sum(message.get("ack") == "five-copies" for message in ann.log) == 5)
    assert {message["seq"] for message in ann.log if message.get("ack") == "five-copies"} == {seq + 1}
    assert not ann.of("refused")
    assert await clients.server.head(ann.game) == seq + 1
    await bo.until(lambda: bo.seq == seq + 1)


async def test_one_of_two_devices_racing_for_a_version_is_refused(clients: Clients) -> None:
    ann, _ = await clients.game(2)
    phone = clients.twin(ann)
    await phone.join(ann.game)
    seq, action = ann.seq, advance(ann)
    results = await asyncio.gather(
        ann.command("act", version=seq, action=action),
        phone.command("act", version=seq, action=action),
        return_exceptions=True,
    )
    assert sorted(getattr(result, "code", "accepted") for result in results) == ["accepted", "stale"]
    assert await clients.server.head(ann.game) == seq + 1
    refusal = next(iter([*ann.of("refused"), *phone.of("refused")]))
    assert refusal["state"]["seq"] == seq + 1


def undo_of(client: Client) -> bool:
    return client.may_undo


async def test_undo_allowed_and_refused(clients: Clients) -> None:
    ann, bo = await clients.game(2, "dungeon")
    before = copy.deepcopy(ann.view)
    await ann.act(advance(ann))
    assert undo_of(ann)
    await ann.command("undo", version=ann.seq)
    assert ann.view == before
    await bo.until(lambda: bo.seq == ann.seq)
    assert not undo_of(ann)
    await ann.act(advance(ann))
    await ann.act(advance(ann))
    retreat = next(c["action"] for c in ann.choices if c["action"]["type"] == "retreat")
    await ann.act(retreat)
    assert not undo_of(ann)
    assert await ann.refused("undo", version=ann.seq) == "undo_blocked"


async def test_an_evicted_room_is_reloaded_unchanged(clients: Clients) -> None:
    ann, bo = await clients.game(2)
    await ann.act(advance(ann))
    view, choices, seq = copy.deepcopy(ann.view), ann.choices, ann.seq
    await ann.leave()
    await bo.leave()
    game_server = clients.server.game_server
    for _ in range(100):
        if game_server.rooms.evict(game_server.clock.now() + 10**9):
            break
        await asyncio.sleep(0.02)
    assert game_server.rooms.get_loaded(ann.game) is None
    await ann.join(ann.game)
    assert (ann.view, ann.choices, ann.seq) == (view, choices, seq)
    await ann.act(advance(ann))


async def test_the_game_continues_under_another_host_when_the_host_leaves(clients: Clients) -> None:
    ann, bo, cy = await clients.person(), await clients.person(), await clients.person()
    game = await clients.open_table(ann, players=3)
    for client in (ann, bo, cy):
        await client.join(game)
        await client.command("sit")
        await client.command("ready", ready=True)
    await ann.command("stand")
    await bo.until(lambda: bo.table["host"] == bo.person)
    await ann.leave()
    await bo.command("start")
    await cy.until(lambda: cy.table["status"] == "running")
    assert len(cy.table["seats"]) == 2


async def test_a_password_room(clients: Clients) -> None:
    ann, bo = await clients.person(), await clients.person()
    game = await clients.open_table(ann, visibility="unlisted", password="rum and raisins")
    await ann.join(game)
    answers = []
    for where in (game, "NoSuchRoomAnywhere"):
        for password in (None, "wrong"):
            stranger = clients.twin(bo)
            await stranger.join(where, password=password)
            answers.append((stranger.log, await stranger.is_closed()))
    assert answers[:2] == answers[2:]  # an unknown room looks like a locked, unlisted one
    assert [log[0]["code"] for log, _ in answers[:2]] == ["password_required", "password_wrong"]
    assert {code for _, code in answers} == {4003}
    await bo.join(game, password="rum and raisins")
    await bo.command("sit")
    await bo.leave()
    await bo.join(game)  # a seated player needs no password
    assert bo.seat == 0
    state = await bo.http.get(f"/api/v1/games/{game}")
    assert state.status_code == 200
    other = await clients.person()
    for where in (game, "NoSuchRoomAnywhere"):
        assert (await other.http.get(f"/api/v1/games/{where}")).status_code == 403
        answer = await other.http.get(f"/api/v1/games/{where}", headers={"X-Room-Password": "wrong"})
        assert answer.json()["error"]["code"] == "password_wrong"


async def test_a_rematch_seats_all_players(clients: Clients) -> None:
    ann, bo = await clients.game(2)
    watcher = await (await clients.person()).join(ann.game)
    await bo.act({"type": "resign"})
    await ann.until(lambda: ann.table["status"] == "finished")
    await ann.command("rematch")
    following = ann.table["next"]
    for client in (bo, watcher):
        await client.sees("next", following)
    old = ann.seat
    for client in (ann, bo):
        await client.leave()
        await client.join(following)
        await client.command("sit")
        await client.command("ready", ready=True)
    assert ann.seat != old
    await ann.command("start")
    assert ann.table["status"] == "running"
