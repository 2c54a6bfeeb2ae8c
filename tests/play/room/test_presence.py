"""Around the game: chat, presence, lobby, rematch, hints, closing a room."""

from __future__ import annotations

from typing import Any

import pytest

from app.bots.reasons import REASONS
from app.play.lobby_clients import LobbyFilter, LobbySubscriber
from app.play.refusals import Refusal
from tests.play.stage import Guest, RecordingListener, Stage


def lines(guest: Guest) -> list[str | None]:
    return [line.get("text", line.get("preset")) for line in guest.listener.of_kind("chat")]


async def test_spectators_chat_is_hidden_from_players_until_the_end(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    wim = await stage.guest("wim").enter(ann.game)
    xu = await stage.guest("xu").enter(ann.game)
    await ann.send("chat", text="  ahoy  ")
    await wim.send("chat", preset="good_move")
    assert lines(bo) == ["ahoy", None]
    assert lines(xu) == ["ahoy", "good_move"]
    assert [line["n"] for line in bo.listener.of_kind("chat")] == [1, 2]
    assert "person" not in bo.listener.of_kind("chat")[1]
    late = await stage.guest("bo").enter(ann.game)
    assert lines(late) == ["ahoy", None]
    await ann.act({"type": "resign"}, version=0)
    later = await stage.guest("bo").enter(ann.game)
    assert lines(later) == ["ahoy", "good_move"]


async def test_a_resent_chat_line_is_delivered_once(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    first = await ann.send("chat", text="once", id="line-000001")
    stage.clock.advance(1)
    assert (await ann.send("chat", text="once", id="line-000001")).seq == first.seq
    assert lines(bo) == ["once"]


@pytest.mark.parametrize("text", ["", "   ", "x" * 301, "a\x07b", "\u202eabc", "\u200b"])
async def test_chat_is_plain_text(stage: Stage, text: str) -> None:
    ann, _ = await stage.start_game("ann", "bo")
    assert await ann.expect_refusal("chat", text=text) == "bad_text"
    assert await ann.expect_refusal("chat", preset="rude") == "bad_text"
    assert await ann.expect_refusal("chat") == "bad_message"
    assert await ann.expect_refusal("chat", text="x", preset="hello") == "bad_message"


async def test_only_the_host_can_close_the_chat(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    assert await bo.expect_refusal("close_chat", closed=True) == "not_host"
    await ann.send("close_chat", closed=True)
    assert bo.listener.last["table"]["chat_closed"] is True
    assert await bo.expect_refusal("chat", text="hello?") == "chat_closed"
    await ann.send("close_chat", closed=False)
    await bo.send("chat", text="hello!")


async def test_a_mute_hides_lines_from_its_person_also_after_reconnecting(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    wim = await stage.guest("wim").enter(ann.game)
    assert await bo.expect_refusal("mute", person="p_nobody", on=True) == "unknown_person"
    assert await bo.expect_refusal("mute", person="p_bo", on=True) == "unknown_person"
    await bo.send("mute", person="p_ann", on=True)
    await ann.send("chat", text="can you hear me")
    assert lines(bo) == [None]
    assert lines(wim) == ["can you hear me"]
    assert lines(await stage.guest("bo").enter(ann.game)) == [None]
    await bo.send("mute", person="p_ann", on=False)
    await ann.send("chat", text="and now")
    assert lines(bo) == [None, "and now"]


async def test_presence_follows_the_sockets(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", bots=["sailor"])
    await stage.guest("wim").enter(ann.game)
    assert ann.listener.presence == {"t": "presence", "seats": [True, True, None], "watching": 1, "away": {}}
    phone = await stage.guest("bo").enter(ann.game)
    await bo.leave()
    assert ann.listener.presence["seats"] == [True, True, None]
    await phone.leave()
    assert ann.listener.presence["seats"] == [True, False, None]


async def test_a_person_who_sits_down_under_another_id_stays_present(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann)
    await ann.enter(game)
    await ann.sit()
    account = stage.guest("ann-account")
    account.actor = type(account.actor)(("p_account", "p_ann"), "Ann")
    account.subscriber.actor = account.actor
    await account.enter(game)
    await ann.leave()
    await account.send("stand")
    assert (account.listener.presence["seats"], account.listener.presence["watching"]) == ([None, None], 1)
    await account.sit()
    assert (account.listener.presence["seats"], account.listener.presence["watching"]) == ([True, None], 0)


async def test_the_lobby_receives_open_tables_games_to_watch_and_own_turns(stage: Stage) -> None:
    listener = RecordingListener()
    subscriber = LobbySubscriber(stage.guest("ann").actor, listener)
    stage.game_server.lobby.enter(subscriber)
    ann, bo = stage.guest("ann"), stage.guest("bo")
    game = await stage.open_table(ann, title="Ann's table", options={"first": 0})
    assert not any(m["t"] == "room" and m["list"] == "open" for m in listener.received)  # no player is seated
    for guest in (ann, bo):
        await guest.enter(game)
        await guest.sit()
        await guest.send("ready", ready=True)
    listed = [m["room"] for m in listener.received if m["t"] == "room" and m["list"] == "open"]
    assert listed[0]["title"] == "Ann's table"
    assert {"t": "gone", "list": "open", "id": game} in listener.received
    await ann.send("start")
    assert any(m["t"] == "room" and m["list"] == "watch" for m in listener.received)
    mine = [m["room"] for m in listener.received if m["t"] == "room" and m["list"] == "mine"]
    assert mine[-1]["my_turn"] is True
    snapshot = await stage.game_server.lobby.build_lists(subscriber)
    assert [row["id"] for row in snapshot.watch] == [game]
    assert snapshot.open == []
    assert snapshot.mine[0]["my_turn"] is True
    await ann.act({"type": "resign"}, version=0)
    assert listener.received[-1] == {"t": "gone", "list": "mine", "id": game}


async def test_unlisted_and_filtered_tables_are_not_in_the_lobby(stage: Stage) -> None:
    listener = RecordingListener()
    subscriber = LobbySubscriber(stage.guest("wim").actor, listener)
    stage.game_server.lobby.enter(subscriber)
    ann = stage.guest("ann")
    hidden = await stage.open_table(ann, visibility="unlisted")
    await ann.enter(hidden)
    await ann.sit()
    assert listener.received == []  # no removal either: the id is the secret of an unlisted table
    subscriber.filter = LobbyFilter(preset="tortuga", bots=False)
    await _waiting(stage, "jamaica")
    await _waiting(stage, "tortuga", players=3, bots=["sailor"])
    wanted = await _waiting(stage, "tortuga", players=3)
    assert [m["room"]["id"] for m in listener.received if m["t"] == "room"] == [wanted]
    assert [row["id"] for row in (await stage.game_server.lobby.build_lists(subscriber)).open] == [wanted]


async def _waiting(stage: Stage, preset: str, **terms_json: Any) -> str:
    """Open a table at which its host is seated."""
    host = stage.guest("host")
    game = await stage.open_table(host, preset, **terms_json)
    await host.enter(game)
    await host.sit()
    return game


async def test_a_rematch_rotates_the_seats_under_a_new_commitment_and_spectators_follow(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", bots=["mate"])
    wim = await stage.guest("wim").enter(ann.game)
    assert await ann.expect_refusal("rematch") == "not_over"
    await bo.act({"type": "resign"}, version=0)
    room = await ann.room()
    while not room.table.is_over:
        guest = ann if room.table.to_act[0] == 0 else None
        if guest is None:
            await stage.advance_and_sweep(1)
        else:
            await ann.act({"type": "resign"}, version=0)
    assert await wim.expect_refusal("rematch") == "not_seated"
    await ann.send("rematch", id="again-please")
    following = wim.listener.last["table"]["next"]
    assert following
    again = await bo.send("rematch")
    assert again.in_frame is False
    assert (await ann.room()).table.next_game == following
    new_ann = await stage.guest("ann").enter(following)
    state = new_ann.listener.of_kind("state")[0]["table"]
    assert state["commitment"] != room.table.commitment
    assert [seat["reserved"] for seat in state["seats"]] == [None, "p_ann", "p_bo"]
    assert state["seats"][0]["bot"] == "mate"
    cy = await stage.guest("cy").enter(following)
    assert await cy.expect_refusal("sit") == "no_free_seat"
    assert await cy.expect_refusal("sit", seat=1) == "seat_taken"
    await new_ann.sit()
    assert new_ann.seat == 1


async def test_a_hint_is_sent_to_its_seat_only_and_marked_in_the_record(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", hints=True)
    seq = (await ann.room()).table.seq
    assert await bo.expect_refusal("hint", version=seq) == "not_your_turn"
    await ann.send("hint", version=seq, id="hint-00001")
    hint = ann.listener.of_kind("hint")[0]
    assert hint["ack"] == "hint-00001"
    assert hint["action"]["type"]
    assert hint["why"] in REASONS
    assert bo.listener.last == {"t": "events", "seq": seq + 1, "at": bo.listener.last["at"], "events": []}
    assert ann.listener.of_kind("events")[-1]["choices"]
    await ann.send("hint", version=seq, id="hint-00001")  # sends the same hint again, with its reason
    assert ann.listener.of_kind("hint")[1] == hint
    await ann.act(hint["action"], seq)
    await bo.act({"type": "resign"}, version=0)
    from app.play.log.reading import build_record

    record = build_record(
        (await ann.room()).row, await stage.store.log.read_entries(ann.game), stage.game_server.names
    )
    assert record["actions"][0]["marks"] == ["hint"]


async def test_hints_are_refused_at_a_table_without_hints(stage: Stage) -> None:
    ann, _ = await stage.start_game("ann", "bo")
    assert await ann.expect_refusal("hint", version=99) == "no_hints"


async def test_a_closed_room_disconnects_everyone_and_accepts_no_command(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann)
    await ann.enter(game)
    assert await stage.game_server.close_room(game, "operator")
    assert ann.listener.end_reason == "closed"
    assert await ann.expect_refusal("sit") == "closed"
    assert not await stage.game_server.close_room("nowhere", "operator")
    players = await stage.start_game("bo", "cy")
    await stage.game_server.close_room(players[0].game, "operator")
    assert (await players[0].room()).table.status == "aborted"


async def test_a_client_without_a_session_can_only_watch(stage: Stage) -> None:
    ann, _ = await stage.start_game("ann", "bo")
    stranger = stage.guest("stranger")
    stranger.actor = type(stranger.actor)((), "")
    stranger.subscriber.actor = stranger.actor
    await stranger.enter(ann.game)
    assert stranger.listener.received[0]["you"] == {"person": None, "name": "", "seat": None, "muted": []}
    assert ann.listener.presence["watching"] == 1
    assert await stranger.expect_refusal("chat", text="hi") == "no_session"
    assert await stranger.expect_refusal("sit") == "no_session"
    with pytest.raises(Refusal, match="no_session"):
        await stage.game_server.create_table(stranger.actor, {}, Any, [])  # type: ignore[arg-type]


async def test_an_account_owns_the_seats_of_its_former_guest(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    account = stage.guest("ann-account")
    account.actor = type(account.actor)(("p_account", "p_ann"), "Ann")
    account.subscriber.actor = account.actor
    await ann.leave()
    await account.enter(ann.game)
    assert account.seat == 0
    assert bo.listener.presence["seats"] == [True, True]
    await account.act(account.listener.of_kind("state")[0]["choices"][0]["action"])
