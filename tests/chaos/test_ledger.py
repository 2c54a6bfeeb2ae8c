"""The ledger finds planted losses, duplicates and false frames, each with a message of its own."""

from __future__ import annotations

import copy
import re
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import msgspec
import pytest
from sqlalchemy import text

from app.play.room.audience_frames import table_block, view_json
from tests.databases import begin
from tests.play.stage import Stage, open_stage
from tools.soak.client import SoakClient
from tools.soak.ledger import Book, Tally


@pytest.fixture
async def stage(sqlite_url: str) -> AsyncIterator[Stage]:
    async with open_stage(sqlite_url) as opened:
        yield opened


class Scene:
    """A game of one move, its book, and a client that has received everything."""

    def __init__(self, stage: Stage, book: Book, client: SoakClient) -> None:
        self.stage = stage
        self.book = book
        self.client = client

    async def audit(self) -> list[str]:
        tally = Tally()
        noted = self.client.take_notes()
        await self.book.read(tally)
        await self.book.check_notes(self.client, noted, tally)
        self.book.check_view(self.client, tally)
        return tally.wrong


@pytest.fixture
async def scene(stage: Stage) -> Scene:
    ann, _ = await stage.start_game("ann", "bo")
    state = next(m for m in reversed(ann.listener.received) if "choices" in m)
    room = await ann.room()
    client = SoakClient("http://127.0.0.1", "p_ann", "", Random(1))
    client.game = ann.game
    received = len(ann.listener.received)
    client.receive(
        {
            "t": "state",
            "seq": room.table.seq,
            "you": {"seat": 0},
            "table": msgspec.to_builtins(table_block(room.table)),
            "view": copy.deepcopy(view_json(room.table, 0)),
        }
    )
    move = next(c["action"] for c in state["choices"] if c["action"]["type"] == "advance")
    client.pending["moved-once-0"] = {"do": "act"}
    await ann.act(move, id="moved-once-0")
    for message in ann.listener.received[received:]:
        client.receive(copy.deepcopy(message))
    return Scene(stage, Book(stage.store, ann.game), client)


async def _sql(scene: Scene, words: str, **values: Any) -> None:
    async with begin(scene.stage.store.database) as run:
        await run.execute(text(words), values)


async def test_a_correct_server_passes_the_audit(scene: Scene) -> None:
    assert await scene.audit() == []


async def test_a_lost_entry_is_found(scene: Scene) -> None:
    await _sql(scene, "DELETE FROM log WHERE command = 'moved-once-0'")
    found = " ".join(await scene.audit())
    assert re.search(r"moved-once-0 was acknowledged at \d+, but is at None", found)
    assert "which is not in the log" in found
    assert "is at version" in found
    assert "the head says" in found


async def test_an_entry_that_was_changed_later_is_found(scene: Scene) -> None:
    await scene.audit()
    await _sql(scene, "UPDATE log SET at = at + 1 WHERE command = 'moved-once-0'")
    assert any("changed after it was read" in wrong for wrong in await scene.audit())


async def test_a_refused_command_that_is_in_the_log_is_found(scene: Scene) -> None:
    scene.client.noted.refused["moved-once-0"] = "stale"
    assert any("was refused with stale" in wrong for wrong in await scene.audit())


async def test_a_repeated_and_a_missing_entry_are_found(scene: Scene) -> None:
    last = scene.client.seq
    scene.client.receive({"t": "events", "seq": last, "events": []})
    scene.client.receive({"t": "events", "seq": last + 2, "events": []})
    found = " ".join(await scene.audit())
    assert f"events {last} after {last}" in found
    assert f"events {last + 2} after {last}" in found


async def test_another_event_and_another_view_are_found(scene: Scene) -> None:
    seq, kind, _ = scene.client.noted.shown[-1]
    scene.client.noted.shown[-1] = (seq, kind, [{"type": "drew", "seat": 0}])
    assert scene.client.view is not None
    scene.client.view["turn"]["seat"] = 1
    found = " ".join(await scene.audit())
    assert "something other than the log's" in found
    assert "the view at" in found
