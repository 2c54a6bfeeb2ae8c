"""Sealed seats: a start freezes all seals, then everybody opens, and the last opening begins the game."""

from __future__ import annotations

import pytest

from app import rules
from app.play import engines
from app.play.log.table import Table
from app.play.refusals import Refusal
from tests.play.commands.sealed_tables import ended, record, seated, table_of
from tests.play.stage import Stage, open_stage


async def test_a_start_freezes_all_seals_and_the_last_opening_begins_the_game(stage: Stage) -> None:
    ann, bo = await seated(stage, "ann", "bo", bots=["sailor"])
    seals = ann.ear.last["table"]["seals"]
    await ann.plainly("start")
    frozen = bo.ear.last
    assert (frozen["kind"], frozen["table"]["status"]) == ("frozen", "open")
    opening = frozen["table"]["opening"]
    assert opening["seals"] == seals
    assert opening["bots"] == [None, None, "sailor"]
    assert opening["options"]["players"] == 3
    assert opening["nonces"] == [None, None, None]
    await bo.open()
    assert ann.ear.last["kind"] == "opened"
    assert ann.ear.last["table"]["opening"]["nonces"][1] in bo.keeper.nonces.values()
    await ann.open()
    assert ann.ear.last["kind"] == "started"
    table = await table_of(ann)
    nonces = [str(seat.nonce) for seat in table.seats]
    assert nonces[2] == rules.bot_nonce(table.server_seed, 2)
    assert table.position is not None
    assert table.position.seed == rules.seed_from(table.server_seed, nonces)


async def test_the_record_has_scheme_seals_and_nonces_and_each_client_finds_its_own(stage: Stage) -> None:
    ann, bo = await seated(stage, "ann", "bo")
    await ann.send("start")
    read = await ended(ann, bo)
    assert (read.scheme, read.rules_version, read.void_rounds) == (2, 2, ())
    told = await record(ann)
    assert told["format"] == "cartagena-record/2"
    ann.keeper.check(told)
    bo.keeper.check(told)


async def test_no_nonce_is_shown_before_all_seals_are_frozen(stage: Stage) -> None:
    """Attack: the last to sit has seen the others' nonces and tries its own until a deck pleases it."""
    ann, bo = await seated(stage, "ann", "bo")
    shown = b"".join(bo.ear.raw)
    logged = [entry.body for entry in await stage.store.entries(ann.game)]
    for nonce in ann.keeper.nonces.values():
        assert nonce.encode() not in shown
        assert nonce not in str(logged)  # nor can the operator read it anywhere


async def test_an_operator_in_league_with_the_last_to_sit_cannot_choose_a_deck(stage: Stage) -> None:
    """Attack: with the server's seed and every nonce known, Mallory picks the nonce that suits her.

    Where seats are not sealed this works, and every check passes. Here her seal was frozen before.
    """
    ann, mallory = await seated(stage, "ann", "mallory")
    await ann.plainly("start")
    await ann.open()
    table = await table_of(ann)
    assert table.round is not None
    known = table.round.nonces[0]
    assert known is not None

    def pairs(nonce: str) -> int:
        seed = rules.seed_from(table.server_seed, (known, nonce))
        hand = rules.new_game(
            rules.parse_options(table.round.options if table.round else {}), seed
        ).hand_names(1)
        return len(hand) - len(set(hand))

    ground = max((f"{n:032x}" for n in range(300)), key=pairs)
    assert await mallory.refused("open", nonce=ground, next_seal="d" * 64) == "wrong_nonce"
    seal = rules.seal_of(table.commitment, ground)
    assert await mallory.refused("sit", seal=seal) == "opening"
    assert await mallory.refused("seal", seal=seal) == "opening"
    assert await mallory.refused("stand") == "opening"
    await mallory.open()
    assert (await table_of(ann)).status == "running"


async def test_the_same_attack_succeeds_where_seats_are_not_sealed(stage: Stage) -> None:
    """What tables of version 1 cannot prevent: all checks pass on a chosen deck."""
    stage.game_server.new_tables = 1
    ann, mallory = stage.guest("ann"), stage.guest("mallory")
    game = await stage.open_table(ann)
    for guest in (ann, mallory):
        await guest.come(game)
        await guest.sit()
        await guest.send("ready", ready=True)
    table = await table_of(ann)
    known = str(table.seats[0].nonce)

    def pairs(nonce: str) -> int:
        hand = rules.new_game(table.options, rules.seed_from(table.server_seed, (known, nonce))).hand_names(1)
        return len(hand) - len(set(hand))

    ground = max((f"{n:032x}" for n in range(300)), key=pairs)
    await mallory.send("sit", nonce=ground)
    await ann.send("start")
    assert (await table_of(ann)).position is not None
    read = await ended(ann, mallory)
    assert (read.scheme, read.nonces[1]) == (1, ground)


async def test_seals_are_well_formed_and_used_once(stage: Stage) -> None:
    ann, bo = await seated(stage, "ann", "bo")
    own = ann.ear.last["table"]["seals"]
    for wrong in ("", "a" * 63, "A" * 64, "g" * 64):
        assert await bo.refused("seal", seal=wrong) == "bad_seal"
    assert await bo.refused("seal", seal=own[0]) == "seal_used"  # somebody else's
    await bo.send("seal", seal="b" * 64)
    assert ann.ear.last["table"]["seals"] == [own[0], "b" * 64]
    assert ann.ear.last["kind"] == "sealed"


async def test_a_nonce_is_opened_once_and_with_a_fresh_seal_for_the_next_round(stage: Stage) -> None:
    ann, _ = await seated(stage, "ann", "bo")
    assert await ann.refused("open", nonce="0" * 32, next_seal="a" * 64) == "not_opening"
    assert await ann.refused("void", next_seal="a" * 64) == "not_opening"
    await ann.plainly("start")
    wanted = ann.keeper.answer(ann.ear.last["table"], 0)
    assert wanted is not None
    assert await ann.refused("open", nonce=wanted["nonce"], next_seal="x") == "bad_seal"
    own = ann.ear.last["table"]["opening"]["seals"][0]
    assert await ann.refused("open", nonce=wanted["nonce"], next_seal=own) == "seal_used"
    assert await ann.refused("open", nonce="A" * 32, next_seal=wanted["next_seal"]) == "bad_nonce"
    await ann.send("open", nonce=wanted["nonce"], next_seal=wanted["next_seal"])
    assert await ann.refused("open", nonce=wanted["nonce"], next_seal="e" * 64) == "already_open"
    assert await ann.refused("void", next_seal="e" * 64) == "already_open"
    cy = await stage.guest("cy").come(ann.game)
    assert await cy.refused("open", nonce="0" * 32, next_seal="a" * 64) == "not_seated"


async def test_nothing_at_the_table_changes_while_it_opens(stage: Stage) -> None:
    ann, bo = await seated(stage, "ann", "bo", bots=["sailor"])
    cy = await stage.guest("cy").come(ann.game)
    await ann.plainly("start")
    for guest, do, fields in (
        (ann, "start", {}),
        (ann, "remove", {"seat": 1}),
        (ann, "bot", {"level": "mate"}),
        (bo, "stand", {}),
        (bo, "ready", {"ready": False}),
        (bo, "colour", {"colour": "violet"}),
        (cy, "sit", {}),
    ):
        assert await guest.refused(do, **fields) == "opening"


async def test_who_does_not_open_is_asked_once_more_and_leaves_the_seat(stage: Stage) -> None:
    ann, bo = await seated(stage, "ann", "bo")
    await ann.plainly("start")
    await ann.open()
    sealed = ann.ear.last["table"]["opening"]["nonces"][0]
    assert await stage.pass_time(19) == 0
    await stage.pass_time(2)
    assert ann.ear.last["kind"] == "asked"
    assert ann.ear.last["table"]["opening"]["asked"]
    await stage.pass_time(19)
    assert ann.ear.last["kind"] == "asked"
    await stage.pass_time(2)
    told = ann.ear.last
    assert (told["kind"], told["seat"], told["table"]["status"]) == ("voided", 1, "open")
    assert told["table"]["seats"][1]["person"] is None
    assert told["table"]["seats"][0]["ready"]
    assert told["table"]["opening"] is None
    assert told["table"]["seals"][0] in ann.keeper.nonces  # `open` carried the next seal
    assert bo.seat is None
    await bo.sit()
    await bo.send("ready", ready=True)
    await ann.send("start")
    read = await ended(ann, bo)
    assert read.void_rounds[0].nonces == (sealed, None)
    assert read.void_rounds[0].missing == (1,)
    assert sealed not in read.nonces


async def test_whoever_was_missed_twice_may_not_sit_there_again(stage: Stage) -> None:
    ann, bo = await seated(stage, "ann", "bo")
    for _ in range(2):
        await ann.plainly("start")
        await ann.open()
        await stage.pass_time(21)
        await stage.pass_time(21)
        if bo.ear.last["table"]["void_rounds"] == 1:
            await bo.sit()
            await bo.send("ready", ready=True)
    assert await bo.refused("sit") == "missed_twice"
    assert await bo.refused("sit", seat=1) == "missed_twice"


async def test_a_device_without_the_nonce_gives_the_round_up_and_keeps_the_seat_once(stage: Stage) -> None:
    ann, bo = await seated(stage, "ann", "bo")
    await ann.plainly("start")
    bo.keeper.nonces.clear()  # its browser has forgotten
    await bo.open()
    told = ann.ear.last
    assert (told["kind"], told["seat"], told["table"]["void_why"]) == ("voided", 1, "lost")
    assert told["table"]["seals"][1] in bo.keeper.nonces
    assert told["table"]["seals"][0] is None  # ann had not opened: everybody seals anew
    assert await ann.refused("start") == "not_sealed"
    await ann.open()
    await ann.plainly("start")
    bo.keeper.nonces.clear()
    await ann.open()
    await bo.open()
    assert ann.ear.last["table"]["seats"][1]["person"] is None
    assert await bo.refused("sit") == "missed_twice"


async def test_one_person_and_bots_begin_with_that_persons_opening(stage: Stage) -> None:
    (ann,) = await seated(stage, "ann", bots=["sailor", "mate"])
    await ann.plainly("start")
    await ann.open()
    assert ann.ear.last["kind"] == "started"
    await ann.act({"type": "resign"})


async def test_no_game_begins_between_bots_alone(stage: Stage) -> None:
    ann = stage.guest("ann")
    await ann.come(await stage.open_table(ann, players=2))
    for _ in range(2):
        await ann.send("bot", level="cabin-boy")
    assert await ann.refused("start") == "sit_to_begin"


async def test_empty_seats_close_up_in_the_frozen_order(stage: Stage) -> None:
    ann, bo = stage.guest("ann"), stage.guest("bo")
    game = await stage.open_table(ann, players=5)
    for guest, seat in ((ann, 3), (bo, 1)):
        await guest.come(game)
        await guest.sit(seat=seat)
        await guest.send("ready", ready=True)
    await ann.send("bot", level="sailor", seat=4)
    await ann.send("start")
    assert [ann.seat, bo.seat] == [1, 0]
    table = await table_of(ann)
    assert table.seats[2].nonce == rules.bot_nonce(table.server_seed, 2)
    await ann.act({"type": "resign"})
    told = await ended(ann, bo)
    assert told.players[2][1] == "sailor"


async def test_a_restart_in_the_middle_of_opening_loses_nothing(ready_url: str) -> None:
    """The round is in the log: another life of the server goes on with it, and its deadline counts on."""
    async with open_stage(ready_url, migrate=False) as stage:
        ann, bo = await seated(stage, "ann", "bo")
        await ann.plainly("start")
        await ann.open()
        game, kept, now = ann.game, bo.keeper, stage.clock.now()
    async with open_stage(ready_url, migrate=False) as stage:
        stage.clock.time = now + 3_600_000  # nobody was there for an hour: that counts for nobody
        await stage.game_server.schedule.begin()
        await stage.game_server.sweeper.sweep()
        room = await stage.game_server.rooms.get(game)
        assert room is not None
        assert room.table.round is not None
        assert not room.table.round.asked
        bo = await stage.guest("bo").come(game)
        bo.keeper = kept
        kept.again()
        await bo.open()
        assert room.table.status == "running"


async def test_deadlines_of_a_lone_table_are_kept_without_anybody_there(stage: Stage) -> None:
    ann, bo = await seated(stage, "ann", "bo")
    await ann.plainly("start")
    await ann.go()
    await bo.go()
    stage.clock.pass_seconds(1)
    assert stage.game_server.rooms.evict(stage.clock.now() + 10**6) == 1
    await stage.pass_time(21)
    await stage.pass_time(21)
    entries = await stage.store.entries(ann.game)
    assert [entry.kind for entry in entries[-3:]] == ["frozen", "asked", "voided"]
    assert entries[-1].body["missing"] == [0, 1]


async def test_tables_of_version_one_go_their_old_way_to_the_end(stage: Stage) -> None:
    stage.game_server.new_tables = 1
    ann, bo = await seated(stage, "ann", "bo", bots=["sailor"])
    assert ann.ear.last["table"]["scheme"] == 1
    assert "seals" not in ann.ear.last["table"]
    assert await ann.refused("seal", seal="a" * 64) == "no_seals"
    assert await ann.refused("open", nonce="0" * 32, next_seal="a" * 64) == "no_seals"
    assert await ann.refused("sit", seal="a" * 64) == "bad_nonce"
    await ann.plainly("start")
    assert ann.ear.last["kind"] == "started"
    entries = await stage.store.entries(ann.game)
    assert {entry.kind for entry in entries} == {"created", "seated", "ready", "started"}
    await ann.act({"type": "resign"})
    await bo.act({"type": "resign"})
    told = await record(ann)
    assert told["format"] == "cartagena-record/1"
    assert rules.record_from_json(told).scheme == 1


async def test_a_rematch_names_the_next_commitment(stage: Stage) -> None:
    ann, bo = await seated(stage, "ann", "bo")
    await ann.send("start")
    await bo.act({"type": "resign"})
    await ann.send("rematch")
    table = bo.ear.last["table"]
    room = await stage.game_server.rooms.get(table["next"])
    assert room is not None
    assert table["next_commitment"] == room.table.commitment


async def test_two_workers_agree_on_who_opened_last(shared_stage: Stage) -> None:
    other = await shared_stage.another_worker()
    ann, bo = shared_stage.guest("ann"), shared_stage.guest("bo", other)
    game = await shared_stage.open_table(ann)
    for guest in (ann, bo):
        await guest.come(game)
        await guest.sit()
        await guest.send("ready", ready=True)
    await ann.plainly("start")
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True  # neither hears of the other's opening
    await bo.game_server.rooms.compare_heads()
    await ann.open()
    await bo.open()
    kinds = [entry.kind for entry in await shared_stage.store.entries(game)]
    assert kinds[-3:] == ["frozen", "opened", "started"]


async def test_a_worker_that_does_not_know_a_tables_version_lets_it_alone(stage: Stage) -> None:
    ann, _ = await seated(stage, "ann", "bo")
    stage.game_server.rooms.evict(stage.clock.now() + 10**6)
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(engines.ENGINES, 2)
        with pytest.raises(engines.UnknownRules):
            Table.of((await ann.room()).row)


async def test_a_refusal_says_what_to_do(stage: Stage) -> None:
    ann, _ = await seated(stage, "ann", "bo")
    with pytest.raises(Refusal, match="sealed"):
        await ann.plainly("sit", nonce="0" * 32)
