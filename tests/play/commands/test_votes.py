"""Votes and consents depend on who is present: when a player leaves, the others may have decided."""

from __future__ import annotations

from tests.play.stage import Stage


async def test_a_vote_is_decided_when_the_undecided_player_leaves(stage: Stage) -> None:
    ann, bo, cy = await stage.start_game("ann", "bo", "cy", absence=60)
    await ann.leave()
    await stage.advance_and_sweep(61)
    await bo.send("vote", seat=0, choice="bot")
    assert bo.listener.of_kind("table")[-1]["kind"] == "voted"
    await cy.leave()
    await stage.game_server.sweeper.sweep()
    last = next(message for message in bo.listener.of_kind("table") if message["kind"] == "takeover")
    assert last["seat"] == 0
    assert last["table"]["seats"][0]["bot"] == "sailor"
    assert last["table"]["votes"] == {}


async def test_the_vote_of_a_player_who_left_does_not_count(stage: Stage) -> None:
    ann, bo, cy, di = await stage.start_game("ann", "bo", "cy", "di", absence=60)
    await ann.leave()
    await stage.advance_and_sweep(61)
    await bo.send("vote", seat=0, choice="end")
    await bo.leave()
    await stage.game_server.sweeper.sweep()
    assert cy.listener.of_kind("table")[-1]["kind"] == "voted"  # no present player has voted
    await cy.send("vote", seat=0, choice="wait")
    assert cy.listener.of_kind("table")[-1]["kind"] == "voted"  # one of two
    await di.send("vote", seat=0, choice="wait")
    assert di.listener.of_kind("table")[-1]["kind"] == "waited"


async def test_a_pause_ends_when_the_player_who_had_not_agreed_leaves(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    for guest in (ann, bo):
        await guest.send("consent", to="pause", yes=True)
    await ann.send("consent", to="continue", yes=True)
    assert ann.listener.of_kind("table")[-1]["kind"] == "consent"
    await bo.leave()
    await stage.game_server.sweeper.sweep()
    assert ann.listener.of_kind("table")[-1]["kind"] == "continued"
    assert ann.listener.last["choices"]


async def test_a_deserted_pause_continues(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    for guest in (ann, bo):
        await guest.send("consent", to="pause", yes=True)
    await ann.send("consent", to="continue", yes=True)
    await ann.leave()
    await bo.leave()
    await stage.advance_and_sweep(60)
    assert (await ann.room()).table.is_paused
