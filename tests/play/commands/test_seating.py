"""Before the start: sitting down, colours, ready, bots, the host and the start itself."""

from __future__ import annotations

from typing import Any

import pytest

from app import rules
from app.play.log.terms import Terms, parse_terms
from app.play.refusals import NotAdmitted, Refusal
from tests.play.stage import Guest, Stage


async def two_at_a_table(stage: Stage, players: int = 3, **wishes: Any) -> tuple[Guest, Guest, str]:
    ann, bo = stage.guest("ann"), stage.guest("bo")
    game = await stage.open_table(ann, players=players, **wishes)
    await ann.come(game)
    await bo.come(game)
    return ann, bo, game


async def test_the_commitment_is_shown_before_anyone_sits_down(stage: Stage) -> None:
    ann, _, _ = await two_at_a_table(stage)
    table = ann.ear.of("state")[0]["table"]
    assert len(table["commitment"]) == 64
    assert table["server_seed"] is None
    assert table["nonces"] == [None, None, None]


async def test_each_sitting_replaces_the_seal_and_a_move_frees_the_old_seat(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage)
    await ann.send("sit", seal="a" * 64, seat=0, colour="green")
    await ann.send("sit", seal="b" * 64)
    assert bo.ear.last["table"]["seals"] == ["b" * 64, None, None]
    await ann.send("sit", seal="c" * 64, seat=2)
    table = bo.ear.last["table"]
    assert table["seals"] == [None, None, "c" * 64]
    assert table["nonces"] == [None, None, None]
    assert table["seats"][2]["colour"] == "green"
    assert ann.seat == 2


async def test_seats_and_colours_are_taken_once(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage, 2)
    await ann.sit(seat=0, colour="red")
    assert await bo.refused("sit", seat=0) == "seat_taken"
    assert await bo.refused("sit", seat=7) == "bad_seat"
    assert await bo.refused("sit", colour="red") == "colour_taken"
    assert await bo.refused("sit", colour="pink") == "bad_colour"
    assert await bo.refused("sit", seal="A" * 64) == "bad_seal"
    assert await bo.refused("sit", nonce="a" * 32) == "bad_seal"
    await bo.sit()
    assert await bo.refused("colour", colour="red") == "colour_taken"
    await bo.send("colour", colour="violet")
    cy = await stage.guest("cy").come(ann.game)
    assert await cy.refused("sit") == "no_free_seat"


async def test_the_host_starts_when_two_are_ready_and_empty_seats_close_up(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage, 4)
    assert await ann.refused("start") == "sit_to_begin"
    await ann.sit(seat=1)
    assert await ann.refused("start") == "too_few"
    await bo.sit(seat=3)
    assert await bo.refused("start") == "not_host"
    await ann.send("ready", ready=True)
    assert await ann.refused("start") == "not_ready"
    await bo.send("ready", ready=True)
    await ann.send("start")
    assert ann.ear.last["kind"] == "started"
    assert ann.ear.last["you"] == {"seat": 0}
    assert bo.ear.last["you"] == {"seat": 1}
    assert ann.ear.last["table"]["options"]["players"] == 2
    assert ann.ear.last["view"]["players"][0]["hand"] is not None
    assert ann.ear.last["view"]["players"][1]["hand"] is None
    assert await ann.refused("sit") == "started"
    assert await ann.refused("stand") == "started"
    assert await ann.refused("start") == "started"


async def test_options_that_no_longer_fit_are_refused_at_the_start(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage, 4, options={"first": 3})
    for guest in (ann, bo):
        await guest.sit()
        await guest.send("ready", ready=True)
    assert await ann.refused("start") == "bad_options"


async def test_the_seed_follows_from_the_commitment_and_every_nonce(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage, 3)
    await ann.send("sit")
    await bo.send("sit")
    await ann.send("bot", level="sailor")
    for guest in (ann, bo):
        await guest.send("ready", ready=True)
    await ann.send("start")
    table = (await ann.room()).table
    assert table.position is not None
    nonces = [seat.nonce or "" for seat in table.seats]
    assert nonces[2] == rules.bot_nonce(table.server_seed, 2)
    assert table.position.seed == rules.seed_from(table.server_seed, nonces)


async def test_the_host_removes_seats_puts_bots_down_and_hands_the_role_on(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage)
    await ann.sit()
    await bo.sit()
    assert await bo.refused("remove", seat=0) == "not_host"
    assert await bo.refused("bot", level="sailor") == "not_host"
    assert await ann.refused("bot", level="admiral") == "bad_level"
    assert await ann.refused("remove", seat=2) == "bad_seat"
    await ann.send("bot", level="mate", seat=2)
    assert ann.ear.last["table"]["seats"][2]["bot"] == "mate"
    await ann.send("remove", seat=2)
    await ann.send("remove", seat=1)
    assert bo.seat is None
    await bo.sit()
    assert await ann.refused("host", seat=2) == "bad_seat"
    await ann.send("host", seat=1)
    assert await ann.refused("start") == "not_host"
    assert bo.ear.last["table"]["host"] == "p_bo"


async def test_the_host_role_moves_by_itself_when_the_host_leaves(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage)
    await ann.sit()
    await bo.sit()
    await ann.send("stand")
    assert bo.ear.last["table"]["host"] == "p_bo"


async def test_the_host_role_moves_when_the_host_is_gone_for_a_minute(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage)
    await ann.sit()
    await bo.sit()
    await ann.go()
    assert await stage.pass_time(30) == 0
    await stage.pass_time(31)
    assert bo.ear.last["kind"] == "host"
    assert bo.ear.last["table"]["host"] == "p_bo"


async def test_a_locked_room_opens_to_its_password_only_and_looks_like_none_at_all(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann, visibility="password", password="open sesame")
    await ann.come(game)
    for where in (game, "no-such-game-at-all"):
        bo = stage.guest("bo")
        with pytest.raises(NotAdmitted, match="password_required"):
            await bo.come(where)
        with pytest.raises(NotAdmitted, match="password_wrong"):
            await bo.come(where, password="please")
    bo = await stage.guest("bo").come(game, password="open sesame")
    await bo.sit()
    assert (await stage.guest("bo").come(game)).ear.heard[0]["t"] == "welcome"


async def test_a_table_without_spectators_sends_them_away_at_the_start(stage: Stage) -> None:
    ann, bo, game = await two_at_a_table(stage, 2, spectators=False)
    cy = await stage.guest("cy").come(game)
    for guest in (ann, bo):
        await guest.sit()
        await guest.send("ready", ready=True)
    await ann.send("start")
    assert cy.ear.ended == 4003
    with pytest.raises(NotAdmitted, match="no_spectators"):
        await stage.guest("dee").come(game)


async def test_bots_can_be_kept_at_creation_but_one_seat_is_for_a_person(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann, players=3, bots=["sailor", "legend"])
    await ann.come(game)
    seats = ann.ear.of("state")[0]["table"]["seats"]
    assert [seat["bot"] for seat in seats] == [None, "sailor", "legend"]
    with pytest.raises(Refusal, match="bad_options"):
        await stage.open_table(ann, players=2, bots=["sailor", "sailor"])


@pytest.mark.parametrize(
    "wishes",
    [
        {"title": "x" * 61},
        {"title": "a\u202eb"},
        {"clock": {"kind": "turn", "seconds": 1}},
        {"clock": {"kind": "days"}},
        {"clock": {"kind": "sundial"}},
        {"absence": 3},
        {"visibility": "password"},
        {"lock": "00$00"},
        {"pace": -1},
        {"surprise": 1},
    ],
)
def test_terms_that_do_not_fit_are_refused_with_a_sentence(wishes: dict[str, object]) -> None:
    with pytest.raises(Refusal) as refused:
        parse_terms(wishes)
    assert refused.value.code == "bad_options"
    assert refused.value.message.endswith(".")


async def test_a_guest_may_not_open_rooms_without_end(stage: Stage) -> None:
    ann = stage.guest("ann")
    options = {"preset": "jamaica", "players": 2}
    for _ in range(2):
        await stage.game_server.create(ann.actor, options, Terms(), [], 2)
    with pytest.raises(Refusal, match="too_many_rooms"):
        await stage.game_server.create(ann.actor, options, Terms(), [], 2)


async def test_somebody_whom_a_player_has_blocked_cannot_sit_down(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage)
    await ann.sit()

    async def blocks(person: object, others: object) -> bool:
        return "p_ann" in list(others)  # type: ignore[call-overload]

    stage.game_server.blocks = blocks
    assert await bo.refused("sit") == "blocked"
