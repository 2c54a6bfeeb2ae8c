"""The host of a locked table sets a new password before the start; only its hash is stored."""

from __future__ import annotations

import orjson
import pytest

from app.play.refusals import NotAdmitted
from tests.play.stage import Guest, Stage


async def open_locked_table(stage: Stage) -> Guest:
    ann = stage.guest("ann")
    game = await stage.open_table(ann, password="sesame")
    await ann.enter(game)
    await ann.sit()
    return ann


async def test_only_the_new_password_admits(stage: Stage) -> None:
    ann = await open_locked_table(stage)
    wim = await stage.guest("wim").enter(ann.game, password="sesame")
    await ann.send("password", password="parrot")
    assert (wim.listener.last["kind"], wim.listener.end_reason) == ("host", None)  # connected clients stay
    assert wim.listener.last["table"]["host"] == "p_ann"
    with pytest.raises(NotAdmitted):
        await stage.guest("bo").enter(ann.game, password="sesame")
    await stage.guest("bo").enter(ann.game, password="parrot")
    stage.game_server.rooms.evict(stage.clock.now() + 10**9)
    row = await stage.store.log.read_game(ann.game)
    assert row is not None
    kept = orjson.dumps([[each.body for each in await stage.store.log.read_entries(ann.game)], row.terms])
    assert b"parrot" not in kept


async def test_a_new_password_survives_reloading_and_applies_to_the_rematch(stage: Stage) -> None:
    ann = await open_locked_table(stage)
    await ann.send("password", password="parrot")
    bo = await stage.guest("bo").enter(ann.game, password="parrot")
    await bo.sit()
    for guest in (ann, bo):
        await guest.send("ready", ready=True)
    await ann.send("start")
    await ann.act({"type": "resign"}, version=0)
    await ann.send("rematch")
    following = ann.listener.last["table"]["next"]
    for guest in (ann, bo):
        await guest.leave()
    stage.game_server.rooms.evict(stage.clock.now() + 10**9)
    for game in (ann.game, following):
        with pytest.raises(NotAdmitted):
            await stage.guest("wim").enter(game, password="sesame")
        await stage.guest("wim").enter(game, password="parrot")


async def test_only_the_host_can_change_the_password_before_the_start(stage: Stage) -> None:
    ann = await open_locked_table(stage)
    bo = await stage.guest("bo").enter(ann.game, password="sesame")
    await bo.sit()
    assert await bo.expect_refusal("password", password="mine") == "not_host"
    for word in ("", "x" * 101):
        with pytest.raises(Exception, match="bad_message"):
            await ann.send("password", password=word)
    for guest in (ann, bo):
        await guest.send("ready", ready=True)
    await ann.send("start")
    assert await ann.expect_refusal("password", password="late") == "started"
    plain = stage.guest("cai")
    await plain.enter(await stage.open_table(plain))
    assert await plain.expect_refusal("password", password="lock") == "not_locked"
