"""Several workers on one store: the log decides, the bus only speeds things up."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from app.play.presence import PRESENCE_LEASE_MS
from app.play.refusals import Refusal
from app.play.room import audience_frames, subscribers
from tests.play.commands.test_play import advance_of, choices_of
from tests.play.stage import Guest, Stage


async def start_over_two_workers(shared_stage: Stage, **terms_json: Any) -> tuple[Guest, Guest, Guest]:
    """Start a game with Ann in the first worker, and Bo and a spectator in the second."""
    ann, _ = await shared_stage.start_game("ann", "bo", **terms_json)
    other = await shared_stage.add_worker()
    bo = await shared_stage.guest("bo", other).enter(ann.game)
    wim = await shared_stage.guest("wim", other).enter(ann.game)
    return ann, bo, wim


async def test_players_of_one_game_on_different_workers_see_the_same(shared_stage: Stage) -> None:
    ann, bo, wim = await start_over_two_workers(shared_stage)
    await ann.act(advance_of(ann))
    assert bo.listener.last["events"] == wim.listener.last["events"] == ann.listener.last["events"]
    while (await ann.room()).table.to_act == (0,):
        await ann.act(choices_of(ann)[-1]["action"])
    assert choices_of(bo)
    await bo.act(choices_of(bo)[0]["action"])
    assert ann.listener.last["seq"] == bo.listener.last["seq"]


async def test_a_published_frame_equals_the_receivers_own(
    shared_stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compares both frames of each action, in games with every kind of frame and with clocks."""
    ann, bo, wim = await start_over_two_workers(
        shared_stage, clock={"kind": "bank", "seconds": 600, "increment": 5}
    )
    build, seen = audience_frames.event_frames, Counter[str]()

    def both(
        before: Any, table: Any, entry: Any, events: Any, audiences: Any, acked: Any, public: Any
    ) -> Any:
        frames = build(before, table, entry, events, audiences, acked, public)
        if public:
            table.sent_choices = None
            own = build(before, table, entry, events, audiences, acked)
            assert {seat: frame.payload for seat, frame in own.items()} == {
                seat: frame.payload for seat, frame in frames.items()
            }
            seen["choices" if any(b"choices" in frame.payload for frame in own.values()) else "plain"] += 1
            seen["clock"] += b"clock" in public
        return frames

    monkeypatch.setattr(subscribers, "event_frames", both)
    for _ in range(40):
        table = (await ann.room()).table
        actor = ann if table.to_act == (0,) else bo
        await actor.act(choices_of(actor)[_ % len(choices_of(actor))]["action"])
        assert ann.listener.last["seq"] == bo.listener.last["seq"] == wim.listener.last["seq"]
    assert seen["choices"] > 3
    assert seen["plain"] > 3
    assert seen["clock"] > 3
    assert seen["choices"] + seen["plain"] == 40


async def test_a_client_ahead_of_this_worker_never_receives_an_earlier_state(shared_stage: Stage) -> None:
    """The client's worker was frozen, and the one it reconnects to has not received its last action."""
    ann, bo, _ = await start_over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    await ann.act(advance_of(ann))
    seen = ann.listener.last["seq"]
    assert (await bo.room()).table.seq == seen - 1
    moved = await shared_stage.guest("ann", bo.game_server).enter(ann.game, seq=seen)
    frames = [frame for frame in moved.listener.received if "seq" in frame]
    assert [frame["t"] for frame in frames] == ["welcome"]
    assert frames[0]["seq"] == seen
    assert frames[0]["resumed"]
    assert bo.listener.last["seq"] == seen


async def test_an_entry_published_without_a_frame_is_sent_too(
    shared_stage: Stage,
) -> None:
    ann, bo, wim = await start_over_two_workers(shared_stage)
    room = await bo.room()
    await ann.act(advance_of(ann))
    entry = (await shared_stage.store.log.read_entries(ann.game))[-1]
    last_frame = bo.listener.last
    again = await shared_stage.add_worker()
    cy = await shared_stage.guest("cy", again).enter(ann.game)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    await ann.act(advance_of(ann))
    entry = (await shared_stage.store.log.read_entries(ann.game))[-1]
    (await cy.room()).receive_entry(entry, is_news=True)
    room.receive_entry(entry, is_news=True)
    assert (
        cy.listener.last["events"]
        == bo.listener.last["events"]
        == wim.listener.last["events"]
        == ann.listener.last["events"]
    )
    assert last_frame != bo.listener.last


async def test_a_missed_message_is_found_by_its_number_and_read_from_the_log(shared_stage: Stage) -> None:
    ann, bo, _ = await start_over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    await ann.act(advance_of(ann))
    missed = (await ann.room()).table.seq
    shared_stage.hub.is_down = False
    await ann.act(advance_of(ann))
    for _ in range(50):
        if bo.listener.last.get("seq") == missed + 1:
            break
        await asyncio.sleep(0.01)
    assert [m["seq"] for m in bo.listener.of_kind("events")][-2:] == [missed, missed + 1]


async def test_without_a_bus_the_heads_show_what_was_missed(shared_stage: Stage) -> None:
    ann, bo, _ = await start_over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    await ann.act(advance_of(ann))
    await bo.game_server.rooms.compare_heads()
    assert bo.listener.last["seq"] == ann.listener.last["seq"]


async def test_one_command_sent_to_two_workers_counts_once(shared_stage: Stage) -> None:
    """Concurrently, and again after later entries, while neither worker receives the other's news."""
    ann, bo, _ = await start_over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    phone = await shared_stage.guest("ann", bo.game_server).enter(ann.game)
    action, version = advance_of(ann), (await ann.room()).table.seq
    acks = await asyncio.gather(
        *(guest.act(action, version, id="sent-twice") for guest in (ann, phone, ann, phone))
    )
    assert {ack.seq for ack in acks} == {version + 1}
    await ann.act(choices_of(ann)[0]["action"])
    assert (await phone.room()).table.seq == version + 1
    assert (await phone.act(action, version, id="sent-twice")).seq == version + 1
    third = await shared_stage.guest("ann", await shared_stage.add_worker()).enter(ann.game)
    assert (await third.act(action, version, id="sent-twice")).seq == version + 1
    written = [entry.command for entry in await shared_stage.store.log.read_entries(ann.game)]
    assert written.count("sent-twice") == 1


async def test_two_workers_racing_for_one_version_write_it_once(shared_stage: Stage) -> None:
    ann, bo, _ = await start_over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    phone = await shared_stage.guest("ann", bo.game_server).enter(ann.game)
    action, version = advance_of(ann), (await ann.room()).table.seq

    async def attempt(guest: Guest) -> str:
        try:
            await guest.act(action, version)
        except Refusal as refusal:
            return refusal.code
        return "accepted"

    codes = await asyncio.gather(attempt(ann), attempt(phone))
    assert sorted(codes) == ["accepted", "stale"]
    entries = await shared_stage.store.log.read_entries(ann.game)
    assert [entry.seq for entry in entries] == list(range(1, version + 2))


async def test_a_version_ahead_of_this_workers_room_makes_it_read_the_log(shared_stage: Stage) -> None:
    ann, bo, _ = await start_over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    phone = await shared_stage.guest("ann", bo.game_server).enter(ann.game)
    await ann.act(advance_of(ann))
    await phone.act(advance_of(ann), version=(await ann.room()).table.seq)


async def test_due_work_is_done_once_by_two_sweeping_workers(shared_stage: Stage) -> None:
    ann, bo, _ = await start_over_two_workers(shared_stage, clock={"kind": "turn", "seconds": 30}, absence=0)
    await shared_stage.advance_clock(31)
    await bo.game_server.outage_tracker.record_heartbeat()
    await asyncio.gather(shared_stage.game_server.sweeper.sweep(), bo.game_server.sweeper.sweep())
    moves = [entry for entry in await shared_stage.store.log.read_entries(ann.game) if entry.by == "clock"]
    assert [entry.body["action"]["type"] for entry in moves][-1] == "end"
    assert len(moves) == 2


async def test_presence_chat_and_lobby_cross_the_workers(shared_stage: Stage) -> None:
    ann, bo, wim = await start_over_two_workers(shared_stage)
    assert ann.listener.received[-1]["t"] == "presence"
    assert ann.listener.presence["seats"] == [True, True]
    assert ann.listener.presence["watching"] == 1
    await wim.send("chat", text="from the other side")
    assert ann.listener.last == {**ann.listener.last, "t": "chat", "n": 1}
    await bo.leave()
    presence = ann.listener.of_kind("presence")[-1]
    assert presence["seats"] == [True, True]  # bo's first socket is still in this worker
    heard: list[tuple[str, Any]] = []
    ann.game_server.news.on_signed_out = lambda key, how: heard.append((key, how))
    bo.game_server.context.publish("signed_out", "p_ann", ("person", 4008, "signed out"))
    assert heard == [("p_ann", ("person", 4008, "signed out"))]


async def test_presence_shows_new_seats_and_drops_a_silent_worker(shared_stage: Stage) -> None:
    ann = shared_stage.guest("ann")
    game = await shared_stage.open_table(ann)
    await ann.enter(game)
    bo = await shared_stage.guest("bo", await shared_stage.add_worker()).enter(game)
    assert (ann.listener.presence["seats"], ann.listener.presence["watching"]) == ([None, None], 2)
    await bo.sit()
    assert (ann.listener.presence["seats"], ann.listener.presence["watching"]) == ([True, None], 1)
    shared_stage.clock.advance(PRESENCE_LEASE_MS / 1000 + 1)
    shared_stage.game_server.rooms.update_countdowns(shared_stage.clock.now())
    assert ann.listener.presence["seats"] == [False, None]


async def test_a_room_closed_by_one_worker_is_closed_in_all(shared_stage: Stage) -> None:
    ann, bo, wim = await start_over_two_workers(shared_stage)
    await bo.game_server.close_room(ann.game, "operator")
    for guest in (ann, bo, wim):
        assert guest.listener.last["kind"] == "closed"
        assert guest.listener.end_reason == "closed"
    cy, di = await shared_stage.start_game("cy", "di")
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True  # like the operator's command line, which is not on the bus
    await bo.game_server.close_room(cy.game, "operator")
    assert cy.listener.end_reason is None
    await shared_stage.game_server.rooms.compare_heads()
    assert [guest.listener.end_reason for guest in (cy, di)] == ["closed", "closed"]


async def test_closing_a_room_whose_game_is_over_closes_its_sockets_in_all_workers(
    shared_stage: Stage,
) -> None:
    ann, bo, wim = await start_over_two_workers(shared_stage)
    await ann.act({"type": "resign"}, version=0)
    seq = (await ann.room()).table.seq
    await bo.game_server.close_room(ann.game, "operator")
    assert [guest.listener.end_reason for guest in (ann, bo, wim)] == ["closed", "closed", "closed"]
    assert (await shared_stage.store.log.read_heads([ann.game]))[ann.game] == seq


@pytest.mark.parametrize("ids", [("again-ann-1", "again-bo-01"), ("again-same-1", "again-same-1")])
async def test_concurrent_rematch_requests_in_two_workers_create_one_table(
    shared_stage: Stage, ids: tuple[str, str]
) -> None:
    ann, bo, _ = await start_over_two_workers(shared_stage)
    await ann.act({"type": "resign"}, version=0)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    phone = await shared_stage.guest("ann" if ids[0] == ids[1] else "bo", bo.game_server).enter(ann.game)
    await asyncio.gather(ann.send("rematch", id=ids[0]), phone.send("rematch", id=ids[1]))
    following = (await ann.room()).table.next_game
    await bo.game_server.rooms.compare_heads()
    assert following == (await bo.room()).table.next_game
    unfinished = await shared_stage.store.lists.list_games_of(["p_ann", "p_bo"], unfinished=True, limit=9)
    assert [row.id for row in unfinished] == [following]


async def test_a_game_survives_the_death_of_a_worker(shared_stage: Stage) -> None:
    ann, bo, _ = await start_over_two_workers(shared_stage)
    await ann.act(advance_of(ann))
    assert shared_stage.hub is not None
    shared_stage.hub.buses.clear()  # the first worker has died
    phone = await shared_stage.guest("ann", bo.game_server).enter(ann.game, seq=(await bo.room()).table.seq)
    assert phone.listener.received[0]["resumed"] is True
    await phone.act(choices_of(ann)[0]["action"])
