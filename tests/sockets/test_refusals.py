"""Every refusal code, provoked by a real client, leaves the log unchanged; and every close code."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest

from app.play.commands import entry_limits
from app.play.engines import CURRENT_RULES_VERSION
from app.play.ports import StoreUnavailable
from app.play.refusals import SENTENCES
from app.play.room.room import Room
from app.settings import Settings
from app.web.security.limits import CommandLimits
from tests.play.stage import append_with
from tests.sockets.client import Client, Clients, advance

NONCE = "0123456789abcdef" * 2
DEAL_REFUSALS = {
    "deal_alone",
    "deal_sealed",
    "deal_unplayed",
}  # covered in tests/web/deal and tests/attack/test_deal.py


class RefusalCoverage:
    """Records the codes that occurred, and checks that the log head did not change."""

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
        # A presence message may come in between.
        await client.until(lambda: any(message["t"] == "refused" for message in client.log[start:]))
        assert next(message["code"] for message in client.log[start:] if message["t"] == "refused") == code
        assert await self.clients.server.head(client.game) == before
        self.met.add(code)


async def test_every_refusal_code_occurs_and_changes_nothing(
    clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    coverage = RefusalCoverage(clients)
    await _before_the_start(coverage)
    await _in_the_game(coverage)
    await _around_the_game(coverage)
    await _at_the_door(coverage)
    await _while_it_opens(coverage)
    await _when_the_store_is_away(coverage, monkeypatch)
    assert set(SENTENCES) - coverage.met == DEAL_REFUSALS


async def _before_the_start(coverage: RefusalCoverage) -> None:
    clients = coverage.clients
    ann, bo, cy = await clients.person(), await clients.person(), await clients.person()
    game = await clients.open_table(ann, players=2, options={"first": 1})
    for client in (ann, bo, cy):
        await client.join(game)
    await coverage.expect("not_seated", bo, "ready", ready=True)
    await coverage.expect("bad_seal", bo, "sit", seal="xyz")
    await coverage.expect("bad_colour", bo, "sit", colour="pink")
    await coverage.expect("bad_seat", bo, "sit", seat=9)
    await coverage.expect("sit_to_begin", ann, "start")
    await ann.command("sit", seat=0, colour="red", id="anns-sitting")
    await coverage.expect("too_few", ann, "start")
    await coverage.expect("not_locked", ann, "password", password="sesame")
    await coverage.expect("not_started", ann, "act", version=9, action={"type": "end"})
    await coverage.expect("colour_taken", bo, "sit", colour="red")
    await coverage.expect("seat_taken", bo, "sit", seat=0)
    await coverage.expect("bad_level", ann, "bot", level="admiral")
    await coverage.expect("id_taken", bo, "sit", id="anns-sitting")
    await bo.command("sit")
    await coverage.expect("no_free_seat", cy, "sit")
    await coverage.expect("not_host", bo, "start")
    await coverage.expect("not_ready", ann, "start")
    await coverage.expect("not_over", ann, "rematch")
    three = await clients.open_table(ann, players=3, options={"first": 2})
    for client in (ann, bo):
        await client.leave()
        await client.join(three)
        await client.command("sit")
        await client.command("ready", ready=True)
    await coverage.expect("bad_options", ann, "start")
    await ann.command("remove", seat=1)
    await coverage.expect("removed", bo, "sit")
    await clients.server.game_server.close_room(game, "test")
    await cy.leave()
    await cy.join(game)
    await coverage.expect("closed", cy, "sit")
    await ann.http.post("/api/v1/account/register", json={"password": "plank, parrot, doubloon"})
    rated = await clients.open_table(ann, rated=True)
    await cy.leave()
    await cy.join(rated)
    await coverage.expect("account_required", cy, "sit")


async def _while_it_opens(coverage: RefusalCoverage) -> None:
    ann, bo = await coverage.clients.person(), await coverage.clients.person()
    game = await coverage.clients.open_table(ann)
    for client in (ann, bo):
        client.opens = False
        await client.join(game)
        await client.command("sit")
        await client.command("ready", ready=True)
    await coverage.expect("not_opening", ann, "void", next_seal="a" * 64)
    await coverage.expect("seal_used", bo, "seal", seal=ann.table["seals"][0])
    await ann.command("start")
    await coverage.expect("opening", ann, "start")
    await coverage.expect("bad_nonce", ann, "open", nonce="xyz", next_seal="a" * 64)
    await coverage.expect("wrong_nonce", ann, "open", nonce="0" * 32, next_seal="a" * 64)
    opened = ann.keeper.next_command(ann.table, 0)
    assert opened is not None
    await ann.command(**opened)
    await coverage.expect("already_open", ann, "void", next_seal="a" * 64)
    await bo.command("void", next_seal="b" * 64)
    await ann.command("start")
    await ann.command("void", next_seal="c" * 64)
    await coverage.expect("not_sealed", ann, "start")  # bo had not opened: all seals are replaced
    room = coverage.clients.server.game_server.rooms.get_loaded(game)
    assert room is not None
    assert room.table.missed_rounds == {ann.person: 1, bo.person: 1}
    room.table.missed_rounds = {bo.person: 2}
    await coverage.expect("missed_twice", bo, "sit")
    coverage.clients.server.game_server.new_table_version = 1
    old = await coverage.clients.open_table(ann)
    coverage.clients.server.game_server.new_table_version = CURRENT_RULES_VERSION
    await ann.leave()
    await ann.join(old)
    await coverage.expect("no_seals", ann, "sit")


async def _in_the_game(coverage: RefusalCoverage) -> None:
    ann, bo = await coverage.clients.game(2)
    await coverage.expect("started", ann, "start")
    await coverage.expect("not_your_turn", bo, "act", version=bo.seq, action={"type": "end"})
    await coverage.expect("bad_action", ann, "act", version=ann.seq, action={"type": "fly"})
    await coverage.expect("illegal", ann, "act", version=ann.seq, action={"type": "end"})
    await coverage.expect("stale", ann, "act", version=1, action=advance(ann))
    await coverage.expect("nothing_to_undo", ann, "undo", version=ann.seq)
    await coverage.expect("not_paused", ann, "consent", to="continue", yes=True)
    await coverage.expect("not_absent", ann, "vote", seat=1, choice="end")
    await coverage.expect("not_taken_over", ann, "return")
    await coverage.expect("no_hints", ann, "hint", version=ann.seq)
    await ann.act(advance(ann))
    await ann.act(advance(ann))
    retreat = next((c["action"] for c in ann.choices if c["action"]["type"] == "retreat"), None)
    if retreat is not None:
        await ann.act(retreat)
        await coverage.expect("undo_blocked", ann, "undo", version=ann.seq)
    await ann.command("consent", to="pause", yes=True)
    await bo.command("consent", to="pause", yes=True)
    await ann.until(lambda: ann.table["paused"])
    await coverage.expect("paused", ann, "act", version=ann.seq, action={"type": "end"})
    await bo.act({"type": "resign"})
    await ann.until(lambda: ann.table["status"] == "finished")
    await coverage.expect("game_over", ann, "act", version=ann.seq, action={"type": "end"})
    late, _ = await coverage.clients.game(2, clock={"kind": "turn", "seconds": 600}, absence=0)
    game_server = coverage.clients.server.game_server
    room = game_server.rooms.get_loaded(late.game)
    assert room is not None
    assert room.table.clocks is not None
    room.table.clocks.left[0] = -(10**8)  # long past, even with credit for a slow disk
    game_server.sweeper.loop._busy[late.game] = (
        None  # otherwise it would move for her before the head is read
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Room, "reschedule", _no_reschedule)
        await coverage.expect("time_up", late, "act", version=late.seq, action=advance(late))
    del game_server.sweeper.loop._busy[late.game]
    taken, _ = await coverage.clients.game(
        2, clock={"kind": "turn", "seconds": 600}, on_timeout="bot", absence=0, pace=10_000
    )
    room = game_server.rooms.get_loaded(taken.game)
    assert room is not None
    assert room.table.clocks is not None
    room.table.clocks.left[0] = 0
    await game_server.store.due.schedule(taken.game, 0)
    await taken.until(lambda: taken.table["seats"][0]["bot"])
    await coverage.expect("bot_plays", taken, "act", version=taken.seq, action={"type": "end"})


async def _around_the_game(coverage: RefusalCoverage) -> None:
    ann, bo = await coverage.clients.game(2)
    await coverage.expect("bad_text", ann, "chat", text="\x07")
    await coverage.expect("unknown_person", ann, "mute", person="nobody-at-all", on=True)
    await ann.command("close_chat", closed=True)
    await coverage.expect("chat_closed", bo, "chat", text="hello?")
    await coverage.expect("no_change", ann, "close_chat", closed=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entry_limits, "MAX_ENTRIES_BY_PERSON", 0)
        await coverage.expect("too_many_changes", ann, "close_chat", closed=False)
        slow = Settings(writes_per_second=0.01, writes_burst=1)
        patch.setattr(
            coverage.clients.server.game_server.dispatcher,
            "check_limits",
            CommandLimits(slow, time.monotonic).check,
        )
        for do, fields in (
            ("chat", {"text": "hello?"}),
            ("mute", {"person": "nobody-at-all", "on": True}),
            ("hint", {"version": ann.seq}),
            ("password", {"password": "another"}),
        ):
            for _ in range(2):
                await ann.refused(do, **fields)
            await coverage.expect(f"{do}_too_fast", ann, do, **fields)
    nobody = await coverage.clients.nobody()
    await nobody.join(ann.game)
    await coverage.expect("no_session", nobody, "chat", text="hello?")
    await coverage.expect_raw("bad_message", ann, "{")
    await coverage.expect_raw("bad_message", ann, b"bytes")
    await coverage.expect_raw("bad_message", ann, '{"do":"act","id":"12345678","version":1}')
    fast = coverage.clients.twin(bo)
    fast.game = bo.game
    fast.link = await fast.open(f"/ws/game/{bo.game}")
    fast._reading = asyncio.create_task(fast._read(fast.link))
    await coverage.expect_raw("hello_first", fast, '{"do":"stand","id":"12345678"}')


async def _at_the_door(coverage: RefusalCoverage) -> None:
    clients, game_server = coverage.clients, coverage.clients.server.game_server
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
        coverage.met.add(code)
    blocker = await clients.person()
    game = await clients.open_table(blocker, players=3)
    await blocker.join(game)
    await blocker.command("sit")
    await stranger.join(game)
    blocks, game_server.blocked_people.has_blocked = game_server.blocked_people.has_blocked, _all_blocked
    await coverage.expect("blocked", stranger, "sit")
    game_server.blocked_people.has_blocked = blocks
    new = {"options": {"preset": "jamaica", "players": 2}}
    answers = [await stranger.http.post("/api/v1/games", json=new) for _ in range(11)]
    assert answers[-1].json()["error"]["code"] == "too_many_rooms"
    coverage.met.add("too_many_rooms")
    site = clients.server._app.state.site  # type: ignore[union-attr]
    settings = site.limits.settings
    site.limits.settings = replace(settings, frames_per_second=0.01, frames_burst=2)
    hasty = clients.twin(bo)
    await hasty.join(bo.game)
    site.limits.settings = settings
    await hasty.say("ping", n=1)
    await coverage.expect_raw("too_fast", hasty, '{"do":"ping","n":2}')
    site.bans.replace(["127.0.0.0/8"])
    banned = clients.twin(bo)
    banned.link = await banned.open(f"/ws/game/{bo.game}")
    banned._reading = asyncio.create_task(banned._read(banned.link))
    await banned.until(lambda: banned.closed_with)
    assert (banned.log[0]["code"], banned.closed_with) == ("banned", 4003)
    coverage.met.add("banned")
    site.bans.replace([])


async def _no_reschedule(room: object) -> None:
    pass


async def _all_blocked(person: object, others: object) -> bool:
    return True


async def _when_the_store_is_away(coverage: RefusalCoverage, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, _ = await coverage.clients.game(2)

    async def fail(*_: object) -> bool:
        raise StoreUnavailable("gone")

    with monkeypatch.context() as away:
        away.setattr(coverage.clients.server.game_server.store.log, "append", append_with(fail))
        await coverage.expect(
            "try_again", ann, "act", version=ann.seq, action=advance(ann), id="try-me-again"
        )
    await ann.act(advance(ann), id="try-me-again")  # the same id, after the store has recovered
