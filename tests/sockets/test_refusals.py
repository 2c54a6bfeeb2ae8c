"""Every refusal code met by a real client, with the head unchanged after it; and every close code."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest

from app.play.commands import allowance
from app.play.ports import StoreUnavailable
from app.play.refusals import SENTENCES
from app.play.room.room import Room
from app.settings import Settings
from app.web.security.limits import CommandLimits
from tests.play.stage import stored_by
from tests.sockets.client import Client, Clients, advance

NONCE = "0123456789abcdef" * 2
BY_DEALS = {
    "deal_alone",
    "deal_sealed",
    "deal_unplayed",
}  # met in tests/web/deal and tests/attack/test_deal.py


class Book:
    """Which codes were met, each with the head where it was."""

    def __init__(self, clients: Clients) -> None:
        self.clients = clients
        self.met: set[str] = set()

    async def expect(self, code: str, client: Client, do: str, **fields: Any) -> None:
        before = await self.clients.server.head(client.game)
        assert await client.refused(do, **fields) == code
        assert await self.clients.server.head(client.game) == before
        self.met.add(code)

    async def expect_raw(self, code: str, client: Client, frame: str | bytes) -> None:
        before = await self.clients.server.head(client.game)
        start = len(client.log)
        assert client.link is not None
        await client.link.send(frame)
        # Who is here may be told in between.
        await client.until(lambda: any(message["t"] == "refused" for message in client.log[start:]))
        assert next(message["code"] for message in client.log[start:] if message["t"] == "refused") == code
        assert await self.clients.server.head(client.game) == before
        self.met.add(code)


async def test_every_refusal_code_is_met_and_changes_nothing(
    clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = Book(clients)
    await _before_the_start(book)
    await _in_the_game(book)
    await _around_the_game(book)
    await _at_the_door(book)
    await _while_it_opens(book)
    await _when_the_store_is_away(book, monkeypatch)
    assert set(SENTENCES) - book.met == BY_DEALS


async def _before_the_start(book: Book) -> None:
    clients = book.clients
    ann, bo, cy = await clients.person(), await clients.person(), await clients.person()
    game = await clients.open_table(ann, players=2, options={"first": 1})
    for client in (ann, bo, cy):
        await client.join(game)
    await book.expect("not_seated", bo, "ready", ready=True)
    await book.expect("bad_seal", bo, "sit", seal="xyz")
    await book.expect("bad_colour", bo, "sit", colour="pink")
    await book.expect("bad_seat", bo, "sit", seat=9)
    await book.expect("sit_to_begin", ann, "start")
    await ann.command("sit", seat=0, colour="red", id="anns-sitting")
    await book.expect("too_few", ann, "start")
    await book.expect("not_locked", ann, "password", password="sesame")
    await book.expect("not_started", ann, "act", version=9, action={"type": "end"})
    await book.expect("colour_taken", bo, "sit", colour="red")
    await book.expect("seat_taken", bo, "sit", seat=0)
    await book.expect("bad_level", ann, "bot", level="admiral")
    await book.expect("id_taken", bo, "sit", id="anns-sitting")
    await bo.command("sit")
    await book.expect("no_free_seat", cy, "sit")
    await book.expect("not_host", bo, "start")
    await book.expect("not_ready", ann, "start")
    await book.expect("not_over", ann, "rematch")
    three = await clients.open_table(ann, players=3, options={"first": 2})
    for client in (ann, bo):
        await client.leave()
        await client.join(three)
        await client.command("sit")
        await client.command("ready", ready=True)
    await book.expect("bad_options", ann, "start")
    await clients.server.game_server.close_room(game, "test")
    await cy.leave()
    await cy.join(game)
    await book.expect("closed", cy, "sit")


async def _while_it_opens(book: Book) -> None:
    ann, bo = await book.clients.person(), await book.clients.person()
    game = await book.clients.open_table(ann)
    for client in (ann, bo):
        client.opens = False
        await client.join(game)
        await client.command("sit")
        await client.command("ready", ready=True)
    await book.expect("not_opening", ann, "void", next_seal="a" * 64)
    await book.expect("seal_used", bo, "seal", seal=ann.table["seals"][0])
    await ann.command("start")
    await book.expect("opening", ann, "start")
    await book.expect("bad_nonce", ann, "open", nonce="xyz", next_seal="a" * 64)
    await book.expect("wrong_nonce", ann, "open", nonce="0" * 32, next_seal="a" * 64)
    opened = ann.keeper.answer(ann.table, 0)
    assert opened is not None
    await ann.command(**opened)
    await book.expect("already_open", ann, "void", next_seal="a" * 64)
    await bo.command("void", next_seal="b" * 64)
    await ann.command("start")
    await ann.command("void", next_seal="c" * 64)
    await book.expect("not_sealed", ann, "start")  # bo had not opened: everybody seals anew
    room = book.clients.server.game_server.rooms.loaded(game)
    assert room is not None
    assert room.table.missed == {ann.person: 1, bo.person: 1}
    room.table.missed = {bo.person: 2}
    await book.expect("missed_twice", bo, "sit")
    book.clients.server.game_server.new_tables = 1
    old = await book.clients.open_table(ann)
    book.clients.server.game_server.new_tables = 2
    await ann.leave()
    await ann.join(old)
    await ann.command("sit")
    await book.expect("no_seals", ann, "seal", seal="a" * 64)


async def _in_the_game(book: Book) -> None:
    ann, bo = await book.clients.game(2)
    await book.expect("started", ann, "start")
    await book.expect("not_your_turn", bo, "act", version=bo.seq, action={"type": "end"})
    await book.expect("bad_action", ann, "act", version=ann.seq, action={"type": "fly"})
    await book.expect("illegal", ann, "act", version=ann.seq, action={"type": "end"})
    await book.expect("stale", ann, "act", version=1, action=advance(ann))
    await book.expect("nothing_to_undo", ann, "undo", version=ann.seq)
    await book.expect("not_paused", ann, "consent", to="continue", yes=True)
    await book.expect("not_absent", ann, "vote", seat=1, choice="end")
    await book.expect("not_taken_over", ann, "return")
    await book.expect("no_hints", ann, "hint", version=ann.seq)
    await ann.act(advance(ann))
    await ann.act(advance(ann))
    retreat = next((c["action"] for c in ann.choices if c["action"]["type"] == "retreat"), None)
    if retreat is not None:
        await ann.act(retreat)
        await book.expect("undo_blocked", ann, "undo", version=ann.seq)
    await ann.command("consent", to="pause", yes=True)
    await bo.command("consent", to="pause", yes=True)
    await ann.until(lambda: ann.table["paused"])
    await book.expect("paused", ann, "act", version=ann.seq, action={"type": "end"})
    await bo.act({"type": "resign"})
    await ann.until(lambda: ann.table["status"] == "finished")
    await book.expect("game_over", ann, "act", version=ann.seq, action={"type": "end"})
    late, _ = await book.clients.game(2, clock={"kind": "turn", "seconds": 600}, absence=0)
    game_server = book.clients.server.game_server
    room = game_server.rooms.loaded(late.game)
    assert room is not None
    assert room.table.clocks is not None
    room.table.clocks.left[0] = -(10**8)  # long over, whatever a slow disk is credited
    game_server.sweeper.loop._busy[late.game] = (
        None  # else it would move for her before the head is read again
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Room, "reschedule", _nobody_wakes)
        await book.expect("time_up", late, "act", version=late.seq, action=advance(late))
    del game_server.sweeper.loop._busy[late.game]
    taken, _ = await book.clients.game(
        2, clock={"kind": "turn", "seconds": 600}, on_timeout="bot", absence=0, pace=10_000
    )
    room = game_server.rooms.loaded(taken.game)
    assert room is not None
    assert room.table.clocks is not None
    room.table.clocks.left[0] = 0
    await game_server.store.wake(taken.game, 0)
    await taken.until(lambda: taken.table["seats"][0]["bot"])
    await book.expect("bot_plays", taken, "act", version=taken.seq, action={"type": "end"})


async def _around_the_game(book: Book) -> None:
    ann, bo = await book.clients.game(2)
    await book.expect("bad_text", ann, "chat", text="\x07")
    await book.expect("unknown_person", ann, "mute", person="nobody-at-all", on=True)
    await ann.command("close_chat", closed=True)
    await book.expect("chat_closed", bo, "chat", text="hello?")
    await book.expect("no_change", ann, "close_chat", closed=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(allowance, "MAX_BY_PERSON", 0)
        await book.expect("too_many_changes", ann, "close_chat", closed=False)
        slow = Settings(writes_per_second=0.01, writes_burst=1)
        patch.setattr(book.clients.server.game_server, "check", CommandLimits(slow, time.monotonic).check)
        for do, fields in (
            ("chat", {"text": "hello?"}),
            ("mute", {"person": "nobody-at-all", "on": True}),
            ("hint", {"version": ann.seq}),
            ("password", {"password": "another"}),
        ):
            for _ in range(2):
                await ann.refused(do, **fields)
            await book.expect(f"{do}_too_fast", ann, do, **fields)
    nobody = await book.clients.nobody()
    await nobody.join(ann.game)
    await book.expect("no_session", nobody, "chat", text="hello?")
    await book.expect_raw("bad_message", ann, "{")
    await book.expect_raw("bad_message", ann, b"bytes")
    await book.expect_raw("bad_message", ann, '{"do":"act","id":"12345678","version":1}')
    fast = book.clients.twin(bo)
    fast.game = bo.game
    fast.link = await fast.open(f"/ws/game/{bo.game}")
    fast._reading = asyncio.create_task(fast._read(fast.link))
    await book.expect_raw("hello_first", fast, '{"do":"stand","id":"12345678"}')


async def _at_the_door(book: Book) -> None:
    clients, game_server = book.clients, book.clients.server.game_server
    ann, bo = await clients.game(2, spectators=False)
    locked = await clients.open_table(ann, visibility="password", password="secret")
    stranger = await clients.person()
    for code, game, password in (
        ("no_spectators", ann.game, None),
        ("password_required", locked, None),
        ("password_wrong", locked, "guess"),
    ):
        other = clients.twin(stranger)
        await other.join(game, password=password)
        assert other.log[0]["code"] == code
        book.met.add(code)
    blocker = await clients.person()
    game = await clients.open_table(blocker, players=3)
    await blocker.join(game)
    await blocker.command("sit")
    await stranger.join(game)
    blocks, game_server.blocks = game_server.blocks, _everybody_blocks
    await book.expect("blocked", stranger, "sit")
    game_server.blocks = blocks
    new = {"options": {"preset": "jamaica", "players": 2}}
    answers = [await stranger.http.post("/api/v1/games", json=new) for _ in range(11)]
    assert answers[-1].json()["error"]["code"] == "too_many_rooms"
    book.met.add("too_many_rooms")
    site = clients.server._app.state.site  # type: ignore[union-attr]
    settings = site.limits.settings
    site.limits.settings = replace(settings, frames_per_second=0.01, frames_burst=2)
    hasty = clients.twin(bo)
    await hasty.join(bo.game)
    site.limits.settings = settings
    await hasty.say("ping", n=1)
    await book.expect_raw("too_fast", hasty, '{"do":"ping","n":2}')
    site.bans.replace(["127.0.0.0/8"])
    banned = clients.twin(bo)
    banned.link = await banned.open(f"/ws/game/{bo.game}")
    banned._reading = asyncio.create_task(banned._read(banned.link))
    await banned.until(lambda: banned.closed_with)
    assert (banned.log[0]["code"], banned.closed_with) == ("banned", 4003)
    book.met.add("banned")
    site.bans.replace([])


async def _nobody_wakes(room: object) -> None:
    pass


async def _everybody_blocks(person: object, others: object) -> bool:
    return True


async def _when_the_store_is_away(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, _ = await book.clients.game(2)

    async def fail(*_: object) -> bool:
        raise StoreUnavailable("gone")

    with monkeypatch.context() as away:
        away.setattr(book.clients.server.game_server.store, "append", stored_by(fail))
        await book.expect("try_again", ann, "act", version=ann.seq, action=advance(ann), id="try-me-again")
    await ann.act(advance(ann), id="try-me-again")  # the same id, once the store is back
