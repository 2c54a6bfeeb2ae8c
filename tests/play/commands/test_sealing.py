"""Sealed seats: a start freezes all seals, then all clients open, and the last opening starts the game."""

from __future__ import annotations

import pytest

from app import rules
from app.play import engines
from app.play.log.table import Table
from app.play.refusals import Refusal
from tests.play.commands.sealed_tables import end_and_verify, get_table, read_record, seat_players
from tests.play.stage import Stage, open_stage


async def test_a_start_freezes_all_seals_and_the_last_opening_begins_the_game(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo", bots=["sailor"])
    seals = ann.listener.last["table"]["seals"]
    await ann.send_only("start")
    frozen = bo.listener.last
    assert (frozen["kind"], frozen["table"]["status"]) == ("frozen", "open")
    opening = frozen["table"]["opening"]
    assert opening["seals"] == seals
    assert opening["bots"] == [None, None, "sailor"]
    assert opening["options"]["players"] == 3
    assert opening["nonces"] == [None, None, None]
    await bo.open_seal()
    assert ann.listener.last["kind"] == "opened"
    assert ann.listener.last["table"]["opening"]["nonces"][1] in bo.keeper.nonces.values()
    await ann.open_seal()
    assert ann.listener.last["kind"] == "started"
    table = await get_table(ann)
    nonces = [str(seat.nonce) for seat in table.seats]
    assert nonces[2] == rules.bot_nonce(table.server_seed, 2)
    assert table.position is not None
    assert table.position.seed == rules.seed_from(table.server_seed, nonces)


async def test_the_record_has_scheme_seals_and_nonces_and_each_client_finds_its_own(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo")
    await ann.send("start")
    read = await end_and_verify(ann, bo)
    assert (read.scheme, read.rules_version, read.void_rounds) == (2, 2, ())
    record = await read_record(ann)
    assert record["format"] == "cartagena-record/2"
    ann.keeper.check(record)
    bo.keeper.check(record)


async def test_no_nonce_is_shown_before_all_seals_are_frozen(stage: Stage) -> None:
    """Attack: the last player to sit knows the other nonces and tries nonces until the deck is favourable."""
    ann, bo = await seat_players(stage, "ann", "bo")
    shown = b"".join(bo.listener.payloads)
    logged = [entry.body for entry in await stage.store.log.read_entries(ann.game)]
    for nonce in ann.keeper.nonces.values():
        assert nonce.encode() not in shown
        assert nonce not in str(logged)  # the operator cannot read it either


async def test_an_operator_in_league_with_the_last_to_sit_cannot_choose_a_deck(stage: Stage) -> None:
    """Attack: with the server's seed and every nonce known, Mallory picks the nonce that suits her.

    Where seats are not sealed this works, and every check passes. Here her seal was frozen before.
    """
    ann, mallory = await seat_players(stage, "ann", "mallory")
    await ann.send_only("start")
    await ann.open_seal()
    table = await get_table(ann)
    assert table.seal_round is not None
    known = table.seal_round.nonces[0]
    assert known is not None

    def pairs(nonce: str) -> int:
        seed = rules.seed_from(table.server_seed, (known, nonce))
        hand = rules.new_game(
            rules.parse_options(table.seal_round.options if table.seal_round else {}), seed
        ).hand_names(1)
        return len(hand) - len(set(hand))

    ground = max((f"{n:032x}" for n in range(300)), key=pairs)
    assert await mallory.expect_refusal("open", nonce=ground, next_seal="d" * 64) == "wrong_nonce"
    seal = rules.seal_of(table.commitment, ground)
    assert await mallory.expect_refusal("sit", seal=seal) == "opening"
    assert await mallory.expect_refusal("seal", seal=seal) == "opening"
    assert await mallory.expect_refusal("stand") == "opening"
    await mallory.open_seal()
    assert (await get_table(ann)).status == "running"


async def test_seals_are_well_formed_and_used_once(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo")
    own = ann.listener.last["table"]["seals"]
    for wrong in ("", "a" * 63, "A" * 64, "g" * 64):
        assert await bo.expect_refusal("seal", seal=wrong) == "bad_seal"
    assert await bo.expect_refusal("seal", seal=own[0]) == "seal_used"  # another player's
    await bo.send("seal", seal="b" * 64)
    assert ann.listener.last["table"]["seals"] == [own[0], "b" * 64]
    assert ann.listener.last["kind"] == "sealed"


async def test_a_nonce_is_opened_once_and_with_a_fresh_seal_for_the_next_round(stage: Stage) -> None:
    ann, _ = await seat_players(stage, "ann", "bo")
    assert await ann.expect_refusal("open", nonce="0" * 32, next_seal="a" * 64) == "not_opening"
    assert await ann.expect_refusal("void", next_seal="a" * 64) == "not_opening"
    await ann.send_only("start")
    wanted = ann.keeper.next_command(ann.listener.last["table"], 0)
    assert wanted is not None
    assert await ann.expect_refusal("open", nonce=wanted["nonce"], next_seal="x") == "bad_seal"
    own = ann.listener.last["table"]["opening"]["seals"][0]
    assert await ann.expect_refusal("open", nonce=wanted["nonce"], next_seal=own) == "seal_used"
    assert await ann.expect_refusal("open", nonce="A" * 32, next_seal=wanted["next_seal"]) == "bad_nonce"
    await ann.send("open", nonce=wanted["nonce"], next_seal=wanted["next_seal"])
    assert await ann.expect_refusal("open", nonce=wanted["nonce"], next_seal="e" * 64) == "already_open"
    assert await ann.expect_refusal("void", next_seal="e" * 64) == "already_open"
    cy = await stage.guest("cy").enter(ann.game)
    assert await cy.expect_refusal("open", nonce="0" * 32, next_seal="a" * 64) == "not_seated"


async def test_nothing_at_the_table_changes_while_it_opens(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo", bots=["sailor"])
    cy = await stage.guest("cy").enter(ann.game)
    await ann.send_only("start")
    for guest, do, fields in (
        (ann, "start", {}),
        (ann, "remove", {"seat": 1}),
        (ann, "bot", {"level": "mate"}),
        (bo, "stand", {}),
        (bo, "ready", {"ready": False}),
        (bo, "colour", {"colour": "violet"}),
        (cy, "sit", {}),
    ):
        assert await guest.expect_refusal(do, **fields) == "opening"


async def test_a_player_who_does_not_open_is_asked_twice_and_loses_the_seat(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo")
    await ann.send_only("start")
    await ann.open_seal()
    sealed = ann.listener.last["table"]["opening"]["nonces"][0]
    assert await stage.advance_and_sweep(19) == 0
    await stage.advance_and_sweep(2)
    assert ann.listener.last["kind"] == "asked"
    assert ann.listener.last["table"]["opening"]["asked"]
    await stage.advance_and_sweep(19)
    assert ann.listener.last["kind"] == "asked"
    await stage.advance_and_sweep(2)
    frame = ann.listener.last
    assert (frame["kind"], frame["seat"], frame["table"]["status"]) == ("voided", 1, "open")
    assert frame["table"]["seats"][1]["person"] is None
    assert frame["table"]["seats"][0]["ready"]
    assert frame["table"]["opening"] is None
    assert frame["table"]["seals"][0] in ann.keeper.nonces  # `open` carried the next seal
    assert bo.seat is None
    await bo.sit()
    await bo.send("ready", ready=True)
    await ann.send("start")
    read = await end_and_verify(ann, bo)
    assert read.void_rounds[0].nonces == (sealed, None)
    assert read.void_rounds[0].missing == (1,)
    assert sealed not in read.nonces


async def test_a_player_who_missed_two_rounds_cannot_sit_there_again(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo")
    for _ in range(2):
        await ann.send_only("start")
        await ann.open_seal()
        await stage.advance_and_sweep(21)
        await stage.advance_and_sweep(21)
        if bo.listener.last["table"]["void_rounds"] == 1:
            await bo.sit()
            await bo.send("ready", ready=True)
    assert await bo.expect_refusal("sit") == "missed_twice"
    assert await bo.expect_refusal("sit", seat=1) == "missed_twice"


async def test_a_client_that_lost_its_nonce_voids_the_round_and_keeps_the_seat_once(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo")
    await ann.send_only("start")
    bo.keeper.nonces.clear()  # bo's browser has lost them
    await bo.open_seal()
    frame = ann.listener.last
    assert (frame["kind"], frame["seat"], frame["table"]["void_why"]) == ("voided", 1, "lost")
    assert frame["table"]["seals"][1] in bo.keeper.nonces
    assert frame["table"]["seals"][0] is None  # ann had not opened and so has no next seal
    assert await ann.expect_refusal("start") == "not_sealed"
    await ann.open_seal()
    await ann.send_only("start")
    bo.keeper.nonces.clear()
    await ann.open_seal()
    await bo.open_seal()
    assert ann.listener.last["table"]["seats"][1]["person"] is None
    assert await bo.expect_refusal("sit") == "missed_twice"


async def test_a_game_with_bots_starts_when_its_only_person_opens(stage: Stage) -> None:
    (ann,) = await seat_players(stage, "ann", bots=["sailor", "mate"])
    await ann.send_only("start")
    await ann.open_seal()
    assert ann.listener.last["kind"] == "started"
    await ann.act({"type": "resign"})


async def test_bots_alone_cannot_start_a_game(stage: Stage) -> None:
    ann = stage.guest("ann")
    await ann.enter(await stage.open_table(ann, players=2))
    for _ in range(2):
        await ann.send("bot", level="cabin-boy")
    assert await ann.expect_refusal("start") == "sit_to_begin"


async def test_empty_seats_are_removed_in_the_frozen_order(stage: Stage) -> None:
    ann, bo = stage.guest("ann"), stage.guest("bo")
    game = await stage.open_table(ann, players=5)
    for guest, seat in ((ann, 3), (bo, 1)):
        await guest.enter(game)
        await guest.sit(seat=seat)
        await guest.send("ready", ready=True)
    await ann.send("bot", level="sailor", seat=4)
    await ann.send("start")
    assert [ann.seat, bo.seat] == [1, 0]
    table = await get_table(ann)
    assert table.seats[2].nonce == rules.bot_nonce(table.server_seed, 2)
    await ann.act({"type": "resign"})
    record = await end_and_verify(ann, bo)
    assert record.players[2][1] == "sailor"


async def test_a_restart_in_the_middle_of_opening_loses_nothing(ready_url: str) -> None:
    """The round is in the log: a restarted server continues it, with its deadline."""
    async with open_stage(ready_url, migrate=False) as stage:
        ann, bo = await seat_players(stage, "ann", "bo")
        await ann.send_only("start")
        await ann.open_seal()
        game, kept, now = ann.game, bo.keeper, stage.clock.now()
    async with open_stage(ready_url, migrate=False) as stage:
        stage.clock.time = now + 3_600_000  # an outage of an hour, which is credited
        await stage.game_server.outage_tracker.record_first_heartbeat()
        await stage.game_server.sweeper.sweep()
        room = await stage.game_server.rooms.get(game)
        assert room is not None
        assert room.table.seal_round is not None
        assert not room.table.seal_round.asked
        bo = await stage.guest("bo").enter(game)
        bo.keeper = kept
        kept.on_reconnect()
        await bo.open_seal()
        assert room.table.status == "running"


async def test_deadlines_of_a_deserted_table_are_kept(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo")
    await ann.send_only("start")
    await ann.leave()
    await bo.leave()
    stage.clock.advance(1)
    assert stage.game_server.rooms.evict(stage.clock.now() + 10**6) == 1
    await stage.advance_and_sweep(21)
    await stage.advance_and_sweep(21)
    entries = await stage.store.log.read_entries(ann.game)
    assert [entry.kind for entry in entries[-3:]] == ["frozen", "asked", "voided"]
    assert entries[-1].body["missing"] == [0, 1]


async def test_an_open_table_without_seals_can_only_be_closed(stage: Stage) -> None:
    stage.game_server.new_table_version = 1  # as release 0.1.0 opened them on request
    ann = stage.guest("ann")
    await ann.enter(await stage.open_table(ann))
    assert ann.listener.last["table"]["scheme"] == 1
    assert "seals" not in ann.listener.last["table"]
    assert await ann.expect_refusal("sit", seal="a" * 64) == "no_seals"
    assert await ann.expect_refusal("bot", level="sailor") == "no_seals"
    assert await ann.expect_refusal("start") == "no_seals"
    await ann.send("close")
    assert (await get_table(ann)).status == "closed"


async def test_a_rematch_names_the_next_commitment(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo")
    await ann.send("start")
    await bo.act({"type": "resign"})
    await ann.send("rematch")
    table = bo.listener.last["table"]
    room = await stage.game_server.rooms.get(table["next"])
    assert room is not None
    assert table["next_commitment"] == room.table.commitment


async def test_two_workers_agree_on_who_opened_last(shared_stage: Stage) -> None:
    other = await shared_stage.add_worker()
    ann, bo = shared_stage.guest("ann"), shared_stage.guest("bo", other)
    game = await shared_stage.open_table(ann)
    for guest in (ann, bo):
        await guest.enter(game)
        await guest.sit()
        await guest.send("ready", ready=True)
    await ann.send_only("start")
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True  # neither worker receives the other's opening
    await bo.game_server.rooms.compare_heads()
    await ann.open_seal()
    await bo.open_seal()
    kinds = [entry.kind for entry in await shared_stage.store.log.read_entries(game)]
    assert kinds[-3:] == ["frozen", "opened", "started"]


async def test_a_worker_leaves_a_table_of_an_unknown_version_alone(stage: Stage) -> None:
    ann, _ = await seat_players(stage, "ann", "bo")
    stage.game_server.rooms.evict(stage.clock.now() + 10**6)
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(engines.ENGINES, engines.CURRENT_RULES_VERSION)
        with pytest.raises(engines.UnknownRules):
            Table.from_row((await ann.room()).row)


async def test_a_refusal_says_what_to_do(stage: Stage) -> None:
    ann, _ = await seat_players(stage, "ann", "bo")
    with pytest.raises(Refusal, match="sealed"):
        await ann.send_only("sit", seal="0" * 32)
