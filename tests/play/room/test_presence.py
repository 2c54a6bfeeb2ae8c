"""What happens around the game: chat, presence, lobby, rematch, hints, closing a room."""

from __future__ import annotations

from typing import Any

import pytest

from app.bots.reasons import REASONS
from app.play.lobby import Filter, LobbySubscriber
from app.play.refusals import Refusal
from tests.play.stage import Ear, Guest, Stage


def lines(guest: Guest) -> list[str | None]:
    return [line.get("text", line.get("preset")) for line in guest.ear.of("chat")]


async def test_players_are_read_by_all_and_spectators_only_by_spectators_until_the_end(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo")
    wim = await stage.guest("wim").come(ann.game)
    xu = await stage.guest("xu").come(ann.game)
    await ann.send("chat", text="  ahoy  ")
    await wim.send("chat", preset="good_move")
    assert lines(bo) == ["ahoy", None]
    assert lines(xu) == ["ahoy", "good_move"]
    assert [line["n"] for line in bo.ear.of("chat")] == [1, 2]
    assert "person" not in bo.ear.of("chat")[1]
    late = await stage.guest("bo").come(ann.game)
    assert lines(late) == ["ahoy", None]
    await ann.act({"type": "resign"}, version=0)
    later = await stage.guest("bo").come(ann.game)
    assert lines(later) == ["ahoy", "good_move"]


async def test_a_line_sent_again_with_its_id_is_told_once(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo")
    first = await ann.send("chat", text="once", id="line-000001")
    stage.clock.pass_seconds(1)
    assert (await ann.send("chat", text="once", id="line-000001")).seq == first.seq
    assert lines(bo) == ["once"]


@pytest.mark.parametrize("text", ["", "   ", "x" * 301, "a\x07b", "\u202eabc", "\u200b"])
async def test_chat_is_plain_text(stage: Stage, text: str) -> None:
    ann, _ = await stage.game("ann", "bo")
    assert await ann.refused("chat", text=text) == "bad_text"
    assert await ann.refused("chat", preset="rude") == "bad_text"
    assert await ann.refused("chat") == "bad_message"
    assert await ann.refused("chat", text="x", preset="hello") == "bad_message"


async def test_the_host_can_close_the_chat_and_nobody_else(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo")
    assert await bo.refused("close_chat", closed=True) == "not_host"
    await ann.send("close_chat", closed=True)
    assert bo.ear.last["table"]["chat_closed"] is True
    assert await bo.refused("chat", text="hello?") == "chat_closed"
    await ann.send("close_chat", closed=False)
    await bo.send("chat", text="hello!")


async def test_a_muted_person_is_not_heard_by_whoever_muted_them_also_after_coming_back(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo")
    wim = await stage.guest("wim").come(ann.game)
    assert await bo.refused("mute", person="p_nobody", on=True) == "unknown_person"
    assert await bo.refused("mute", person="p_bo", on=True) == "unknown_person"
    await bo.send("mute", person="p_ann", on=True)
    await ann.send("chat", text="can you hear me")
    assert lines(bo) == [None]
    assert lines(wim) == ["can you hear me"]
    assert lines(await stage.guest("bo").come(ann.game)) == [None]
    await bo.send("mute", person="p_ann", on=False)
    await ann.send("chat", text="and now")
    assert lines(bo) == [None, "and now"]


async def test_presence_is_whole_and_follows_the_sockets(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", bots=["sailor"])
    await stage.guest("wim").come(ann.game)
    assert ann.ear.presence == {"t": "presence", "seats": [True, True, None], "watching": 1, "away": {}}
    phone = await stage.guest("bo").come(ann.game)
    await bo.go()
    assert ann.ear.presence["seats"] == [True, True, None]
    await phone.go()
    assert ann.ear.presence["seats"] == [True, False, None]


async def test_whoever_sits_down_again_under_another_id_is_still_here(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann)
    await ann.come(game)
    await ann.sit()
    account = stage.guest("ann-account")
    account.actor = type(account.actor)(("p_account", "p_ann"), "Ann")
    account.subscriber.actor = account.actor
    await account.come(game)
    await ann.go()
    await account.send("stand")
    assert (account.ear.presence["seats"], account.ear.presence["watching"]) == ([None, None], 1)
    await account.sit()
    assert (account.ear.presence["seats"], account.ear.presence["watching"]) == ([True, None], 0)


async def test_the_lobby_is_told_of_open_tables_games_to_watch_and_my_turn(stage: Stage) -> None:
    ear = Ear()
    subscriber = LobbySubscriber(stage.guest("ann").actor, ear)
    stage.game_server.lobby.enter(subscriber)
    ann, bo = stage.guest("ann"), stage.guest("bo")
    game = await stage.open_table(ann, title="Ann's table", options={"first": 0})
    assert not any(m["t"] == "room" and m["list"] == "open" for m in ear.heard)  # nobody sits there
    for guest in (ann, bo):
        await guest.come(game)
        await guest.sit()
        await guest.send("ready", ready=True)
    listed = [m["room"] for m in ear.heard if m["t"] == "room" and m["list"] == "open"]
    assert listed[0]["title"] == "Ann's table"
    assert {"t": "gone", "list": "open", "id": game} in ear.heard
    await ann.send("start")
    assert any(m["t"] == "room" and m["list"] == "watch" for m in ear.heard)
    mine = [m["room"] for m in ear.heard if m["t"] == "room" and m["list"] == "mine"]
    assert mine[-1]["my_turn"] is True
    snapshot = await stage.game_server.lobby.snapshot(subscriber)
    assert [row["id"] for row in snapshot.watch] == [game]
    assert snapshot.open == []
    assert snapshot.mine[0]["my_turn"] is True
    await ann.act({"type": "resign"}, version=0)
    assert ear.heard[-1] == {"t": "gone", "list": "mine", "id": game}


async def test_unlisted_tables_are_not_in_the_lobby_and_filters_hold(stage: Stage) -> None:
    ear = Ear()
    subscriber = LobbySubscriber(stage.guest("wim").actor, ear)
    stage.game_server.lobby.enter(subscriber)
    ann = stage.guest("ann")
    hidden = await stage.open_table(ann, visibility="unlisted")
    await ann.come(hidden)
    await ann.sit()
    assert ear.heard == []  # not even that it is gone from a list: its id is its key
    subscriber.filter = Filter(preset="tortuga", bots=False)
    await _waiting(stage, "jamaica")
    await _waiting(stage, "tortuga", players=3, bots=["sailor"])
    wanted = await _waiting(stage, "tortuga", players=3)
    assert [m["room"]["id"] for m in ear.heard if m["t"] == "room"] == [wanted]
    assert [row["id"] for row in (await stage.game_server.lobby.snapshot(subscriber)).open] == [wanted]


async def _waiting(stage: Stage, preset: str, **wishes: Any) -> str:
    """A table at which its host sits and waits."""
    host = stage.guest("host")
    game = await stage.open_table(host, preset, **wishes)
    await host.come(game)
    await host.sit()
    return game


async def test_a_rematch_rotates_the_seats_under_a_new_commitment_and_spectators_follow(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", bots=["mate"])
    wim = await stage.guest("wim").come(ann.game)
    assert await ann.refused("rematch") == "not_over"
    await bo.act({"type": "resign"}, version=0)
    room = await ann.room()
    while not room.table.is_over:
        guest = ann if room.table.to_act[0] == 0 else None
        if guest is None:
            await stage.pass_time(1)
        else:
            await ann.act({"type": "resign"}, version=0)
    assert await wim.refused("rematch") == "not_seated"
    await ann.send("rematch", id="again-please")
    following = wim.ear.last["table"]["next"]
    assert following
    again = await bo.send("rematch")
    assert again.in_frame is False
    assert (await ann.room()).table.next_game == following
    new_ann = await stage.guest("ann").come(following)
    state = new_ann.ear.of("state")[0]["table"]
    assert state["commitment"] != room.table.commitment
    assert [seat["reserved"] for seat in state["seats"]] == [None, "p_ann", "p_bo"]
    assert state["seats"][0]["bot"] == "mate"
    cy = await stage.guest("cy").come(following)
    assert await cy.refused("sit") == "no_free_seat"
    assert await cy.refused("sit", seat=1) == "seat_taken"
    await new_ann.sit()
    assert new_ann.seat == 1


async def test_a_hint_is_shown_to_the_asker_only_and_marked_in_the_record(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", hints=True)
    seq = (await ann.room()).table.seq
    assert await bo.refused("hint", version=seq) == "not_your_turn"
    await ann.send("hint", version=seq, id="hint-00001")
    hint = ann.ear.of("hint")[0]
    assert hint["ack"] == "hint-00001"
    assert hint["action"]["type"]
    assert hint["why"] in REASONS
    assert bo.ear.last == {"t": "events", "seq": seq + 1, "at": bo.ear.last["at"], "events": []}
    assert ann.ear.of("events")[-1]["choices"]
    await ann.send("hint", version=seq, id="hint-00001")  # shown again: the same, with its reason
    assert ann.ear.of("hint")[1] == hint
    await ann.act(hint["action"], seq)
    await bo.act({"type": "resign"}, version=0)
    from app.play.log.reading import record_of

    record = record_of((await ann.room()).row, await stage.store.entries(ann.game), stage.game_server.names)
    assert record["actions"][0]["marks"] == ["hint"]


async def test_hints_are_refused_where_the_table_plays_without(stage: Stage) -> None:
    ann, _ = await stage.game("ann", "bo")
    assert await ann.refused("hint", version=99) == "no_hints"


async def test_a_closed_room_tells_everybody_and_takes_nothing_more(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann)
    await ann.come(game)
    assert await stage.game_server.close_room(game, "operator")
    assert ann.ear.ended == 4010
    assert await ann.refused("sit") == "closed"
    assert not await stage.game_server.close_room("nowhere", "operator")
    players = await stage.game("bo", "cy")
    await stage.game_server.close_room(players[0].game, "operator")
    assert (await players[0].room()).table.status == "aborted"


async def test_somebody_without_a_session_may_only_watch(stage: Stage) -> None:
    ann, _ = await stage.game("ann", "bo")
    nobody = stage.guest("nobody")
    nobody.actor = type(nobody.actor)((), "")
    nobody.subscriber.actor = nobody.actor
    await nobody.come(ann.game)
    assert nobody.ear.heard[0]["you"] == {"person": None, "name": "", "seat": None, "muted": []}
    assert ann.ear.presence["watching"] == 1
    assert await nobody.refused("chat", text="hi") == "no_session"
    assert await nobody.refused("sit") == "no_session"
    with pytest.raises(Refusal, match="no_session"):
        await stage.game_server.create(nobody.actor, {}, Any, [])  # type: ignore[arg-type]


async def test_an_account_owns_the_seat_of_the_guest_it_was(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo")
    account = stage.guest("ann-account")
    account.actor = type(account.actor)(("p_account", "p_ann"), "Ann")
    account.subscriber.actor = account.actor
    await ann.go()
    await account.come(ann.game)
    assert account.seat == 0
    assert bo.ear.presence["seats"] == [True, True]
    await account.act(account.ear.of("state")[0]["choices"][0]["action"])
