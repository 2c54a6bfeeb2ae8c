"""Votes and consents depend on who is present: when somebody goes, those who stay may have decided."""

from __future__ import annotations

from tests.play.stage import Stage


async def test_a_vote_is_decided_when_whoever_had_not_voted_goes(stage: Stage) -> None:
    ann, bo, cy = await stage.game("ann", "bo", "cy", absence=60)
    await ann.go()
    await stage.pass_time(61)
    await bo.send("vote", seat=0, choice="bot")
    assert bo.ear.of("table")[-1]["kind"] == "voted"
    await cy.go()
    await stage.game_server.sweeper.sweep()
    last = next(message for message in bo.ear.of("table") if message["kind"] == "takeover")
    assert last["seat"] == 0
    assert last["table"]["seats"][0]["bot"] == "sailor"
    assert last["table"]["votes"] == {}


async def test_a_vote_of_somebody_who_went_does_not_count(stage: Stage) -> None:
    ann, bo, cy, di = await stage.game("ann", "bo", "cy", "di", absence=60)
    await ann.go()
    await stage.pass_time(61)
    await bo.send("vote", seat=0, choice="end")
    await bo.go()
    await stage.game_server.sweeper.sweep()
    assert cy.ear.of("table")[-1]["kind"] == "voted"  # nobody who is here has chosen
    await cy.send("vote", seat=0, choice="wait")
    assert cy.ear.of("table")[-1]["kind"] == "voted"  # one of two
    await di.send("vote", seat=0, choice="wait")
    assert di.ear.of("table")[-1]["kind"] == "waited"


async def test_a_pause_ends_when_whoever_had_not_agreed_goes(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo")
    for guest in (ann, bo):
        await guest.send("consent", to="pause", yes=True)
    await ann.send("consent", to="continue", yes=True)
    assert ann.ear.of("table")[-1]["kind"] == "consent"
    await bo.go()
    await stage.game_server.sweeper.sweep()
    assert ann.ear.of("table")[-1]["kind"] == "continued"
    assert ann.ear.last["choices"]


async def test_a_pause_everybody_has_left_stays(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo")
    for guest in (ann, bo):
        await guest.send("consent", to="pause", yes=True)
    await ann.send("consent", to="continue", yes=True)
    await ann.go()
    await bo.go()
    await stage.pass_time(60)
    assert (await ann.room()).table.is_paused
