"""The host of a locked table sets a new password before the start; only its hash is kept."""

from __future__ import annotations

import orjson
import pytest

from app.play.refusals import NotAdmitted
from tests.play.stage import Guest, Stage


async def locked(stage: Stage) -> Guest:
    ann = stage.guest("ann")
    game = await stage.open_table(ann, password="sesame")
    await ann.come(game)
    await ann.sit()
    return ann


async def test_the_new_word_opens_and_the_old_one_does_not(stage: Stage) -> None:
    ann = await locked(stage)
    wim = await stage.guest("wim").come(ann.game, password="sesame")
    await ann.send("password", password="parrot")
    assert (wim.ear.last["kind"], wim.ear.ended) == ("host", None)  # whoever is inside stays
    assert wim.ear.last["table"]["host"] == "p_ann"
    with pytest.raises(NotAdmitted):
        await stage.guest("bo").come(ann.game, password="sesame")
    await stage.guest("bo").come(ann.game, password="parrot")
    stage.game_server.rooms.evict(stage.clock.now() + 10**9)
    row = await stage.store.game(ann.game)
    assert row is not None
    kept = orjson.dumps([[each.body for each in await stage.store.entries(ann.game)], row.terms])
    assert b"parrot" not in kept


async def test_it_holds_after_the_room_was_loaded_anew_and_for_the_rematch(stage: Stage) -> None:
    ann = await locked(stage)
    await ann.send("password", password="parrot")
    bo = await stage.guest("bo").come(ann.game, password="parrot")
    await bo.sit()
    for guest in (ann, bo):
        await guest.send("ready", ready=True)
    await ann.send("start")
    await ann.act({"type": "resign"}, version=0)
    await ann.send("rematch")
    following = ann.ear.last["table"]["next"]
    for guest in (ann, bo):
        await guest.go()
    stage.game_server.rooms.evict(stage.clock.now() + 10**9)
    for game in (ann.game, following):
        with pytest.raises(NotAdmitted):
            await stage.guest("wim").come(game, password="sesame")
        await stage.guest("wim").come(game, password="parrot")


async def test_only_the_host_of_a_locked_table_before_the_start(stage: Stage) -> None:
    ann = await locked(stage)
    bo = await stage.guest("bo").come(ann.game, password="sesame")
    await bo.sit()
    assert await bo.refused("password", password="mine") == "not_host"
    for word in ("", "x" * 101):
        with pytest.raises(Exception, match="bad_message"):
            await ann.send("password", password=word)
    for guest in (ann, bo):
        await guest.send("ready", ready=True)
    await ann.send("start")
    assert await ann.refused("password", password="late") == "started"
    plain = stage.guest("cai")
    await plain.come(await stage.open_table(plain))
    assert await plain.refused("password", password="lock") == "not_locked"
