"""A game of the deal of the day tells nobody more than its player saw, before its end and after it, until midnight UTC.

Two worlds with the same boards and the player's own cards; what lies in the deck and in the bots' hands differs. The
game ends, and then everything is asked for.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from app import rules
from app.play import engines
from app.play.deal.days import day_of, ends_at, plan_of
from app.play.room import broadcast
from app.play.room.broadcast import view_json
from app.web.api import records
from tests.attack.addresses import pages_for
from tests.attack.heard import Heard, differences
from tests.attack.two_worlds import NOW, Laid, Leak, Stage, World, _client, as_laid
from tests.play.simple_bot import SimpleBot
from tests.play.stage import exchange
from tests.sockets.running_server import in_process

DAY = day_of(NOW)
Json = dict[str, Any]


def last_move() -> Json:
    """The person is one card away from winning; nothing of the others' cards is known."""
    options, _ = plan_of(DAY)
    laid = rules.position_to_json(rules.new_game(rules.parse_options({**options, "first": 0}), "5e" * 32))
    pirates = laid["options"]["pirates"]
    laid["players"][0]["pirates"] = [len(laid["board"])] + ["goal"] * (pirates - 1)
    laid["turn"] = {"seat": 0, "taken": 0, "captain_used": False}
    return laid


def with_other_unseen_cards(laid: Json) -> Json:
    """The same to the person; deck and the others' hands hold other cards."""
    unseen = [*laid["deck"], *(card for player in laid["players"][1:] for card in player["hand"])]
    random.Random(9).shuffle(unseen)
    players = [laid["players"][0]]
    for player in laid["players"][1:]:
        count = len(player["hand"])
        players.append({**player, "hand": sorted(unseen[:count])})
        del unseen[:count]
    return {**laid, "players": players, "deck": unseen}


async def set_up(folder: Path, position: rules.Position, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Two people; the first has begun today's deal."""
    with as_laid(monkeypatch, position, None):
        async with in_process(f"sqlite+aiosqlite:///{folder / 'table.db'}") as server:
            exchange(server.game_server, clock=SimpleNamespace(now=lambda: NOW), bots=SimpleBot())
            people, cookies = [], []
            for name in ("Ann", "Bo"):
                async with _client(server) as http:
                    answer = await http.post("/api/v1/me", json={"name": name})
                    people.append(answer.json()["person"]["id"])
                    cookies.append(f"cartagena={http.cookies['cartagena']}")
            async with _client(server, cookies[0]) as http:
                made = await http.post("/api/v1/deal")
                assert made.status_code == 201, made.text
    return Stage(folder, made.json()["id"], people, cookies, position)


async def end(world: World, ending: str, hand: list[str]) -> None:
    """The game ends while its player, or nobody else, looks on."""
    game, watch = world.stage.game, None
    if world.audience is not None:
        watch = await world.open(f"/ws/game/{game}")
        await world.say(watch, "hello", v=2)
        await world.until(watch, lambda message: message["t"] == "presence")
    if ending == "closed":
        assert await world.server.game_server.close_room(game, "a test")
        return
    action = {"type": "advance", "card": hand[0], "from": 36} if ending == "won" else {"type": "resign"}
    world.seq = 1
    await world.act(0, action, 1)
    if watch is not None:
        await world.until(watch, lambda message: message.get("seq") == 2)
    while not (await world.server.game_server.rooms.get(game)).table.is_over:  # type: ignore[union-attr]
        await world.server.game_server.sweeper.sweep()


async def everything(world: World) -> None:
    """All that can be read, and what a curious client may send besides."""
    game = world.stage.game
    for path in pages_for(world.stage):
        await world.get(path)
    await world.get(f"/api/v1/deal/{DAY}/results")
    bodies: tuple[tuple[str, Any], ...] = (
        (f"/g/{game}/try", {"step": 0, "known": 0, "actions": []}),
        (f"/api/v1/games/{game}/hint", {"id": "pry-hint-1", "version": 2}),
        (f"/api/v1/games/{game}/act", {"id": "pry-act-01", "version": 2, "action": {"type": "end"}}),
        (f"/api/v1/games/{game}/commands", {"do": "rematch", "id": "pry-rematch"}),
        (f"/api/v1/games/{game}/commands", {"do": "undo", "id": "pry-undo-1", "version": 2}),
    )
    for path, body in bodies:
        await world.post(path, body)
    await world.get("/api/v1/me/data")
    socket = await connect(
        f"{world.server.sockets}/ws/game/{game}",
        additional_headers={"Cookie": world.stage.cookies[world.me]},
        origin=Origin(world.server.base),
        compression=None,
    )
    try:
        for since in (None, 0, 1, 2):
            hello = {"do": "hello", "v": 2} | ({} if since is None else {"seq": since})
            await socket.send(orjson.dumps(hello).decode())
            while True:
                frame = await socket.recv(decode=False)
                world.heard.add(frame)
                if b'"t":"presence"' in frame:
                    break
    except ConnectionClosed as closed:
        world.heard.answers.append(("socket", str(closed.rcvd)))
    finally:
        await socket.close()
    if world.audience is not None:
        await world.stream(None)


async def heard_in(
    stage: Stage,
    laid: Json,
    ending: str,
    audience: int | None,
    monkeypatch: pytest.MonkeyPatch,
    leak: Leak | None = None,
) -> Heard:
    copy = stage.folder / "world.db"
    for old in stage.folder.glob("world.db*"):
        old.unlink()
    shutil.copyfile(stage.folder / "table.db", copy)
    with as_laid(monkeypatch, rules.position_from_json(laid), leak):
        async with in_process(f"sqlite+aiosqlite:///{copy}", migrated=True) as server:
            app = server._app
            assert app is not None
            await app.state.maintenance.stop()  # when a round comes is a matter of real time
            app.state.site.clock = lambda: NOW / 1000
            app.state.site.chance = random.Random(3)
            exchange(server.game_server, clock=SimpleNamespace(now=lambda: NOW), bots=SimpleBot())
            world = World(server, stage, audience)
            try:
                await end(world, ending, laid["players"][0]["hand"])
                await everything(world)
            finally:
                await world.close()
            return world.heard


@pytest.mark.parametrize("ending", ["won", "resigned", "closed"])
async def test_the_end_of_a_game_of_today_shows_nobody_what_was_unseen(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid = last_move()
    other = with_other_unseen_cards(laid)
    stage = await set_up(tmp_path, rules.position_from_json(laid), monkeypatch)
    for audience in (0, None):
        told = [await heard_in(stage, each, ending, audience, monkeypatch) for each in (laid, other)]
        assert list(differences(*told)) == []
        assert len(told[0].answers) > 60


def _by_plain_rules(patch: pytest.MonkeyPatch, laid: Laid) -> None:
    patch.setitem(engines.ENGINES, engines.DEALT, laid)


def _shown_at_the_end(patch: pytest.MonkeyPatch, laid: Laid) -> None:
    patch.setattr(broadcast, "_is_shown", lambda table: table.is_over)


def _record_at_the_end(patch: pytest.MonkeyPatch, laid: Laid) -> None:
    patch.setattr(records, "is_sealed", lambda day, now: False)


@pytest.mark.parametrize(
    ("leak", "where"),
    [(_by_plain_rules, "game_won"), (_shown_at_the_end, "/api/v1/games/"), (_record_at_the_end, "/record")],
)
async def test_the_two_worlds_would_find_a_leak(
    leak: Leak, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid = last_move()
    stage = await set_up(tmp_path, rules.position_from_json(laid), monkeypatch)
    worlds = (laid, with_other_unseen_cards(laid))
    if (
        leak is _record_at_the_end
    ):  # a record is made from the seed, which is the same in both: see whether it comes
        told = await heard_in(stage, laid, "won", 0, monkeypatch, leak)
        assert {answer[0] for path, answer in told.answers if path.endswith(where)} == {200}
        return
    found = list(differences(*[await heard_in(stage, each, "won", 0, monkeypatch, leak) for each in worlds]))
    assert any(where in each for each in found), found


async def test_every_door_of_a_game_of_today_is_shut_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid = last_move()
    stage = await set_up(tmp_path, rules.position_from_json(laid), monkeypatch)
    api, page = f"/api/v1/games/{stage.game}", f"/g/{stage.game}"
    async with in_process(f"sqlite+aiosqlite:///{tmp_path / 'table.db'}", migrated=True) as server:
        now = NOW
        exchange(server.game_server, clock=SimpleNamespace(now=lambda: now), bots=SimpleBot())
        async with _client(server, stage.cookies[0]) as ann, _client(server, stage.cookies[1]) as bo:
            for path in (
                api,
                f"{api}/seen",
                f"{page}/seen",
                f"{api}/events",
                f"{api}/record",
                f"{api}/review",
            ):
                answer = await bo.get(path)
                assert (answer.status_code, answer.json()["error"]["code"]) == (403, "deal_sealed"), path
            answer = await ann.post(
                f"{api}/act", json={"id": "resign-01", "version": 1, "action": {"type": "resign"}}
            )
            assert answer.status_code == 200, answer.text
            room = await server.game_server.rooms.get(stage.game)
            assert room is not None
            while not room.table.is_over:
                await server.game_server.sweeper.sweep()
            state = (await ann.get(api)).json()
            assert state["table"]["server_seed"] is None
            assert state["view"]["seed"] is None
            assert isinstance(state["view"]["deck"], int)
            assert [player["hand"] for player in state["view"]["players"][1:]] == [None] * 2
            for path in (f"{api}/record", f"{api}/review"):
                answer = await ann.get(path)
                assert (answer.status_code, answer.json()["error"]["code"]) == (409, "deal_sealed"), path
            tried = await ann.post(f"{page}/try", json={"step": 0, "known": 0, "actions": []})
            assert tried.json()["error"]["code"] == "deal_sealed"
            now = ends_at(DAY)
            for who in (ann, bo):
                record = await who.get(f"{api}/record")
                assert record.status_code == 200, record.text
                assert rules.verify(rules.record_from_json(record.json())).winner is None
                assert (record.json()["scheme"], record.json()["deal"]) == (3, DAY)


async def test_a_view_of_a_deal_is_a_seats_view_even_when_it_is_won(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid = last_move()
    position = rules.position_from_json(laid)
    after, _ = rules.apply(position, 0, rules.Advance(laid["players"][0]["hand"][0], 36))
    assert after.winner == 0
    table = SimpleNamespace(position=after, is_over=True, deal=DAY, rules=engines.engine_for(engines.DEALT))
    shown = view_json(table, 0)  # type: ignore[arg-type]
    assert shown is not None
    assert (shown["seed"], shown["winner"]) == (None, 0)
    assert isinstance(shown["deck"], int)
    assert shown["players"][1]["hand"] is None
