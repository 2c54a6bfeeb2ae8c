"""Several workers on one store: the log arbitrates, the bus only hurries."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from app.play.refusals import Refusal
from app.play.room import broadcast, subscribers
from app.play.room.presence import PRESENCE_LEASE
from tests.play.commands.test_play import advance_of, choices_of
from tests.play.stage import Guest, Stage


async def over_two_workers(shared_stage: Stage, **wishes: Any) -> tuple[Guest, Guest, Guest]:
    """Ann on the first worker, Bo and a spectator on the second."""
    ann, _ = await shared_stage.game("ann", "bo", **wishes)
    other = await shared_stage.another_worker()
    bo = await shared_stage.guest("bo", other).come(ann.game)
    wim = await shared_stage.guest("wim", other).come(ann.game)
    return ann, bo, wim


async def test_players_of_one_game_on_different_workers_see_the_same(shared_stage: Stage) -> None:
    ann, bo, wim = await over_two_workers(shared_stage)
    await ann.act(advance_of(ann))
    assert bo.ear.last["events"] == wim.ear.last["events"] == ann.ear.last["events"]
    while (await ann.room()).table.to_act == (0,):
        await ann.act(choices_of(ann)[-1]["action"])
    assert choices_of(bo)
    await bo.act(choices_of(bo)[0]["action"])
    assert ann.ear.last["seq"] == bo.ear.last["seq"]


async def test_the_other_worker_tells_in_the_writers_words_what_it_would_have_told_itself(
    shared_stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every kind of frame, by clocks as well: of each action both are made and compared."""
    ann, bo, wim = await over_two_workers(
        shared_stage, clock={"kind": "bank", "seconds": 600, "increment": 5}
    )
    told, seen = broadcast.event_frames, Counter[str]()

    def both(
        before: Any, table: Any, entry: Any, events: Any, audiences: Any, acked: Any, public: Any
    ) -> Any:
        frames = told(before, table, entry, events, audiences, acked, public)
        if public:
            table.told = None
            own = told(before, table, entry, events, audiences, acked)
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
        assert ann.ear.last["seq"] == bo.ear.last["seq"] == wim.ear.last["seq"]
    assert seen["choices"] > 3
    assert seen["plain"] > 3
    assert seen["clock"] > 3
    assert seen["choices"] + seen["plain"] == 40


async def test_who_was_told_more_elsewhere_is_never_shown_an_earlier_state(shared_stage: Stage) -> None:
    """Their worker was stopped in its tracks, and the one that they come to has not heard of their last action."""
    ann, bo, _ = await over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    await ann.act(advance_of(ann))
    seen = ann.ear.last["seq"]
    assert (await bo.room()).table.seq == seen - 1
    moved = await shared_stage.guest("ann", bo.game_server).come(ann.game, seq=seen)
    told = [frame for frame in moved.ear.heard if "seq" in frame]
    assert [frame["t"] for frame in told] == ["welcome"]
    assert told[0]["seq"] == seen
    assert told[0]["resumed"]
    assert bo.ear.last["seq"] == seen


async def test_an_entry_without_a_frame_as_the_release_before_sends_it_is_told_as_well(
    shared_stage: Stage,
) -> None:
    ann, bo, wim = await over_two_workers(shared_stage)
    room = await bo.room()
    await ann.act(advance_of(ann))
    entry = (await shared_stage.store.entries(ann.game))[-1]
    told = bo.ear.last
    again = await shared_stage.another_worker()
    cy = await shared_stage.guest("cy", again).come(ann.game)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    await ann.act(advance_of(ann))
    entry = (await shared_stage.store.entries(ann.game))[-1]
    (await cy.room()).receive(entry, is_news=True)
    room.receive(entry, is_news=True)
    assert cy.ear.last["events"] == bo.ear.last["events"] == wim.ear.last["events"] == ann.ear.last["events"]
    assert told != bo.ear.last


async def test_a_missed_message_is_found_by_its_number_and_read_from_the_log(shared_stage: Stage) -> None:
    ann, bo, _ = await over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    await ann.act(advance_of(ann))
    missed = (await ann.room()).table.seq
    shared_stage.hub.is_down = False
    await ann.act(advance_of(ann))
    for _ in range(50):
        if bo.ear.last.get("seq") == missed + 1:
            break
        await asyncio.sleep(0.01)
    assert [m["seq"] for m in bo.ear.of("events")][-2:] == [missed, missed + 1]


async def test_without_a_bus_the_heads_show_what_was_missed(shared_stage: Stage) -> None:
    ann, bo, _ = await over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    await ann.act(advance_of(ann))
    await bo.game_server.rooms.compare_heads()
    assert bo.ear.last["seq"] == ann.ear.last["seq"]


async def test_one_command_sent_to_two_workers_counts_once(shared_stage: Stage) -> None:
    """At the same time, and again when others have moved on: neither worker has heard of the other's entry."""
    ann, bo, _ = await over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    phone = await shared_stage.guest("ann", bo.game_server).come(ann.game)
    action, version = advance_of(ann), (await ann.room()).table.seq
    acks = await asyncio.gather(
        *(guest.act(action, version, id="sent-twice") for guest in (ann, phone, ann, phone))
    )
    assert {ack.seq for ack in acks} == {version + 1}
    await ann.act(choices_of(ann)[0]["action"])
    assert (await phone.room()).table.seq == version + 1
    assert (await phone.act(action, version, id="sent-twice")).seq == version + 1
    third = await shared_stage.guest("ann", await shared_stage.another_worker()).come(ann.game)
    assert (await third.act(action, version, id="sent-twice")).seq == version + 1
    written = [entry.command for entry in await shared_stage.store.entries(ann.game)]
    assert written.count("sent-twice") == 1


async def test_two_workers_racing_for_one_version_write_it_once(shared_stage: Stage) -> None:
    ann, bo, _ = await over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    phone = await shared_stage.guest("ann", bo.game_server).come(ann.game)
    action, version = advance_of(ann), (await ann.room()).table.seq

    async def attempt(guest: Guest) -> str:
        try:
            await guest.act(action, version)
        except Refusal as refusal:
            return refusal.code
        return "accepted"

    codes = await asyncio.gather(attempt(ann), attempt(phone))
    assert sorted(codes) == ["accepted", "stale"]
    entries = await shared_stage.store.entries(ann.game)
    assert [entry.seq for entry in entries] == list(range(1, version + 2))


async def test_a_version_ahead_of_this_workers_room_makes_it_read_the_log(shared_stage: Stage) -> None:
    ann, bo, _ = await over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    phone = await shared_stage.guest("ann", bo.game_server).come(ann.game)
    await ann.act(advance_of(ann))
    await phone.act(advance_of(ann), version=(await ann.room()).table.seq)


async def test_due_work_is_done_once_though_both_workers_sweep(shared_stage: Stage) -> None:
    ann, bo, _ = await over_two_workers(shared_stage, clock={"kind": "turn", "seconds": 30}, absence=0)
    await shared_stage.live(31)
    await bo.game_server.schedule.heartbeat()
    await asyncio.gather(shared_stage.game_server.sweeper.sweep(), bo.game_server.sweeper.sweep())
    moves = [entry for entry in await shared_stage.store.entries(ann.game) if entry.by == "clock"]
    assert [entry.body["action"]["type"] for entry in moves][-1] == "end"
    assert len(moves) == 2


async def test_presence_chat_and_lobby_cross_the_workers(shared_stage: Stage) -> None:
    ann, bo, wim = await over_two_workers(shared_stage)
    assert ann.ear.heard[-1]["t"] == "presence"
    assert ann.ear.presence["seats"] == [True, True]
    assert ann.ear.presence["watching"] == 1
    await wim.send("chat", text="from the other side")
    assert ann.ear.last == {**ann.ear.last, "t": "chat", "n": 1}
    await bo.go()
    presence = ann.ear.of("presence")[-1]
    assert presence["seats"] == [True, True]  # bo's first device is still on this worker
    heard: list[tuple[str, Any]] = []
    ann.game_server.news.signed_out = lambda key, how: heard.append((key, how))
    bo.game_server.context.publish("signed_out", "p_ann", ("person", 4008, "signed out"))
    assert heard == [("p_ann", ("person", 4008, "signed out"))]


async def test_sitting_down_and_a_worker_gone_silent_show_in_presence(shared_stage: Stage) -> None:
    ann = shared_stage.guest("ann")
    game = await shared_stage.open_table(ann)
    await ann.come(game)
    bo = await shared_stage.guest("bo", await shared_stage.another_worker()).come(game)
    assert (ann.ear.presence["seats"], ann.ear.presence["watching"]) == ([None, None], 2)
    await bo.sit()
    assert (ann.ear.presence["seats"], ann.ear.presence["watching"]) == ([True, None], 1)
    shared_stage.clock.pass_seconds(PRESENCE_LEASE / 1000 + 1)
    shared_stage.game_server.rooms.tell_countdowns(shared_stage.clock.now())
    assert ann.ear.presence["seats"] == [False, None]


async def test_a_room_closed_by_one_worker_is_closed_in_all(shared_stage: Stage) -> None:
    ann, bo, wim = await over_two_workers(shared_stage)
    await bo.game_server.close_room(ann.game, "operator")
    for guest in (ann, bo, wim):
        assert guest.ear.last["kind"] == "closed"
        assert guest.ear.ended == 4010
    cy, di = await shared_stage.game("cy", "di")
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True  # as when the operator's command line did it, which is on no bus
    await bo.game_server.close_room(cy.game, "operator")
    assert cy.ear.ended is None
    await shared_stage.game_server.rooms.compare_heads()
    assert [guest.ear.ended for guest in (cy, di)] == [4010, 4010]


async def test_closing_a_room_whose_game_is_over_closes_its_sockets_in_all_workers(
    shared_stage: Stage,
) -> None:
    ann, bo, wim = await over_two_workers(shared_stage)
    await ann.act({"type": "resign"}, version=0)
    seq = (await ann.room()).table.seq
    await bo.game_server.close_room(ann.game, "operator")
    assert [guest.ear.ended for guest in (ann, bo, wim)] == [4010, 4010, 4010]
    assert (await shared_stage.store.heads([ann.game]))[ann.game] == seq


@pytest.mark.parametrize("ids", [("again-ann-1", "again-bo-01"), ("again-same-1", "again-same-1")])
async def test_two_offers_of_a_rematch_at_once_leave_one_table(
    shared_stage: Stage, ids: tuple[str, str]
) -> None:
    ann, bo, _ = await over_two_workers(shared_stage)
    await ann.act({"type": "resign"}, version=0)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    phone = await shared_stage.guest("ann" if ids[0] == ids[1] else "bo", bo.game_server).come(ann.game)
    await asyncio.gather(ann.send("rematch", id=ids[0]), phone.send("rematch", id=ids[1]))
    following = (await ann.room()).table.next_game
    await bo.game_server.rooms.compare_heads()
    assert following == (await bo.room()).table.next_game
    unfinished = await shared_stage.store.games_of(["p_ann", "p_bo"], unfinished=True, limit=9)
    assert [row.id for row in unfinished] == [following]


async def test_a_worker_that_dies_takes_nobody_with_it(shared_stage: Stage) -> None:
    ann, bo, _ = await over_two_workers(shared_stage)
    await ann.act(advance_of(ann))
    assert shared_stage.hub is not None
    shared_stage.hub.buses.clear()  # the first worker is gone, with all it held in memory
    phone = await shared_stage.guest("ann", bo.game_server).come(ann.game, seq=(await bo.room()).table.seq)
    assert phone.ear.heard[0]["resumed"] is True
    await phone.act(choices_of(ann)[0]["action"])
