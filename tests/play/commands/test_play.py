"""Playing in a room: commands, versions, undo, repeated commands, the frames of each audience."""

from __future__ import annotations

import asyncio
from typing import Any

from app import rules
from tests.choices import choices_of as seat_choices
from tests.play.stage import Guest, Stage, new_command_id, position_of


def choices_of(guest: Guest) -> list[dict[str, Any]]:
    frames = [m for m in guest.listener.received if "seq" in m and m["t"] in ("events", "table", "state")]
    return list(frames[-1].get("choices", []))


def advance_of(guest: Guest) -> dict[str, Any]:
    return next(c["action"] for c in choices_of(guest) if c["action"]["type"] == "advance")


async def test_an_accepted_action_is_logged_and_sent_to_everyone_once(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    done = await ann.act(advance_of(ann))
    entries = await stage.store.log.read_entries(ann.game)
    assert entries[-1].seq == done.seq
    assert entries[-1].kind == "action"
    for guest in (ann, bo):
        numbers = [m["seq"] for m in guest.listener.received if m["t"] in ("events", "table")]
        assert numbers == sorted(set(numbers))
        assert guest.listener.last["t"] == "events"
        assert guest.listener.last["seq"] == done.seq


async def test_only_the_seat_that_acted_gets_the_ack_and_only_the_seat_to_act_gets_choices(
    stage: Stage,
) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    watcher = await stage.guest("wim").enter(ann.game)
    await ann.act(advance_of(ann), id="advance-0001")
    assert ann.listener.last["ack"] == "advance-0001"
    assert ann.listener.last["undo"] is True
    assert ann.listener.last["choices"]
    for other in (bo, watcher):
        assert not {"ack", "undo", "choices"} & other.listener.last.keys()


async def test_an_action_that_was_not_offered_is_refused(stage: Stage) -> None:
    """The cache finds an action by its text, but it is legal only if the text is in the choices sent to this seat."""
    ann, bo = await stage.start_game("ann", "bo")
    await ann.act(advance_of(ann))
    choices = (await ann.room()).table.sent_choices
    assert choices is not None
    version = (await ann.room()).table.seq
    for known in (await ann.room()).table.position.ruleset.cache.by_json.values():  # type: ignore[union-attr]
        if known.choice_prefix not in choices:
            assert await ann.expect_refusal("act", version=version, action=known.json) == "illegal"
    offered = choices_of(ann)[0]["action"]
    assert await bo.expect_refusal("act", version=version, action=offered) == "not_your_turn"
    await ann.act(offered)


async def test_the_same_action_sent_five_times_counts_once(stage: Stage) -> None:
    ann, _ = await stage.start_game("ann", "bo")
    action, version = advance_of(ann), (await ann.room()).table.seq
    answers = await asyncio.gather(*(ann.act(action, version, id="same-action-1") for _ in range(5)))
    assert {answer.seq for answer in answers} == {version + 1}
    assert (await stage.store.log.read_heads([ann.game]))[ann.game] == version + 1


async def test_an_accepted_id_gets_the_same_answer_much_later(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    version = (await ann.room()).table.seq
    action = advance_of(ann)
    first = await ann.act(action, version, id="remember-me")
    await ann.act({"type": "end"})
    assert stage.game_server.rooms.evict(stage.clock.now() + 10**9) == 0
    await ann.leave()
    await bo.leave()
    assert stage.game_server.rooms.evict(stage.clock.now() + 10**9) == 1
    assert (await ann.act(action, version, id="remember-me")).seq == first.seq


async def test_of_two_commands_racing_for_one_version_one_is_refused_as_stale(stage: Stage) -> None:
    ann, _ = await stage.start_game("ann", "bo")
    version = (await ann.room()).table.seq
    action = advance_of(ann)
    results = await asyncio.gather(ann.act(action, version), ann.act(action, version), return_exceptions=True)
    codes = [getattr(result, "code", "accepted") for result in results]
    assert sorted(codes) == ["accepted", "stale"]


async def test_a_chat_line_or_a_vote_does_not_make_a_move_stale(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    version = (await ann.room()).table.seq
    await bo.send("chat", text="hello")
    await bo.send("consent", to="pause", yes=True)
    await ann.act(advance_of(ann), version)


async def test_another_persons_command_id_is_refused(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    await ann.act(advance_of(ann), id="shared-id-1")
    assert await bo.expect_refusal("consent", id="shared-id-1", to="pause", yes=True) == "id_taken"


async def test_undo_takes_back_an_advance_and_sends_the_whole_view(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    before = rules.view(position_of(await ann.room()), 0)
    await ann.act(advance_of(ann))
    await ann.send("undo", version=(await ann.room()).table.seq)
    assert ann.listener.last["kind"] == "undo"
    assert ann.listener.last["view"] == before
    assert bo.listener.last["view"]["players"][0]["hand"] is None
    assert "undo" not in ann.listener.last


async def test_undo_is_refused_once_a_card_was_drawn(stage: Stage) -> None:
    ann, _ = await stage.start_game("ann", "bo", preset="dungeon")
    await ann.act(advance_of(ann))
    await ann.act(advance_of(ann))
    room = await ann.room()
    retreat = next((c["action"] for c in choices_of(ann) if c["action"]["type"] == "retreat"), None)
    assert retreat is not None
    await ann.act(retreat)
    assert await ann.expect_refusal("undo", version=room.table.seq) == "undo_blocked"


async def test_undo_is_refused_without_an_action_and_in_anothers_turn(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    seq = (await ann.room()).table.seq
    assert await ann.expect_refusal("undo", version=seq) == "nothing_to_undo"
    assert await bo.expect_refusal("undo", version=seq) == "not_your_turn"
    await ann.act(advance_of(ann))
    await ann.act({"type": "end"})
    assert await ann.expect_refusal("undo", version=seq + 2) == "not_your_turn"


async def test_folding_the_events_gives_the_view_for_every_audience(stage: Stage) -> None:
    guests = await stage.start_game(
        "ann", "bo", "cy", preset="dungeon", options={"black_magic": True, "scoundrels": True}
    )
    watcher = await stage.guest("wim").enter(guests[0].game)
    room = await guests[0].room()
    audience = [*guests, watcher]
    views = [dict(rules.view(position_of(room), guest.seat)) for guest in audience]
    for _ in range(150):
        table = room.table
        if table.is_over:
            break
        seat = table.to_act[0]
        action = rules.action_to_json(rules.default_action(position_of(room), seat))
        offered = [c["action"] for c in seat_choices(position_of(room), seat)]
        pick = next((a for a in offered if a["type"] in ("advance", "pistol", "rum", "lantern")), action)
        await guests[seat].act(pick if position_of(room).pending is None else action)
        for view, guest in zip(views, audience, strict=True):
            for event in guest.listener.last["events"]:
                rules.fold(view, event, guest.seat)
            assert view == rules.view(position_of(room), guest.seat)


async def test_a_seat_never_receives_another_hand_the_seed_or_the_deck(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    watcher = await stage.guest("wim").enter(ann.game)
    room = await ann.room()
    seed = position_of(room).seed
    for _ in range(40):
        table = room.table
        guest = (ann, bo)[table.to_act[0]]
        offered = choices_of(guest)
        await guest.act(offered[0]["action"])
    for guest in (ann, bo, watcher):
        everything = b"".join(guest.listener.payloads)
        assert seed.encode() not in everything
        assert room.table.server_seed.encode() not in everything
        for message in guest.listener.received:
            for view in filter(None, [message.get("view"), message.get("state", {}).get("view")]):
                assert isinstance(view["deck"], int)
                assert all(p["hand"] is None for n, p in enumerate(view["players"]) if n != guest.seat)


async def test_an_update_to_a_seat_that_is_not_to_act_is_small(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    sizes = []
    for _ in range(30):
        room = await ann.room()
        guest, other = (ann, bo) if room.table.to_act[0] == 0 else (bo, ann)
        await guest.act(choices_of(guest)[0]["action"])
        if room.table.to_act[0] == guest.seat:
            sizes.append(len(other.listener.payloads[-1]))
    assert sum(sizes) / len(sizes) <= 150
    assert max(sizes) <= 300


async def test_the_end_shows_the_seed_and_everything_hidden(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    await bo.act({"type": "resign"}, version=0)
    last = ann.listener.last
    assert last["events"][-1]["type"] == "game_won"
    assert last["table"]["status"] == "finished"
    assert last["table"]["result"] == {"winner": 0, "places": [1, 2], "reason": "resigned"}
    assert rules.commitment_of(last["table"]["server_seed"]) == last["table"]["commitment"]
    late = await stage.guest("wim").enter(ann.game)
    state = late.listener.of_kind("state")[0]
    assert state["view"]["players"][1]["hand"] == []
    assert len(state["view"]["seed"]) == 64
    assert await ann.expect_refusal("act", version=99, action={"type": "end"}) == "game_over"


async def test_resuming_sends_the_missed_frames_or_the_state(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    seq = (await ann.room()).table.seq
    await bo.leave()
    for _ in range(2):
        await ann.act(advance_of(ann))
    again = await stage.guest("bo").enter(ann.game, seq=seq)
    assert again.listener.received[0]["resumed"] is True
    assert [m["seq"] for m in again.listener.of_kind("events")] == [seq + 1, seq + 2]
    assert not again.listener.of_kind("state")
    fresh = await stage.guest("bo").enter(ann.game, seq=1)
    assert fresh.listener.received[0]["resumed"] is False
    assert fresh.listener.of_kind("state")[0]["seq"] == seq + 2
    same = await stage.guest("bo").enter(ann.game, seq=seq + 2)
    assert same.listener.received[0]["resumed"] is True
    ahead = await stage.guest("bo").enter(ann.game, seq=10_000)
    assert ahead.listener.received[0]["resumed"] is False


async def test_two_devices_of_one_person_are_both_live(stage: Stage) -> None:
    ann, _ = await stage.start_game("ann", "bo")
    phone = await stage.guest("ann").enter(ann.game)
    await phone.act(advance_of(ann), id="from-the-phone")
    assert ann.listener.last["ack"] == phone.listener.last["ack"] == "from-the-phone"
    assert ann.listener.last["choices"] == phone.listener.last["choices"]


async def test_a_spectator_cannot_act(stage: Stage) -> None:
    ann, _ = await stage.start_game("ann", "bo")
    watcher = await stage.guest("wim").enter(ann.game)
    for do, fields in (
        ("act", {"version": 9, "action": {"type": "end"}}),
        ("undo", {"version": 9}),
        ("consent", {"to": "pause", "yes": True}),
        ("vote", {"seat": 0, "choice": "end"}),
        ("return", {}),
        ("rematch", {}),
        ("hint", {"version": 9}),
    ):
        assert await watcher.expect_refusal(do, **fields) == "not_seated"


async def test_the_record_of_a_finished_game_can_be_verified_and_leaves_out_what_was_undone(
    stage: Stage,
) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    await ann.act(advance_of(ann))
    await ann.send("undo", version=(await ann.room()).table.seq)
    await ann.act(advance_of(ann))
    await bo.act({"type": "resign"}, version=0)
    from app.play.log.reading import build_record

    room = await ann.room()
    record = build_record(room.row, await stage.store.log.read_entries(ann.game), stage.game_server.names)
    assert [move["action"]["type"] for move in record["actions"]] == ["advance", "resign"]
    assert rules.verify(rules.record_from_json(record)).winner == 0


async def test_a_refusal_of_the_rules_keeps_its_code_and_sentence(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    seq = (await ann.room()).table.seq
    assert await bo.expect_refusal("act", version=seq, action={"type": "end"}) == "not_your_turn"
    assert await ann.expect_refusal("act", version=seq, action={"type": "fly"}) == "bad_action"
    assert await ann.expect_refusal("act", version=seq, action={"type": "end"}) == "illegal"
    assert await ann.expect_refusal("act", version=seq - 1, action=advance_of(ann)) == "stale"
    assert new_command_id() != new_command_id()
