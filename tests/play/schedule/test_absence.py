"""Absence, takeover and return, pauses, clocks and deadlines, with a clock set by hand."""

from __future__ import annotations

from app.play.presence import PRESENCE_LEASE_MS, Presence
from tests.play.commands.test_play import advance_of, choices_of
from tests.play.stage import Guest, Stage
from tests.store.samples import read_next_due


def kinds(guest: Guest) -> list[str]:
    return [message["kind"] for message in guest.listener.of_kind("table")]


async def test_a_player_who_left_gets_a_countdown_and_then_a_vote(stage: Stage) -> None:
    ann, bo, cy = await stage.start_game("ann", "bo", "cy", absence=60)
    await ann.leave()
    assert bo.listener.received[-1]["t"] == "presence"
    assert bo.listener.presence["seats"] == [False, True, True]
    assert bo.listener.presence["away"]["0"] == stage.clock.now() + 60_000
    assert await bo.expect_refusal("vote", seat=0, choice="bot") == "not_absent"
    await stage.advance_and_sweep(61)
    assert bo.listener.last["table"]["seats"][0]["absent"] is True
    await bo.send("vote", seat=0, choice="bot")
    assert bo.listener.last["table"]["votes"] == {"0": {"1": "bot"}}
    await cy.send("vote", seat=0, choice="bot")
    assert bo.listener.last["kind"] == "takeover"
    assert bo.listener.last["seat"] == 0
    assert bo.listener.last["table"]["seats"][0]["bot"] == "sailor"


async def test_a_connected_player_may_think_for_five_minutes(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", absence=60)
    await stage.advance_and_sweep(235)
    stage.game_server.rooms.update_countdowns(stage.clock.now())
    assert bo.listener.presence["away"] == {}
    await stage.advance_and_sweep(10)
    stage.game_server.rooms.update_countdowns(stage.clock.now())
    assert bo.listener.presence["away"] == {"0": stage.clock.now() + 55_000}
    (await ann.room()).mark_active(ann.actor, stage.clock.now())
    await stage.advance_and_sweep(290)
    assert "absent" not in kinds(bo)
    await stage.advance_and_sweep(11)
    assert "absent" in kinds(bo)


async def test_a_longer_wait_also_holds_for_connected_players(stage: Stage) -> None:
    _, bo = await stage.start_game("ann", "bo", absence=900)
    await stage.advance_and_sweep(890)
    assert "absent" not in kinds(bo)
    await stage.advance_and_sweep(11)
    assert "absent" in kinds(bo)


async def test_a_thinking_player_who_disconnects_is_away(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", absence=60)
    await stage.advance_and_sweep(200)
    await ann.leave()
    assert bo.listener.presence["away"] == {"0": stage.clock.now() + 60_000}
    await stage.advance_and_sweep(61)
    assert "absent" in kinds(bo)


async def test_the_turn_of_a_disconnected_player_is_due_early(stage: Stage) -> None:
    """The row of a connected player's turn is due later than that of the next, who is away."""
    ann, bo = await stage.start_game("ann", "bo", absence=60)
    await bo.leave()
    await stage.advance_clock(5)
    await ann.act(advance_of(ann))
    await ann.act({"type": "end"})
    await stage.advance_and_sweep(59)
    assert "absent" not in kinds(ann)
    await stage.advance_and_sweep(2)
    assert "absent" in kinds(ann)


async def test_a_bot_plays_the_seat_until_its_player_returns(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", absence=60)
    await ann.leave()
    await stage.advance_and_sweep(61)
    await bo.send("vote", seat=0, choice="bot")
    await stage.advance_and_sweep(1)
    assert bo.listener.last["t"] == "events"
    assert bo.listener.last["by"] == "bot"
    back = await stage.guest("ann").enter(ann.game)
    assert await back.expect_refusal("act", version=99, action={"type": "end"}) == "bot_plays"
    await back.send("return")
    assert back.listener.last["kind"] == "returned"
    assert back.listener.last["table"]["seats"][0]["bot"] is None
    assert back.listener.last["choices"]
    assert await back.expect_refusal("undo", version=999) == "undo_blocked"
    assert await back.expect_refusal("return") == "not_taken_over"
    await back.act(choices_of(back)[0]["action"])


async def test_reconnecting_ends_an_absence(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", absence=60)
    await ann.leave()
    await stage.advance_and_sweep(61)
    assert bo.listener.last["table"]["seats"][0]["absent"] is True
    await stage.guest("ann").enter(ann.game)
    assert bo.listener.of_kind("table")[-1]["kind"] == "returned"
    assert bo.listener.of_kind("table")[-1]["table"]["seats"][0]["absent"] is False


async def test_acting_ends_an_absence(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", absence=60)
    await stage.advance_and_sweep(301)
    assert bo.listener.last["table"]["seats"][0]["absent"] is True
    await ann.act(choices_of(ann)[0]["action"])
    assert bo.listener.last["t"] == "events"
    assert bo.listener.last["table"]["seats"][0]["absent"] is False


async def test_a_resuming_client_learns_that_an_absent_player_is_back(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", absence=60)
    await stage.advance_and_sweep(301)
    seen = bo.listener.last["seq"]
    assert bo.listener.last["table"]["seats"][0]["absent"] is True
    await ann.act(choices_of(ann)[0]["action"])
    live = bo.listener.last
    one = await stage.guest("bo").enter(ann.game, seq=seen)
    assert one.listener.of_kind("welcome")[0]["resumed"] is True
    assert [frame["table"] for frame in one.listener.of_kind("events")] == [live["table"]]
    await ann.act(choices_of(ann)[0]["action"])
    two = await stage.guest("bo").enter(ann.game, seq=seen)
    frames = two.listener.of_kind("events")
    assert [frame["seq"] for frame in frames] == [seen + 1, seen + 2]
    assert frames[0] == {name: live[name] for name in ("t", "seq", "at", "events", "table")}
    assert "table" not in frames[1], "the second move does not change the table"


async def test_a_vote_can_end_the_game_without_a_winner(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", absence=60)
    await ann.leave()
    await stage.advance_and_sweep(61)
    await bo.send("vote", seat=0, choice="end")
    last = bo.listener.last
    assert last["kind"] == "aborted"
    assert last["table"]["result"] == {"winner": None, "places": None, "reason": "aborted"}
    assert last["table"]["server_seed"] is not None
    assert last["view"]["players"][0]["hand"] is not None
    assert await bo.expect_refusal("vote", seat=0, choice="end") == "game_over"


async def test_a_vote_can_give_more_time(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", absence=60)
    await ann.leave()
    await stage.advance_and_sweep(61)
    await bo.send("vote", seat=0, choice="wait")
    assert bo.listener.last["kind"] == "waited"
    assert bo.listener.last["table"]["seats"][0]["absent"] is False
    await stage.advance_and_sweep(61)
    assert bo.listener.last["table"]["seats"][0]["absent"] is True


async def test_an_absent_host_loses_the_role(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", absence=60)
    await ann.leave()
    await stage.advance_and_sweep(61)
    assert bo.listener.last["table"]["host"] == "p_bo"


async def test_no_player_becomes_absent_in_a_deserted_room(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", absence=60)
    await ann.leave()
    await bo.leave()
    await stage.advance_and_sweep(3600)
    assert (await stage.store.log.read_entries(ann.game))[-1].kind == "started"


async def test_a_pause_needs_all_players_and_ends_by_those_present(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", clock={"kind": "turn", "seconds": 60})
    assert await ann.expect_refusal("consent", to="continue", yes=True) == "not_paused"
    await ann.send("consent", to="pause", yes=True)
    assert bo.listener.last["table"]["consents"] == {"pause": [0]}
    await bo.send("consent", to="pause", yes=False)
    assert bo.listener.last["table"]["consents"] == {}
    await ann.send("consent", to="pause", yes=True)
    await bo.send("consent", to="pause", yes=True)
    assert bo.listener.last["kind"] == "paused"
    assert bo.listener.last["clock"]["running"] == []
    assert await ann.expect_refusal("act", version=99, action=advance_of_state(ann)) == "paused"
    assert await ann.expect_refusal("undo", version=99) == "paused"
    assert await stage.advance_and_sweep(600) == 0 or "action" not in stage.metrics.kinds
    await bo.leave()
    await ann.send("consent", to="continue", yes=True)
    assert ann.listener.of_kind("table")[-1]["kind"] == "continued"
    assert ann.listener.of_kind("table")[-1]["clock"]["left"][0] == 60_000


def advance_of_state(guest: Guest) -> dict[str, object]:
    started = next(m for m in guest.listener.of_kind("table") if m["kind"] == "started")
    return next(c["action"] for c in started["choices"] if c["action"]["type"] == "advance")


async def test_the_server_ends_a_turn_whose_time_is_over(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", clock={"kind": "turn", "seconds": 30}, absence=0)
    assert ann.listener.last["clock"] == {"left": [30_000, 30_000], "running": [0], "at": stage.clock.now()}
    await ann.act(advance_of(ann))
    await stage.advance_clock(30.1)
    assert await ann.expect_refusal("act", version=99, action={"type": "end"}) == "time_up"
    await stage.advance_and_sweep(0.3)
    moves = [m for m in bo.listener.of_kind("events") if m.get("by") == "clock"]
    assert moves[-1]["events"][-1]["type"] == "turn_passed"
    assert moves[-1]["clock"]["running"] == [1]
    assert moves[-1]["clock"]["left"][1] == 30_000
    assert bo.listener.last["choices"]


async def test_a_bank_is_used_up_and_gets_an_increment_each_turn(stage: Stage) -> None:
    ann, bo = await stage.start_game(
        "ann", "bo", clock={"kind": "bank", "seconds": 100, "increment": 5}, absence=0
    )
    await stage.advance_clock(20)
    await ann.act(advance_of(ann))
    await stage.advance_clock(10)
    await ann.act({"type": "end"})
    assert bo.listener.last["clock"] == {"left": [75_000, 100_000], "running": [1], "at": stage.clock.now()}


async def test_an_expired_clock_can_hand_the_seat_to_a_bot(stage: Stage) -> None:
    _, bo = await stage.start_game(
        "ann", "bo", clock={"kind": "turn", "seconds": 30}, on_timeout="bot", absence=0
    )
    await stage.advance_and_sweep(31)
    assert bo.listener.of_kind("table")[-1]["kind"] == "takeover"
    assert bo.listener.of_kind("table")[-1]["clock"]["running"] == []
    await stage.advance_and_sweep(1)
    assert bo.listener.last["by"] == "bot"


async def test_every_seat_to_act_runs_its_own_clock(stage: Stage) -> None:
    from app.play.log.clocks import ClockTerms

    clocks = ClockTerms("turn", 30).start_clocks(3, 0)
    clocks.run(0, 0, (0,))
    clocks.run(10_000, 0, (1, 2))
    assert clocks.left == [20_000, 30_000, 30_000]
    clocks.run(15_000, 0, (2,))
    clocks.run(18_000, 0, (0,))
    assert clocks.left == [20_000, 25_000, 22_000]
    assert clocks.deadline() == 38_000
    assert clocks.is_late(0, 38_001)
    assert not clocks.is_late(0, 38_000)
    clocks.credit_time(20_000, 25_000)
    assert clocks.deadline() == 43_000


async def test_a_correspondence_game_has_deadlines_but_no_absences(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", clock={"kind": "days", "days": 2})
    await ann.leave()
    await bo.leave()
    stage.game_server.rooms.evict(stage.clock.now() + 10**9)
    assert await stage.advance_and_sweep(3_600) == 1  # the sweep that every open table gets
    assert await stage.advance_and_sweep(82_800) == 0
    mine = await stage.game_server.lobby.read_own_games(ann.actor)
    assert mine[0]["my_turn"] is True
    assert mine[0]["due"] == stage.clock.now() + 86_400_000
    assert await stage.advance_and_sweep(86_401) == 1
    entries = await stage.store.log.read_entries(ann.game)
    assert entries[-1].by == "clock"
    assert (await stage.game_server.lobby.read_own_games(bo.actor))[0]["my_turn"] is True


async def test_an_outage_is_credited_to_the_clock_that_ran(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", clock={"kind": "turn", "seconds": 30}, absence=0)
    await stage.game_server.outage_tracker.record_heartbeat()
    stage.clock.advance(3600)
    await stage.game_server.outage_tracker.record_heartbeat()
    await ann.act(advance_of(ann))
    assert "credited" in kinds(bo)
    assert (await ann.room()).table.clocks.left[0] == 30_000  # type: ignore[union-attr]
    await stage.advance_clock(5)
    await ann.act({"type": "end"})
    assert kinds(bo).count("credited") == 1


async def test_an_outage_of_the_store_costs_no_player_time(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", clock={"kind": "turn", "seconds": 30}, absence=0)
    await stage.game_server.outage_tracker.record_heartbeat()
    # The store is unavailable for a minute: no heartbeat, no sweep. Then the sweeper is the first to use it.
    stage.clock.advance(60)
    await stage.game_server.sweeper.sweep()
    assert kinds(bo)[-1] == "credited"
    assert not [m for m in bo.listener.of_kind("events") if m.get("by") == "clock"]
    await ann.act(advance_of(ann))


async def test_a_deserted_game_between_bots_stands_still(stage: Stage) -> None:
    (ann,) = await stage.start_game("ann", bots=["sailor", "sailor"], pace=100)
    await ann.hand_seat_to_bot()
    await ann.leave()
    before = (await stage.store.log.read_heads([ann.game]))[ann.game]
    for _ in range(5):
        await stage.advance_and_sweep(10)
    assert (await stage.store.log.read_heads([ann.game]))[ann.game] <= before + 1
    still = (await stage.store.log.read_heads([ann.game]))[ann.game]
    await stage.advance_and_sweep(100)
    assert (await stage.store.log.read_heads([ann.game]))[ann.game] == still
    await stage.guest("wim").enter(ann.game)
    await stage.advance_and_sweep(1)
    assert (await stage.store.log.read_heads([ann.game]))[ann.game] > still


async def test_resigned_and_replaced_players_cannot_vote(stage: Stage) -> None:
    ann, bo, cy = await stage.start_game("ann", "bo", "cy", absence=60)
    await cy.act({"type": "resign"}, version=0)
    assert await cy.expect_refusal("consent", to="pause", yes=True) == "not_seated"
    await ann.leave()
    await stage.advance_and_sweep(61)
    assert await cy.expect_refusal("vote", seat=0, choice="end") == "not_seated"
    await bo.send("vote", seat=0, choice="bot")
    back = await stage.guest("ann").enter(ann.game)
    assert await back.expect_refusal("consent", to="pause", yes=True) == "bot_plays"


async def test_an_action_rarely_writes_the_due_row(stage: Stage) -> None:
    ann, _ = await stage.start_game("ann", "bo", absence=60)
    first = await read_next_due(stage.store)
    await stage.advance_clock(20)
    await ann.act(advance_of(ann))
    assert await read_next_due(stage.store) == first
    await stage.advance_and_sweep(281)
    assert "absent" not in stage.metrics.kinds
    await stage.advance_and_sweep(41)
    assert "absent" in stage.metrics.kinds


async def test_the_wait_of_a_player_who_leaves_another_worker_starts_when_they_leave(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", absence=60)
    room, now = await bo.room(), stage.clock.now()
    room.presence = Presence(now)
    elsewhere = Presence(now)
    elsewhere.add_socket(ann.actor.id, now)
    thinks_until = now + 200_000
    for at in (now, thinks_until):
        room.presence.merge_news("other", elsewhere.to_news(), at)
    elsewhere.remove_socket(ann.actor.id, thinks_until)
    room.presence.merge_news("other", elsewhere.to_news(), thinks_until)
    assert room.presence.absence_due_at(room.table, 0, thinks_until) == thinks_until + 60_000


async def test_the_wait_of_a_player_whose_worker_died_starts_when_its_news_expires(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", absence=60)
    room, now = await bo.room(), stage.clock.now()
    room.presence = Presence(now)
    elsewhere = Presence(now)
    elsewhere.add_socket(ann.actor.id, now)
    for at in (now, now + 200_000):
        room.presence.merge_news("other", elsewhere.to_news(), at)
    expires_at = now + 200_000 + PRESENCE_LEASE_MS
    assert room.presence.drop_expired(expires_at + 500)
    assert room.presence.absence_due_at(room.table, 0, expires_at + 500) == expires_at + 60_000
