"""A client written from the documentation alone plays a game, resumes after a gap, and handles refusals.

Every passage of docs/protocol.md that misled client authors is tested on a running server.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.bots.test_third_party import read_example
from tests.docs.documented_client import DOCUMENTED_FIELDS, DocumentedClient, Json, new_id
from tests.docs.protocol_page import PAGE, examples, section, under
from tests.sockets.running_server import RunningServer, in_process

BOT: dict[str, Any] = {}
exec(compile(read_example("example-bot").split("\nfor line in")[0], "example-bot", "exec"), BOT)


@pytest.fixture
async def server(sqlite_url: str) -> AsyncIterator[RunningServer]:
    async with in_process(sqlite_url) as running:
        yield running


class TwoPeople:
    """Two players with separate sessions, and the API for them."""

    def __init__(self, server: RunningServer) -> None:
        self.server = server
        self.https = [
            httpx.AsyncClient(base_url=f"{server.base}/api/v1", headers={"Origin": server.base}, timeout=60)
            for _ in range(2)
        ]
        self.clients: list[DocumentedClient] = []

    async def sign_in(self) -> TwoPeople:
        for name, http in zip(("Reader Ann", "Reader Bo"), self.https, strict=True):
            assert (await http.post("/me", json={"name": name})).status_code == 200
        return self

    async def table(self, **terms: Any) -> str:
        options = {"preset": "hispaniola", "players": 3, "first": 0, **terms.pop("options", {})}
        made = await self.https[0].post("/games", json={"options": options, "pace": 0, **terms})
        assert made.status_code == 201
        return str(made.json()["id"])

    def client(self, person: int, game: str) -> DocumentedClient:
        cookie = "; ".join(f"{name}={value}" for name, value in self.https[person].cookies.items())
        self.clients.append(DocumentedClient(self.server.base, {"Cookie": cookie}, game))
        return self.clients[-1]

    async def started(self, **terms: Any) -> tuple[str, DocumentedClient, DocumentedClient]:
        """Start a game of Ann and Bo, with the given `bots`."""
        game = await self.table(**terms)
        ann, bo = self.client(0, game), self.client(1, game)
        for person in (ann, bo):
            await person.connect()
            assert (await person.sit())["t"] == "table"
            await person.command("ready", ready=True)
        assert (await ann.command("start"))["t"] == "table"
        for person in (ann, bo):
            await person.wait_for_status("running")
        return game, ann, bo

    async def close(self) -> None:
        for client in self.clients:
            if client.socket is not None:
                await client.disconnect()
        for http in self.https:
            await http.aclose()


@pytest.fixture
async def two_people(server: RunningServer) -> AsyncIterator[TwoPeople]:
    found = await TwoPeople(server).sign_in()
    yield found
    await found.close()


def choose_action(client: DocumentedClient) -> Json:
    actions = [choice["action"] for choice in client.choices]
    action: Json = BOT["choose"](client.view, client.seat, actions)
    return action


async def play(clients: list[DocumentedClient], most: int = 2000) -> None:
    """Let the seats with choices act until the game is over or the given number of actions is made."""
    async with asyncio.timeout(120):
        while most and all(client.table["status"] == "running" for client in clients):
            actor = next((client for client in clients if client.choices), None)
            if actor is None:
                await asyncio.sleep(0.002)  # a bot's turn, or a frame on its way to one of them
                continue
            answer = await actor.command("act", version=actor.seq, action=choose_action(actor))
            assert answer["t"] == "events", answer
            most -= 1


async def test_documented_client_plays_from_hello_to_record(two_people: TwoPeople):
    """With folding by the page, held against the server's own view, and every written field met."""
    game, ann, bo = await two_people.started(
        hints=True, clock={"kind": "turn", "seconds": 600}, bots=["cabin-boy"], options={"supply": "row"}
    )
    await play([ann, bo], 6)
    for client in (ann, bo):
        server_state = (await two_people.https[(ann, bo).index(client)].get(f"/games/{game}")).json()
        if server_state["seq"] == client.seq:
            assert server_state["view"] == client.view, "folded events are the view"
    await ann.send({"do": "ping", "n": 17})
    await ann.wait_until(lambda: ann.frames[-1]["t"] == "pong")
    await play([ann, bo])
    await ann.wait_for_status("finished")
    assert ann.table["result"]["winner"] == ann.view["winner"]  # type: ignore[index]
    final = (await two_people.https[0].get(f"/games/{game}")).json()
    assert final["view"] == ann.view, "after the end nothing is hidden"
    record = (await two_people.https[0].get(f"/games/{game}/record")).json()
    interchange = (Path(__file__).parents[2] / "docs" / "interchange.md").read_text(encoding="utf-8")
    shown = re.search(r"^## Record\n```json\n(.*?)```", interchange, re.S | re.M)
    assert shown is not None
    written = json.loads(re.sub(r"\{…\}", "{}", shown[1]))
    assert record.keys() == written.keys()
    assert record["actions"][0].keys() == written["actions"][0].keys()
    assert record["result"] == ann.table["result"]
    block = json.loads(re.findall(r"```json\n(.*?)```", under(5, "table"), re.S)[0].replace("{…}", "{}"))
    # Of a closed table, one with a removed player, a deal of the day, a rematch, one opened from a screen, a rated one.
    sometimes = {"closed_why", "removed_until", "deal", "series", "screen", "rated"}
    assert ann.table.keys() | sometimes == block.keys(), "the table block, both ways"
    for kind in ("welcome", "events", "pong"):
        assert ann.met[kind] == DOCUMENTED_FIELDS[kind], "every documented field was received"


async def test_missed_frames_are_replayed_and_only_the_last_one_has_choices(
    two_people: TwoPeople,
):
    _, ann, bo = await two_people.started(options={"players": 2, "actions": 3})
    while not bo.choices:
        await ann.command("act", version=ann.seq, action=choose_action(ann))
        await bo.wait_until(lambda: bo.seq == ann.seq)
    await ann.disconnect()
    missed = 0
    while bo.choices:
        await bo.command("act", version=bo.seq, action=choose_action(bo))
        missed += 1
    assert missed >= 2
    greeting = await ann.connect(resume=True)
    welcome, *replayed = [
        frame for frame in greeting if frame["t"] in ("welcome", "state", "events", "table")
    ]
    assert welcome["resumed"] is True
    assert [frame["t"] for frame in replayed] == ["events"] * missed
    for frame in replayed[:-1]:
        assert frame.keys() <= {"t", "seq", "at", "events", "by"}
    assert "choices" in replayed[-1]
    assert ann.choices
    await ann.disconnect()
    greeting = await ann.connect(resume=True)
    assert [frame["t"] for frame in greeting] == ["welcome", "presence"], "nothing missed, nothing sent"
    await ann.command("act", version=ann.seq, action=choose_action(ann))
    # Across anything but an action the whole state comes.
    await ann.disconnect()
    await bo.command("consent", to="pause", yes=True)
    greeting = await ann.connect(resume=True)
    assert greeting[0]["resumed"] is False
    assert greeting[1]["t"] == "state"


async def test_resent_command_is_applied_once(two_people: TwoPeople):
    _, ann, bo = await two_people.started(options={"players": 2})
    lost: Json = {"do": "act", "id": new_id(), "version": ann.seq, "action": choose_action(ann)}
    await ann.send(lost)
    await bo.wait_until(lambda: bo.frames[-1]["t"] == "events")
    await ann.disconnect()
    greeting = await ann.connect(resume=True)
    assert not any("ack" in frame for frame in greeting), "replayed frames carry no ack"
    again = await ann.command(**lost)
    assert again.keys() == {"t", "ack", "seq"}
    assert again["seq"] == ann.seq == bo.seq


async def test_numbered_frames_without_choices(two_people: TwoPeople):
    """A client that clears its choices on every numbered frame would get stuck."""
    _, ann, bo = await two_people.started(hints=True, options={"players": 2})
    await ann.command("act", version=ann.seq, action=choose_action(ann))
    held, may_undo = ann.choices, ann.undo
    assert held
    assert may_undo
    start = len(ann.frames)
    answer = await ann.command("hint", version=ann.seq)
    await ann.wait_until(lambda: ann.frames[-1]["t"] == "hint")
    empty, hint = [frame for frame in ann.frames[start:] if frame["t"] in ("events", "hint")]
    assert empty["events"] == []
    assert empty["ack"] == hint["ack"] == answer["ack"], "the asker gets the empty frame too"
    assert empty["seq"] == hint["seq"] == ann.seq
    assert "choices" in empty
    assert "choices" not in hint
    assert ann.choices == held
    assert hint["action"] in [choice["action"] for choice in held]
    await bo.wait_until(lambda: bo.seq == ann.seq)
    assert not [frame for frame in bo.frames if frame["t"] == "hint"]
    assert bo.frames[-1]["events"] == []
    for words in ({"text": "Well sailed!"}, {"preset": "good_game"}):
        acked = await ann.command("chat", **words)
        assert acked.keys() == {"t", "ack", "chat"}
        line = next(frame for frame in ann.frames if frame["t"] == "chat" and frame["n"] == acked["chat"])
        assert {**line, **words} == line
    muted = await ann.command("mute", person=bo.table["seats"][bo.seat]["person"], on=True)
    assert muted == {"t": "ack", "ack": muted["ack"], "seq": ann.seq}
    await bo.command("chat", text="Do you read this?")
    await ann.wait_until(lambda: ann.frames[-1]["t"] == "chat" and "person" not in ann.frames[-1])
    assert ann.choices == held
    for kind in ("ack", "hint", "chat"):
        assert ann.met[kind] == DOCUMENTED_FIELDS[kind]
    undone = await ann.command("undo", version=ann.seq)
    assert (undone["t"], undone["kind"]) == ("table", "undo")
    assert ann.view == undone["view"]
    await ann.command("act", version=ann.seq, action=choose_action(ann))
    await ann.disconnect()
    await ann.connect()
    assert (ann.choices, ann.undo) == (held, True), "a state says it as well"
    assert ann.met["state"] == DOCUMENTED_FIELDS["state"]


async def test_refusals_match_the_document(two_people: TwoPeople):
    game = await two_people.table(options={"players": 2})
    ann, bo = two_people.client(0, game), two_people.client(1, game)
    await ann.connect()
    await bo.connect()
    assert (await bo.command("sit", seat=7, seal=bo.seal()))["code"] == "bad_seat"
    assert (await bo.command("start"))["code"] == "not_host"
    assert (await ann.command("start"))["code"] == "sit_to_begin"
    early = await ann.command("act", version=ann.seq, action={"type": "end"})
    assert early["code"] in ("not_seated", "not_started")
    assert early["state"]["seq"] == early["seq"] == ann.seq
    assert "state" not in await ann.command("colour", colour="red")
    await ann.sit(colour="red")
    assert (await bo.command("sit", colour="red", seal=bo.seal()))["code"] == "colour_taken"
    await bo.sit()
    for client in (ann, bo):
        await client.command("ready", ready=True)
    await ann.command("start")
    await ann.wait_until(lambda: ann.choices)
    await bo.wait_for_status("running")
    for client, action, code in (
        (bo, {"type": "end"}, "not_your_turn"),
        (ann, {"type": "advance", "card": "key", "from": "goal"}, "illegal"),
        (ann, {"type": "fly"}, "bad_action"),
    ):
        refused = await client.command("act", version=client.seq, action=action)
        assert refused["code"] == code
        assert refused["state"]["t"] == "state"
        assert refused["message"].endswith(".")
        assert refused["why"].isidentifier(), "a key, which is no sentence"
        assert isinstance(refused["params"], dict)
    assert ann.choices, "nothing has changed"
    old, action = ann.seq, choose_action(ann)
    await ann.command("act", version=old, action=action)
    refused = await ann.command("act", version=old, action=action)
    assert refused["code"] == "stale"
    assert refused["state"]["choices"] == ann.choices
    assert (await ann.command("hint", version=ann.seq))["code"] == "no_hints"
    assert (await ann.command("rematch"))["code"] == "not_over"
    assert ann.met["refused"] == DOCUMENTED_FIELDS["refused"]
    assert (await ann.command("vote", seat=1, choice="bot"))["code"] == "not_absent"


async def test_tenth_invalid_frame_closes_the_socket(two_people: TwoPeople):
    ann = two_people.client(0, await two_people.table())
    await ann.connect()
    for n in range(10):
        assert ann.closed is None
        await ann.send({"do": "dance", "id": f"dance-{n:03}"})
        await ann.wait_for_frames("refused", n + 1)
        refused = [frame for frame in ann.frames if frame["t"] == "refused"][-1]  # presence may follow
        assert refused["code"] == "bad_message"
        assert refused["id"] == f"dance-{n:03}"
    await ann.wait_until(lambda: ann.closed)
    assert ann.closed == 4002


async def test_refused_http_command_carries_the_state_if_it_reached_the_room(sqlite_url: str):
    async with in_process(sqlite_url, writes_per_second=0.5, writes_burst=60) as server:
        two_people = await TwoPeople(server).sign_in()
        try:
            game, ann, _ = await two_people.started(options={"players": 2})
            url = f"/games/{game}/act"
            body: Json = {"id": new_id(), "version": ann.seq, "action": {"type": "fly"}}
            refused = await two_people.https[0].post(url, json=body)
            assert refused.status_code == 422
            assert refused.json()["error"]["code"] == "bad_action"
            assert refused.json()["state"]["seq"] == ann.seq
            unread = await two_people.https[0].post(url, json={**body, "version": "now"})
            assert (unread.status_code, unread.json().keys()) == (422, {"error"})
            for _ in range(70):
                last = await two_people.https[0].post(url, json={**body, "id": new_id()})
                if last.status_code == 429:
                    break
            assert last.status_code == 429
            assert last.json().keys() == {"error"}, "no state"
            assert int(last.headers["Retry-After"]) >= 1
        finally:
            await two_people.close()


async def test_event_stream_resumes_after_last_event_id(two_people: TwoPeople):
    game, ann, bo = await two_people.started(options={"players": 2})
    before = ann.seq or 0
    for _ in range(2):
        await ann.command("act", version=ann.seq, action=choose_action(ann))

    async def read(frames: int, **asked: Any) -> list[tuple[str | None, Json]]:
        found: list[tuple[str | None, Json]] = []
        event: str | None = None
        async with (
            asyncio.timeout(30),
            two_people.https[1].stream("GET", f"/games/{game}/events", **asked) as answer,
        ):
            async for line in answer.aiter_lines():
                if line.startswith("id: "):
                    event = line[4:]
                elif line.startswith("data: "):
                    found.append((event, json.loads(line[6:])))
                    event = None
                    if len(found) == frames:
                        break
        return found

    for asked in ({"params": {"since": before}}, {"headers": {"Last-Event-ID": str(before)}}):
        frames = await read(3, **asked)
        assert [frame["t"] for _, frame in frames] == ["welcome", "events", "events"]
        assert frames[0][1]["resumed"] is True
        assert [event for event, _ in frames] == [None, str(before + 1), str(before + 2)]
    whole = await read(2)
    assert [frame["t"] for _, frame in whole] == ["welcome", "state"]
    both = await read(2, params={"since": before + 2}, headers={"Last-Event-ID": "1"})
    assert both[0][1]["resumed"] is True, "since counts before the header"
    assert bo.table["status"] == "running"


async def test_received_events_have_documented_fields_and_fold_to_the_view(two_people: TwoPeople):
    from tests.docs.documented_client import fold

    game, ann, bo = await two_people.started(options={"players": 2})
    for _ in range(2):
        await ann.command("act", version=ann.seq, action=choose_action(ann))
    if ann.undo:
        await ann.command("undo", version=ann.seq)
    seen = (await two_people.https[0].get(f"/games/{game}/seen")).json()
    words = under(8, "What was seen")
    shown = re.findall(r"`(\{.*?\})`", words)
    whole, step = (json.loads(re.sub(r"[\[{]…[\]}]", "null", each)) for each in shown[:2])
    assert seen.keys() == whole.keys()
    assert all(each.keys() == step.keys() for each in seen["steps"])
    view = seen["view"]
    for each in seen["steps"]:
        for event in each["events"]:
            fold(view, event)
    assert view == ann.view
    assert seen["seq"] == ann.seq
    assert bo.seq is not None


def test_welcome_fields_are_documented():
    (welcome,) = examples(under(3, "welcome"), "t")
    assert DOCUMENTED_FIELDS["welcome"] == welcome.keys()
    assert "`resumed`" in PAGE
    assert section(1)
