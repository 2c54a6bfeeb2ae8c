"""Everything around a game over real sockets: seats, host, chat, pause, hints, a second device."""

from __future__ import annotations

from typing import Any

from app import rules
from app.play.log.terms import COLOURS
from tests.sockets.client import Client, Clients, advance

NONCE = "0123456789abcdef" * 2


async def test_seats_colours_and_the_hosts_rights(clients: Clients) -> None:
    ann, bo, cy, wim = [await clients.person() for _ in range(4)]
    game = await clients.open_table(ann, players=4, bots=["mate"], spectators=False)
    for client in (ann, bo, cy, wim):
        await client.join(game)
    assert [seat["bot"] for seat in ann.table["seats"]] == [None, None, None, "mate"]
    await ann.command("sit", colour="violet")
    await bo.command("sit", seat=2)
    await cy.command("sit")
    free = ({*COLOURS} - {seat["colour"] for seat in ann.table["seats"]}).pop()
    await bo.command("colour", colour=free)
    await bo.command("colour", colour="red")
    assert await bo.refused("colour", colour="red") == "no_change"
    assert await cy.refused("colour", colour="red") == "colour_taken"
    before = bo.table["seals"][2]
    await bo.command("sit", seat=2)  # sitting down again on the same seat: a new seal
    assert bo.table["seals"][2] not in (None, before)
    for client in (ann, bo, cy):
        await client.command("ready", ready=True)
    await bo.command("ready", ready=False)
    assert await ann.refused("start") == "not_ready"
    assert await bo.refused("remove", seat=1) == "not_host"
    await ann.command("remove", seat=1)
    await cy.until(lambda: cy.seat is None)
    assert await cy.refused("sit") == "removed"
    await ann.command("remove", seat=3)
    await ann.command("bot", level="cabin-boy", seat=3)
    await ann.command("host", seat=2)
    await bo.sees("host", bo.person)
    assert await ann.refused("start") == "not_host"
    await bo.command("ready", ready=True)
    await bo.command("start")
    assert [(seat["person"], seat["bot"], seat["colour"]) for seat in bo.table["seats"]] == [
        (ann.person, None, "violet"),
        (bo.person, None, "red"),
        (None, "cabin-boy", "blue"),
    ]
    # Without spectators, clients without a seat are disconnected and not admitted again.
    for watcher in (cy, wim):
        assert await watcher.is_closed() == 4003
    again = await clients.twin(wim).join(game)
    assert (again.log[0]["code"], await again.is_closed()) == ("no_spectators", 4003)


def lines(client: Client) -> list[Any]:
    return [line.get("text") or line.get("preset") for line in client.of("chat")]


async def hears(client: Client, wanted: list[Any]) -> None:
    await client.until(lambda: len(lines(client)) == len(wanted))
    assert lines(client) == wanted


async def test_chat_channels_presets_mutes_and_closing(clients: Clients) -> None:
    ann, bo = await clients.game(2)
    wim, xu = [await (await clients.person()).join(ann.game) for _ in range(2)]
    await ann.command("chat", text="<b>ahoy</b> & welcome")  # plain text, sent unchanged
    await hears(bo, ["<b>ahoy</b> & welcome"])
    await wim.command("chat", preset="good_move")
    await hears(xu, ["<b>ahoy</b> & welcome", "good_move"])
    await hears(bo, ["<b>ahoy</b> & welcome", None])  # players only receive the line number
    assert "person" not in bo.of("chat")[-1]
    for bad in ("", "x" * 301, "a\x07b", "\u202eabc"):
        assert await bo.refused("chat", text=bad) == "bad_text"
    assert (
        await bo.refused("chat", text="a\x00b") == "bad_message"
    )  # text that no database can store is an invalid message
    assert await bo.refused("chat", preset="rude") == "bad_text"
    await bo.command("mute", person=ann.person, on=True)
    await ann.command("chat", text="can you hear me")
    await hears(xu, ["<b>ahoy</b> & welcome", "good_move", "can you hear me"])
    await hears(bo, ["<b>ahoy</b> & welcome", None, None])
    again = await clients.twin(bo).join(ann.game)
    assert again.of("welcome")[0]["you"]["muted"] == [ann.person]
    await hears(again, [None, None, None])
    assert await bo.refused("close_chat", closed=True) == "not_host"
    await ann.command("close_chat", closed=True)
    await bo.sees("chat_closed", True)
    for client in (ann, bo, wim):
        assert await client.refused("chat", text="hello?") == "chat_closed"
    await ann.command("close_chat", closed=False)
    sent = await ann.command("chat", text="once", id="line-000001")
    assert (await ann.command("chat", text="once", id="line-000001"))["chat"] == sent["chat"]
    await ann.act({"type": "resign"})
    late = await clients.twin(bo).join(ann.game)  # over: players can read the spectators' chat
    await hears(late, [None, "good_move", None, None])
    numbers = [line["n"] for line in late.of("chat")]
    assert numbers == [1, 2, 3, 4]


async def test_a_pause_stops_the_clock_and_is_ended_by_present_players(clients: Clients) -> None:
    ann, bo = await clients.game(2, clock={"kind": "turn", "seconds": 600})
    assert await ann.refused("consent", to="continue", yes=True) == "not_paused"
    await ann.command("consent", to="pause", yes=True)
    await bo.until(lambda: bo.table["consents"] == {"pause": [0]})
    await bo.command("consent", to="pause", yes=False)  # one refusal ends the vote
    await ann.until(lambda: ann.table["consents"] == {})
    await ann.command("consent", to="pause", yes=True)
    await bo.command("consent", to="pause", yes=True)
    await ann.sees("paused", True)
    assert ann.clock is not None
    assert ann.clock["running"] == []
    assert ann.choices == []
    assert await ann.refused("act", version=ann.seq, action={"type": "end"}) == "paused"
    assert await ann.refused("undo", version=ann.seq) == "paused"
    await bo.leave()
    await ann.until(lambda: ann.of("presence")[-1]["seats"] == [True, False])
    await ann.command("consent", to="continue", yes=True)
    assert ann.table["paused"] is False
    assert ann.clock["running"] == [0]
    await ann.act(advance(ann))


async def test_a_hint_is_shown_only_to_its_requester_and_marked_in_the_record(clients: Clients) -> None:
    ann, bo = await clients.game(2, hints=True)
    assert await bo.refused("hint", version=bo.seq) == "not_your_turn"
    wim = await (await clients.person()).join(ann.game)
    await ann.command("hint", version=ann.seq, id="hint-00001")
    (hint,) = ann.of("hint")
    assert hint["action"] in [choice["action"] for choice in ann.choices]
    for other in (bo, wim):
        await other.reaches(hint["seq"])
        assert other.log[-1] == {**other.log[-1], "t": "events", "seq": hint["seq"], "events": []}
        assert "action" not in other.log[-1]
    # Repeating the id gives the same hint, without a second mark.
    seq = ann.seq
    await ann.command("hint", version=ann.seq, id="hint-00001")
    await ann.until(lambda: len(ann.of("hint")) == 2)
    assert ann.of("hint")[1]["action"] == hint["action"]
    await ann.act(hint["action"])
    assert ann.seq == seq + 1
    await bo.act({"type": "resign"})
    record = (await ann.http.get(f"/api/v1/games/{ann.game}/record")).json()
    assert [move["marks"] for move in record["actions"]] == [["hint"], []]
    rules.verify(rules.record_from_json(record))


async def test_a_resume_code_moves_a_seat_to_a_second_device_and_both_stay_connected(
    clients: Clients,
) -> None:
    ann, bo = await clients.game(2)
    await ann.act(advance(ann))
    made = (await ann.http.post("/api/v1/resume-codes", json={"room": ann.game})).json()
    assert made["qr"].startswith("<svg")
    phone = await clients.nobody()
    phone.http.headers["Origin"] = clients.server.base
    told = (await phone.http.post("/api/v1/resume", json={"code": made["code"]})).json()
    assert (told["person"]["id"], told["room"]) == (ann.person, ann.game)
    await phone.join(ann.game)
    assert (phone.seat, phone.view, phone.choices) == (0, ann.view, ann.choices)
    await phone.act(advance(phone))
    await ann.reaches(phone.seq)
    assert ann.choices == phone.choices
    await ann.command("undo", version=ann.seq)
    await phone.reaches(ann.seq)
    assert phone.view == ann.view
    await bo.until(lambda: bo.of("presence")[-1]["seats"] == [True, True])
    await ann.leave()
    await bo.reaches(phone.seq)
    assert bo.of("presence")[-1]["seats"] == [True, True]  # one device is left
    assert (await phone.http.post("/api/v1/resume", json={"code": made["code"]})).status_code == 404
