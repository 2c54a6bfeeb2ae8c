"""Before the start: sitting down, colours, readiness, bots, the host and the start itself."""

from __future__ import annotations

from typing import Any

import pytest

from app import rules
from app.play.log.terms import Terms, parse_terms
from app.play.refusals import NotAdmitted, Refusal
from tests.play.stage import Guest, Stage


async def two_at_a_table(stage: Stage, players: int = 3, **terms_json: Any) -> tuple[Guest, Guest, str]:
    ann, bo = stage.guest("ann"), stage.guest("bo")
    game = await stage.open_table(ann, players=players, **terms_json)
    await ann.enter(game)
    await bo.enter(game)
    return ann, bo, game


async def test_the_commitment_is_shown_before_anyone_sits_down(stage: Stage) -> None:
    ann, _, _ = await two_at_a_table(stage)
    table = ann.listener.of_kind("state")[0]["table"]
    assert len(table["commitment"]) == 64
    assert table["server_seed"] is None
    assert table["nonces"] == [None, None, None]


async def test_sitting_again_replaces_the_seal_and_frees_the_old_seat(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage)
    await ann.send("sit", seal="a" * 64, seat=0, colour="green")
    await ann.send("sit", seal="b" * 64)
    assert bo.listener.last["table"]["seals"] == ["b" * 64, None, None]
    await ann.send("sit", seal="c" * 64, seat=2)
    table = bo.listener.last["table"]
    assert table["seals"] == [None, None, "c" * 64]
    assert table["nonces"] == [None, None, None]
    assert table["seats"][2]["colour"] == "green"
    assert ann.seat == 2


async def test_seats_and_colours_are_taken_once(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage, 2)
    await ann.sit(seat=0, colour="red")
    assert await bo.expect_refusal("sit", seat=0) == "seat_taken"
    assert await bo.expect_refusal("sit", seat=7) == "bad_seat"
    assert await bo.expect_refusal("sit", colour="red") == "colour_taken"
    assert await bo.expect_refusal("sit", colour="pink") == "bad_colour"
    assert await bo.expect_refusal("sit", seal="A" * 64) == "bad_seal"
    assert await bo.expect_refusal("sit", seal=None) == "bad_seal"
    await bo.sit()
    assert await bo.expect_refusal("colour", colour="red") == "colour_taken"
    await bo.send("colour", colour="violet")
    cy = await stage.guest("cy").enter(ann.game)
    assert await cy.expect_refusal("sit") == "no_free_seat"


async def test_the_host_starts_with_two_ready_players_and_empty_seats_are_removed(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage, 4)
    assert await ann.expect_refusal("start") == "sit_to_begin"
    await ann.sit(seat=1)
    assert await ann.expect_refusal("start") == "too_few"
    await bo.sit(seat=3)
    assert await bo.expect_refusal("start") == "not_host"
    await ann.send("ready", ready=True)
    assert await ann.expect_refusal("start") == "not_ready"
    await bo.send("ready", ready=True)
    await ann.send("start")
    assert ann.listener.last["kind"] == "started"
    assert ann.listener.last["you"] == {"seat": 0}
    assert bo.listener.last["you"] == {"seat": 1}
    assert ann.listener.last["table"]["options"]["players"] == 2
    assert ann.listener.last["view"]["players"][0]["hand"] is not None
    assert ann.listener.last["view"]["players"][1]["hand"] is None
    assert await ann.expect_refusal("sit") == "started"
    assert await ann.expect_refusal("stand") == "started"
    assert await ann.expect_refusal("start") == "started"


async def test_options_that_no_longer_fit_are_refused_at_the_start(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage, 4, options={"first": 3})
    for guest in (ann, bo):
        await guest.sit()
        await guest.send("ready", ready=True)
    assert await ann.expect_refusal("start") == "bad_options"


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


async def test_the_host_removes_players_seats_bots_and_hands_the_role_over(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage)
    await ann.sit()
    await bo.sit()
    assert await bo.expect_refusal("remove", seat=0) == "not_host"
    assert await bo.expect_refusal("bot", level="sailor") == "not_host"
    assert await ann.expect_refusal("bot", level="admiral") == "bad_level"
    assert await ann.expect_refusal("remove", seat=2) == "bad_seat"
    await ann.send("bot", level="mate", seat=2)
    assert ann.listener.last["table"]["seats"][2]["bot"] == "mate"
    await ann.send("remove", seat=2)
    await ann.send("remove", seat=1)
    assert bo.seat is None
    await ann.send("readmit")
    await bo.sit()
    assert await ann.expect_refusal("host", seat=2) == "bad_seat"
    await ann.send("host", seat=1)
    assert await ann.expect_refusal("start") == "not_host"
    assert bo.listener.last["table"]["host"] == "p_bo"


async def test_a_removed_player_sits_down_again_after_ten_minutes_or_when_readmitted(stage: Stage) -> None:
    ann, bo, game = await two_at_a_table(stage)
    cy = await stage.guest("cy").enter(game)
    await ann.sit()
    assert await ann.expect_refusal("readmit") == "no_change"
    await bo.sit()
    assert "removed_until" not in ann.listener.last["table"]
    await ann.send("remove", seat=1)
    until = stage.clock.now() + 600_000
    assert bo.listener.last["removed_until"] == until
    assert ann.listener.last["table"]["removed_until"] == until
    assert await bo.expect_refusal("sit") == "removed"
    assert await bo.expect_refusal("readmit") == "not_host"
    await cy.sit()  # another person is not affected
    await cy.send("stand")
    await stage.advance_clock(599)
    assert await bo.expect_refusal("sit") == "removed"
    await stage.advance_clock(1)
    await bo.sit()
    assert bo.seat == 1
    await ann.send("remove", seat=1)
    await ann.send("readmit")
    assert ann.listener.last["table"]["host"] == "p_ann"
    assert "removed_until" not in ann.listener.last["table"]
    await bo.sit()
    assert bo.seat == 1


async def test_each_removed_player_learns_their_own_time(stage: Stage) -> None:
    ann, bo, game = await two_at_a_table(stage)
    cy = await stage.guest("cy").enter(game)
    for guest in (ann, bo, cy):
        await guest.sit()
    removed = {}
    for guest, seat in ((bo, 1), (cy, 2)):
        await stage.advance_clock(60)
        await ann.send("remove", seat=seat)
        removed[guest.actor.id] = guest.listener.last["removed_until"]
        assert removed[guest.actor.id] == stage.clock.now() + 600_000
    for guest in (bo, cy):
        await guest.leave()
        await guest.enter(game)
        you = guest.listener.of_kind("welcome")[-1]["you"]
        assert (you["removed"], you["removed_until"]) == (True, removed[guest.actor.id])
    await ann.send("bot", level="mate", seat=1)
    await ann.send("remove", seat=1)
    assert "removed_until" not in ann.listener.last, "only people are kept out"
    await ann.send("readmit")
    await bo.leave()
    await bo.enter(game)
    assert "removed_until" not in bo.listener.of_kind("welcome")[-1]["you"]


async def test_the_host_role_passes_on_when_the_host_leaves(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage)
    await ann.sit()
    await bo.sit()
    await ann.send("stand")
    assert bo.listener.last["table"]["host"] == "p_bo"


async def test_the_host_role_passes_on_when_the_host_is_away_for_a_minute(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage)
    await ann.sit()
    await bo.sit()
    await ann.leave()
    assert await stage.advance_and_sweep(30) == 0
    await stage.advance_and_sweep(31)
    assert bo.listener.last["kind"] == "host"
    assert bo.listener.last["table"]["host"] == "p_bo"


async def test_a_locked_room_looks_like_a_missing_one_without_its_password(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann, visibility="password", password="open sesame")
    await ann.enter(game)
    for where in (game, "no-such-game-at-all"):
        bo = stage.guest("bo")
        with pytest.raises(NotAdmitted, match="password_required"):
            await bo.enter(where)
        with pytest.raises(NotAdmitted, match="password_wrong"):
            await bo.enter(where, password="please")
    bo = await stage.guest("bo").enter(game, password="open sesame")
    await bo.sit()
    assert (await stage.guest("bo").enter(game)).listener.received[0]["t"] == "welcome"


async def test_a_table_without_spectators_disconnects_them_at_the_start(stage: Stage) -> None:
    ann, bo, game = await two_at_a_table(stage, 2, spectators=False)
    cy = await stage.guest("cy").enter(game)
    for guest in (ann, bo):
        await guest.sit()
        await guest.send("ready", ready=True)
    await ann.send("start")
    assert cy.listener.end_reason == "no_spectators"
    with pytest.raises(NotAdmitted, match="no_spectators"):
        await stage.guest("dee").enter(game)


async def test_bots_can_be_seated_at_creation_but_one_seat_is_for_a_person(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann, players=3, bots=["sailor", "legend"])
    await ann.enter(game)
    seats = ann.listener.of_kind("state")[0]["table"]["seats"]
    assert [seat["bot"] for seat in seats] == [None, "sailor", "legend"]
    with pytest.raises(Refusal, match="bad_options"):
        await stage.open_table(ann, players=2, bots=["sailor", "sailor"])


@pytest.mark.parametrize(
    "terms_json",
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
def test_invalid_terms_are_refused_with_a_sentence(terms_json: dict[str, object]) -> None:
    with pytest.raises(Refusal) as refused:
        parse_terms(terms_json)
    assert refused.value.code == "bad_options"
    assert refused.value.message.endswith(".")


async def test_the_number_of_unfinished_tables_is_limited(stage: Stage) -> None:
    ann = stage.guest("ann")
    options = {"preset": "jamaica", "players": 2}
    for _ in range(2):
        await stage.game_server.create_table(ann.actor, options, Terms(), [], 2)
    with pytest.raises(Refusal, match="too_many_rooms"):
        await stage.game_server.create_table(ann.actor, options, Terms(), [], 2)


async def test_a_person_blocked_by_a_player_cannot_sit_down(stage: Stage) -> None:
    ann, bo, _ = await two_at_a_table(stage)
    await ann.sit()

    async def blocks(person: object, others: object) -> bool:
        return "p_ann" in list(others)  # type: ignore[call-overload]

    stage.game_server.blocked_people.has_blocked = blocks
    assert await bo.expect_refusal("sit") == "blocked"
