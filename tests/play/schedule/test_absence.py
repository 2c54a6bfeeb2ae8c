"""Absence, takeover and return, pauses, clocks and deadlines: time is turned by hand."""

from __future__ import annotations

from tests.play.commands.test_play import advance_of, choices_of
from tests.play.stage import Guest, Stage


def kinds(guest: Guest) -> list[str]:
    return [message["kind"] for message in guest.ear.of("table")]


async def test_somebody_who_is_gone_counts_down_and_then_is_voted_on(stage: Stage) -> None:
    ann, bo, cy = await stage.game("ann", "bo", "cy", absence=60)
    await ann.go()
    assert bo.ear.heard[-1]["t"] == "presence"
    assert bo.ear.presence["seats"] == [False, True, True]
    assert bo.ear.presence["away"]["0"] == stage.clock.now() + 60_000
    assert await bo.refused("vote", seat=0, choice="bot") == "not_absent"
    await stage.pass_time(61)
    assert bo.ear.last["table"]["seats"][0]["absent"] is True
    await bo.send("vote", seat=0, choice="bot")
    assert bo.ear.last["table"]["votes"] == {"0": {"1": "bot"}}
    await cy.send("vote", seat=0, choice="bot")
    assert bo.ear.last["kind"] == "takeover"
    assert bo.ear.last["seat"] == 0
    assert bo.ear.last["table"]["seats"][0]["bot"] == "sailor"


async def test_an_idle_person_counts_as_absent_also_when_connected(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", absence=60)
    await stage.pass_time(40)
    stage.game_server.rooms.tell_countdowns(stage.clock.now())
    assert "0" in bo.ear.presence["away"]
    (await ann.room()).mark_active(ann.actor, stage.clock.now())
    await stage.pass_time(30)
    assert "absent" not in kinds(bo)
    await stage.pass_time(31)
    assert "absent" in kinds(bo)


async def test_a_bot_plays_the_seat_until_its_person_takes_it_back(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", absence=60)
    await ann.go()
    await stage.pass_time(61)
    await bo.send("vote", seat=0, choice="bot")
    await stage.pass_time(1)
    assert bo.ear.last["t"] == "events"
    assert bo.ear.last["by"] == "bot"
    back = await stage.guest("ann").come(ann.game)
    assert await back.refused("act", version=99, action={"type": "end"}) == "bot_plays"
    await back.send("return")
    assert back.ear.last["kind"] == "returned"
    assert back.ear.last["table"]["seats"][0]["bot"] is None
    assert back.ear.last["choices"]
    assert await back.refused("undo", version=999) == "undo_blocked"
    assert await back.refused("return") == "not_taken_over"
    await back.act(choices_of(back)[0]["action"])


async def test_coming_back_ends_an_absence_by_itself(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", absence=60)
    await ann.go()
    await stage.pass_time(61)
    assert bo.ear.last["table"]["seats"][0]["absent"] is True
    await stage.guest("ann").come(ann.game)
    assert bo.ear.of("table")[-1]["kind"] == "returned"
    assert bo.ear.of("table")[-1]["table"]["seats"][0]["absent"] is False


async def test_acting_ends_an_absence_too(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", absence=60)
    await stage.pass_time(61)
    assert bo.ear.last["table"]["seats"][0]["absent"] is True
    await ann.act(choices_of(ann)[0]["action"])
    assert bo.ear.last["t"] == "events"
    assert bo.ear.last["table"]["seats"][0]["absent"] is False


async def test_whoever_missed_the_move_of_an_absent_person_learns_that_it_is_back(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", absence=60)
    await stage.pass_time(61)
    seen = bo.ear.last["seq"]
    assert bo.ear.last["table"]["seats"][0]["absent"] is True
    await ann.act(choices_of(ann)[0]["action"])
    live = bo.ear.last
    one = await stage.guest("bo").come(ann.game, seq=seen)
    assert one.ear.of("welcome")[0]["resumed"] is True
    assert [frame["table"] for frame in one.ear.of("events")] == [live["table"]]
    await ann.act(choices_of(ann)[0]["action"])
    two = await stage.guest("bo").come(ann.game, seq=seen)
    told = two.ear.of("events")
    assert [frame["seq"] for frame in told] == [seen + 1, seen + 2]
    assert told[0] == {name: live[name] for name in ("t", "seq", "at", "events", "table")}
    assert "table" not in told[1], "nothing of it changed by the second move"


async def test_the_vote_can_end_the_game_without_a_winner_and_the_seed_is_shown(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", absence=60)
    await ann.go()
    await stage.pass_time(61)
    await bo.send("vote", seat=0, choice="end")
    last = bo.ear.last
    assert last["kind"] == "aborted"
    assert last["table"]["result"] == {"winner": None, "places": None, "reason": "aborted"}
    assert last["table"]["server_seed"] is not None
    assert last["view"]["players"][0]["hand"] is not None
    assert await bo.refused("vote", seat=0, choice="end") == "game_over"


async def test_the_vote_can_give_more_time(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", absence=60)
    await ann.go()
    await stage.pass_time(61)
    await bo.send("vote", seat=0, choice="wait")
    assert bo.ear.last["kind"] == "waited"
    assert bo.ear.last["table"]["seats"][0]["absent"] is False
    await stage.pass_time(61)
    assert bo.ear.last["table"]["seats"][0]["absent"] is True


async def test_an_absent_host_loses_the_role(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", absence=60)
    await ann.go()
    await stage.pass_time(61)
    assert bo.ear.last["table"]["host"] == "p_bo"


async def test_nobody_is_blamed_while_nobody_is_there(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", absence=60)
    await ann.go()
    await bo.go()
    await stage.pass_time(3600)
    assert (await stage.store.entries(ann.game))[-1].kind == "started"


async def test_a_pause_is_agreed_by_all_and_ended_by_those_present(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", clock={"kind": "turn", "seconds": 60})
    assert await ann.refused("consent", to="continue", yes=True) == "not_paused"
    await ann.send("consent", to="pause", yes=True)
    assert bo.ear.last["table"]["consents"] == {"pause": [0]}
    await bo.send("consent", to="pause", yes=False)
    assert bo.ear.last["table"]["consents"] == {}
    await ann.send("consent", to="pause", yes=True)
    await bo.send("consent", to="pause", yes=True)
    assert bo.ear.last["kind"] == "paused"
    assert bo.ear.last["clock"]["running"] == []
    assert await ann.refused("act", version=99, action=advance_of_state(ann)) == "paused"
    assert await ann.refused("undo", version=99) == "paused"
    assert await stage.pass_time(600) == 0 or "action" not in stage.counts.kinds
    await bo.go()
    await ann.send("consent", to="continue", yes=True)
    assert ann.ear.of("table")[-1]["kind"] == "continued"
    assert ann.ear.of("table")[-1]["clock"]["left"][0] == 60_000


def advance_of_state(guest: Guest) -> dict[str, object]:
    started = next(m for m in guest.ear.of("table") if m["kind"] == "started")
    return next(c["action"] for c in started["choices"] if c["action"]["type"] == "advance")


async def test_a_turn_that_runs_out_is_ended_by_the_server(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", clock={"kind": "turn", "seconds": 30}, absence=0)
    assert ann.ear.last["clock"] == {"left": [30_000, 30_000], "running": [0], "at": stage.clock.now()}
    await ann.act(advance_of(ann))
    await stage.live(30.1)
    assert await ann.refused("act", version=99, action={"type": "end"}) == "time_up"
    await stage.pass_time(0.3)
    moves = [m for m in bo.ear.of("events") if m.get("by") == "clock"]
    assert moves[-1]["events"][-1]["type"] == "turn_passed"
    assert moves[-1]["clock"]["running"] == [1]
    assert moves[-1]["clock"]["left"][1] == 30_000
    assert bo.ear.last["choices"]


async def test_with_a_bank_time_is_used_up_and_an_increment_comes_back(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", clock={"kind": "bank", "seconds": 100, "increment": 5}, absence=0)
    await stage.live(20)
    await ann.act(advance_of(ann))
    await stage.live(10)
    await ann.act({"type": "end"})
    assert bo.ear.last["clock"] == {"left": [75_000, 100_000], "running": [1], "at": stage.clock.now()}


async def test_a_clock_that_runs_out_can_hand_the_seat_to_a_bot(stage: Stage) -> None:
    _, bo = await stage.game("ann", "bo", clock={"kind": "turn", "seconds": 30}, on_timeout="bot", absence=0)
    await stage.pass_time(31)
    assert bo.ear.of("table")[-1]["kind"] == "takeover"
    assert bo.ear.of("table")[-1]["clock"]["running"] == []
    await stage.pass_time(1)
    assert bo.ear.last["by"] == "bot"


async def test_every_seat_that_owes_runs_its_own_clock(stage: Stage) -> None:
    from app.play.log.table import Clocks
    from app.play.log.terms import ClockTerms

    clocks = Clocks(ClockTerms("turn", 30), [30_000] * 3, 0)
    clocks.go(0, 0, (0,))
    clocks.go(10_000, 0, (1, 2))
    assert clocks.left == [20_000, 30_000, 30_000]
    clocks.go(15_000, 0, (2,))
    clocks.go(18_000, 0, (0,))
    assert clocks.left == [20_000, 25_000, 22_000]
    assert clocks.deadline() == 38_000
    assert clocks.is_late(0, 38_001)
    assert not clocks.is_late(0, 38_000)
    clocks.credit(20_000, 25_000)
    assert clocks.deadline() == 43_000


async def test_a_correspondence_game_does_not_count_absence_but_keeps_its_deadline(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", clock={"kind": "days", "days": 2})
    await ann.go()
    await bo.go()
    stage.game_server.rooms.evict(stage.clock.now() + 10**9)
    assert await stage.pass_time(3_600) == 1  # the look that an open table is promised
    assert await stage.pass_time(82_800) == 0
    mine = await stage.game_server.lobby.mine(ann.actor)
    assert mine[0]["my_turn"] is True
    assert mine[0]["due"] == stage.clock.now() + 86_400_000
    assert await stage.pass_time(86_401) == 1
    entries = await stage.store.entries(ann.game)
    assert entries[-1].by == "clock"
    assert (await stage.game_server.lobby.mine(bo.actor))[0]["my_turn"] is True


async def test_an_outage_is_credited_to_the_clock_that_ran(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", clock={"kind": "turn", "seconds": 30}, absence=0)
    await stage.game_server.schedule.heartbeat()
    stage.clock.pass_seconds(3600)
    await stage.game_server.schedule.heartbeat()
    await ann.act(advance_of(ann))
    assert "credited" in kinds(bo)
    assert (await ann.room()).table.clocks.left[0] == 30_000  # type: ignore[union-attr]
    await stage.live(5)
    await ann.act({"type": "end"})
    assert kinds(bo).count("credited") == 1


async def test_an_outage_of_the_store_decides_no_game(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", clock={"kind": "turn", "seconds": 30}, absence=0)
    await stage.game_server.schedule.heartbeat()
    # The store is away for a minute: no beat, no sweep. Then the sweeper is the first to be back.
    stage.clock.pass_seconds(60)
    await stage.game_server.sweeper.sweep()
    assert kinds(bo)[-1] == "credited"
    assert not [m for m in bo.ear.of("events") if m.get("by") == "clock"]
    await ann.act(advance_of(ann))


async def test_only_bots_left_and_nobody_watching_stands_still(stage: Stage) -> None:
    (ann,) = await stage.game("ann", bots=["sailor", "sailor"], pace=100)
    await ann.taken_over()
    await ann.go()
    before = (await stage.store.heads([ann.game]))[ann.game]
    for _ in range(5):
        await stage.pass_time(10)
    assert (await stage.store.heads([ann.game]))[ann.game] <= before + 1
    still = (await stage.store.heads([ann.game]))[ann.game]
    await stage.pass_time(100)
    assert (await stage.store.heads([ann.game]))[ann.game] == still
    await stage.guest("wim").come(ann.game)
    await stage.pass_time(1)
    assert (await stage.store.heads([ann.game]))[ann.game] > still


async def test_whoever_resigned_or_let_a_bot_play_has_no_say(stage: Stage) -> None:
    ann, bo, cy = await stage.game("ann", "bo", "cy", absence=60)
    await cy.act({"type": "resign"}, version=0)
    assert await cy.refused("consent", to="pause", yes=True) == "not_seated"
    await ann.go()
    await stage.pass_time(61)
    assert await cy.refused("vote", seat=0, choice="end") == "not_seated"
    await bo.send("vote", seat=0, choice="bot")
    back = await stage.guest("ann").come(ann.game)
    assert await back.refused("consent", to="pause", yes=True) == "bot_plays"


async def test_an_action_rarely_moves_the_sweepers_row(stage: Stage) -> None:
    ann, _ = await stage.game("ann", "bo", absence=60)
    first = await stage.store.next_due()
    await stage.live(20)
    await ann.act(advance_of(ann))
    assert await stage.store.next_due() == first
    await stage.pass_time(41)
    assert "absent" not in stage.counts.kinds
    await stage.pass_time(41)
    assert "absent" in stage.counts.kinds
