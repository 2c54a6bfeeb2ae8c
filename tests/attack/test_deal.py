"""The deal of the day reveals no more than its player saw, before and after the game ends, until midnight UTC.

Two worlds have the same boards and the same cards of the player; deck and bots' hands differ. The game ends, and then
everything is requested.
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
from app.play.deal.days import day_ends_at, day_of, plan_day
from app.play.deal.par import Par
from app.play.room import audience_frames
from app.play.room.audience_frames import view_json
from app.web.api import records
from app.web.deals import Deals
from tests.attack.addresses import pages_for
from tests.attack.received_bytes import ReceivedBytes, differences
from tests.attack.two_worlds import NOW, Laid, Leak, Stage, World, _client, as_laid
from tests.play.simple_bot import SimpleBot
from tests.play.stage import replace_ports
from tests.sockets.running_server import in_process

DAY = day_of(NOW)
Json = dict[str, Any]


def last_move() -> Json:
    """Return a position in which the person is one card from winning and knows nothing of the other cards."""
    options, _ = plan_day(DAY)
    laid = rules.position_to_json(rules.new_game(rules.parse_options({**options, "first": 0}), "5e" * 32))
    pirates = laid["options"]["pirates"]
    laid["players"][0]["pirates"] = [len(laid["board"])] + ["goal"] * (pirates - 1)
    laid["turn"] = {"seat": 0, "taken": 0, "captain_used": False}
    return laid


def with_other_unseen_cards(laid: Json) -> Json:
    """Return a position that looks the same to the person, with other cards in deck and other hands."""
    unseen = [*laid["deck"], *(card for player in laid["players"][1:] for card in player["hand"])]
    random.Random(9).shuffle(unseen)
    players = [laid["players"][0]]
    for player in laid["players"][1:]:
        count = len(player["hand"])
        players.append({**player, "hand": sorted(unseen[:count])})
        del unseen[:count]
    return {**laid, "players": players, "deck": unseen}


async def set_up(folder: Path, position: rules.Position, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Create two people; the first has started today's deal."""
    with as_laid(monkeypatch, position, None):
        async with in_process(f"sqlite:///{folder / 'table.db'}") as server:
            replace_ports(server.game_server, clock=SimpleNamespace(now=lambda: NOW), bots=SimpleBot())
            people, cookies = [], []
            for name in ("Ann", "Bo"):
                async with _client(server) as http:
                    answer = await http.post("/api/v1/me", json={"name": name})
                    people.append(answer.json()["person"]["id"])
                    cookies.append(f"cartagena={http.cookies['cartagena']}")
            async with _client(server, cookies[0]) as http:
                made = await http.post("/api/v1/deal")
                assert made.status_code == 201, made.text
            # Par is the result of another game of this deal, like other people's results, so it is fixed here.
            deals: Deals = server._app.state.deals  # type: ignore[union-attr]
            await deals.store.save_par(DAY, Par("mate", 20, 20, 150))
    return Stage(folder, made.json()["id"], people, cookies, position)


async def end(world: World, ending: str, hand: list[str]) -> None:
    """End the game, with or without its player connected."""
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
    """Request everything readable, and what a curious client might send."""
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
) -> ReceivedBytes:
    copy = stage.folder / "world.db"
    for old in stage.folder.glob("world.db*"):
        old.unlink()
    shutil.copyfile(stage.folder / "table.db", copy)
    with as_laid(monkeypatch, rules.position_from_json(laid), leak):
        async with in_process(f"sqlite:///{copy}", migrated=True) as server:
            app = server._app
            assert app is not None
            await app.state.maintenance.stop()  # the timing of maintenance depends on real time
            app.state.site.clock = lambda: NOW / 1000
            app.state.site.chance = random.Random(3)
            replace_ports(server.game_server, clock=SimpleNamespace(now=lambda: NOW), bots=SimpleBot())
            world = World(server, stage, audience)
            try:
                await end(world, ending, laid["players"][0]["hand"])
                await everything(world)
            finally:
                await world.close()
            return world.heard


@pytest.mark.parametrize("ending", ["won", "resigned", "closed"])
async def test_the_end_of_todays_deal_reveals_no_hidden_card(
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
    patch.setitem(engines.ENGINES, engines.DEAL_RULES_VERSIONS[engines.CURRENT_RULES_VERSION], laid)


def _shown_at_the_end(patch: pytest.MonkeyPatch, laid: Laid) -> None:
    patch.setattr(audience_frames, "_is_fully_revealed", lambda table: table.is_over)


def _record_at_the_end(patch: pytest.MonkeyPatch, laid: Laid) -> None:
    patch.setattr(records, "is_deal_secret", lambda day, now: False)


@pytest.mark.parametrize(
    ("leak", "where"),
    [(_by_plain_rules, "game_won"), (_shown_at_the_end, "/api/v1/games/"), (_record_at_the_end, "/record")],
)
async def test_the_two_worlds_test_finds_a_leak(
    leak: Leak, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid = last_move()
    stage = await set_up(tmp_path, rules.position_from_json(laid), monkeypatch)
    worlds = (laid, with_other_unseen_cards(laid))
    if (
        leak is _record_at_the_end
    ):  # a record derives from the seed, which is the same in both worlds: check whether it is served
        told = await heard_in(stage, laid, "won", 0, monkeypatch, leak)
        assert {answer[0] for path, answer in told.answers if path.endswith(where)} == {200}
        return
    found = list(differences(*[await heard_in(stage, each, "won", 0, monkeypatch, leak) for each in worlds]))
    assert any(where in each for each in found), found


async def test_every_route_refuses_the_record_of_todays_deal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid = last_move()
    stage = await set_up(tmp_path, rules.position_from_json(laid), monkeypatch)
    api, page = f"/api/v1/games/{stage.game}", f"/g/{stage.game}"
    async with in_process(f"sqlite:///{tmp_path / 'table.db'}", migrated=True) as server:
        now = NOW
        replace_ports(server.game_server, clock=SimpleNamespace(now=lambda: now), bots=SimpleBot())
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
            now = day_ends_at(DAY)
            for who in (ann, bo):
                record = await who.get(f"{api}/record")
                assert record.status_code == 200, record.text
                assert rules.verify(rules.record_from_json(record.json())).winner is None
                assert (record.json()["scheme"], record.json()["deal"]) == (3, DAY)


async def test_the_view_of_a_won_deal_is_still_a_seats_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid = last_move()
    position = rules.position_from_json(laid)
    after, _ = rules.apply(position, 0, rules.Advance(laid["players"][0]["hand"][0], 36))
    assert after.winner == 0
    table = SimpleNamespace(
        position=after,
        is_over=True,
        deal=DAY,
        rules=engines.engine_for(engines.DEAL_RULES_VERSIONS[engines.CURRENT_RULES_VERSION]),
    )
    shown = view_json(table, 0)  # type: ignore[arg-type]
    assert shown is not None
    assert (shown["seed"], shown["winner"]) == (None, 0)
    assert isinstance(shown["deck"], int)
    assert shown["players"][1]["hand"] is None
