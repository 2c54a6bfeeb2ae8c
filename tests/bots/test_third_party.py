"""Third-party bots: the examples of docs/bots.md play whole games against a real server."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from app import rules
from app.client import Api, ApiError
from app.client.errors import PlayerFailed
from app.client.play import Program
from app.client.seat import Seat, play_seat
from tests.bots.tables import Json, choose_action, seed
from tests.sockets.running_server import RunningServer, in_process

DOCS = Path(__file__).resolve().parents[2] / "docs" / "bots.md"


def read_example(name: str) -> str:
    """Return the code block of docs/bots.md with this name in its first line."""
    found = re.search(rf"```python\n# {name}\n(.*?)```", DOCS.read_text(), re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
async def server(sqlite_url: str) -> AsyncIterator[RunningServer]:
    async with in_process(sqlite_url) as running:
        yield running


class BotStopped(Exception):
    """Raised by a test bot that stops playing."""


async def create_token(server: RunningServer, name: str) -> str:
    async with httpx.AsyncClient(base_url=server.base, headers={"Origin": server.base}, timeout=60) as person:
        password = "a long salty password"
        made = await person.post("/api/v1/account/register", json={"name": name, "password": password})
        person.headers["X-CSRF"] = made.json()["csrf"]
        answer = await person.post("/api/v1/account/tokens", json={"label": "my bot", "password": password})
        return str(answer.json()["token"])


async def run(*command: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(DOCS.parents[1])},
    )
    async with asyncio.timeout(120):
        out, problems = await process.communicate()
    return process.returncode or 0, out.decode(), problems.decode()


def test_the_examples_are_short():
    assert len(read_example("example-bot").splitlines()) < 40
    assert len(read_example("example-client").splitlines()) < 40


async def test_the_example_bot_plays_a_game_by_lines(server: RunningServer, tmp_path: Path):
    program = tmp_path / "bot.py"
    program.write_text(read_example("example-bot"))
    code, out, problems = await run(
        *(sys.executable, "-m", "app.cli", "bot", "play", "--server", server.base),
        *("--token", await create_token(server, "Liner"), "--cmd", f"{sys.executable} {program}"),
        *("--preset", "tortuga", "--players", "3", "--against", "sailor"),
    )
    assert code == 0, problems
    assert json.loads(out)["reason"] == "goal"


async def test_the_example_client_plays_a_game(server: RunningServer, tmp_path: Path):
    program = tmp_path / "client.py"
    program.write_text(read_example("example-client"))
    code, out, problems = await run(
        sys.executable, str(program), server.base, await create_token(server, "Clienty")
    )
    assert code == 0, problems
    assert "'reason': 'goal'" in out


async def test_a_third_party_bot_knows_no_more_than_its_seat(server: RunningServer):
    """A bot receives its seat's own view, and nothing it receives names a card of a hidden hand."""
    asked: list[Seat] = []

    def look(seat: Seat) -> dict[str, object]:
        asked.append(seat)
        hidden = [p for n, p in enumerate(seat.view["players"]) if n != seat.seat]
        assert all(player["hand"] is None for player in hidden)
        assert seat.view["seed"] is None
        assert isinstance(seat.view["deck"], int)
        if len(asked) == 1:
            return {"type": "advance", "card": "hook", "from": "goal"}  # refused, then the bot is asked again
        return {"type": "resign"} if len(asked) > 12 else seat.actions[0]

    async with Api(server.base, await create_token(server, "Looker")) as api:
        game = await api.create({"preset": "jamaica", "players": 2}, visibility="unlisted", pace=0)
        await api.sit(game)
        await api.add_bot(game, "cabin-boy")
        await api.start(game)
        async with asyncio.timeout(60):
            result = await play_seat(api, game, look)
    assert result is not None
    assert result["reason"] == "resigned"
    assert len(asked) == 13


async def test_a_late_bot_receives_everything_its_seat_has_seen(server: RunningServer):
    """A second bot takes over during the game and receives the history from the first action on."""
    early: list[list[dict[str, object]]] = []
    late: list[list[dict[str, object]]] = []

    def begin(seat: Seat) -> dict[str, object]:
        early.append(list(seat.history))
        if len(early) == 8:
            raise BotStopped
        return seat.actions[0]

    def go_on(seat: Seat) -> dict[str, object]:
        late.append(list(seat.history))
        return {"type": "resign"} if len(late) > 6 else seat.actions[0]

    async with Api(server.base, await create_token(server, "Later")) as api:
        game = await api.create({"preset": "jamaica", "players": 2}, visibility="unlisted", pace=0)
        await api.sit(game)
        await api.add_bot(game, "sailor")
        await api.start(game)
        async with asyncio.timeout(60):
            with pytest.raises(BotStopped):
                await play_seat(api, game, begin)
            await play_seat(api, game, go_on)
        whole = [event for step in (await api.seen(game))["steps"] for event in step["events"]]
    assert early[-1]
    for history in (*early, *late):
        assert whole[: len(history)] == history
    assert len(late[0]) >= len(early[-1])
    assert [len(history) for history in late] == sorted({len(history) for history in late})


async def test_a_wrong_token_is_refused_with_a_code(server: RunningServer):
    async with Api(server.base, "nobody") as api:
        with pytest.raises(ApiError):
            await api.create({"preset": "jamaica", "players": 2})


async def test_a_crashing_bot_is_reported():
    program = Program(f"{sys.executable} -c pass")
    await program.start()
    with pytest.raises(PlayerFailed):
        await program.choose(Seat(0, {}, [{"type": "end"}]))
    await program.stop()


async def test_a_bot_that_is_too_fast_waits_and_continues(sqlite_url: str):
    """The rate limiter refuses frames without their ids; the seat must not wait forever for an answer."""
    asked = []

    def hurry(seat: Seat) -> dict[str, object]:
        asked.append(seat)
        return {"type": "resign"} if len(asked) > 14 else seat.actions[0]

    async with (
        in_process(sqlite_url, frames_per_second=4.0, frames_burst=4) as server,
        Api(server.base, await create_token(server, "Hasty")) as api,
    ):
        game = await api.create({"preset": "jamaica", "players": 2}, visibility="unlisted", pace=0)
        await api.sit(game)
        await api.add_bot(game, "cabin-boy")
        await api.start(game)
        async with asyncio.timeout(60):
            result = await play_seat(api, game, hurry)
    assert result is not None
    assert result["reason"] == "resigned"


def test_ten_lines_beat_the_sailor(tmp_path: Path) -> None:
    lines = read_example("example-ten-lines")
    assert len([line for line in lines.splitlines() if line]) == 10
    program = tmp_path / "ten_lines.py"
    program.write_text(lines)
    root = str(DOCS.parents[1])
    with subprocess.Popen(
        [sys.executable, str(program)],
        env={**os.environ, "PYTHONPATH": root},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as bot:
        wins = sum(_wins_against_sailor(bot, number) for number in range(8))
        assert bot.stdin is not None
        bot.stdin.close()
    assert wins >= 6


def _wins_against_sailor(bot: subprocess.Popen[str], number: int) -> bool:
    assert bot.stdin is not None
    assert bot.stdout is not None
    own = number % 2
    position = rules.new_game(rules.parse_options({"preset": "tortuga", "players": 2}), seed(f"ten|{number}"))
    histories: list[list[Json]] = [[], []]
    for count in range(600):
        if position.winner is not None:
            break
        seat = position.turn_seat
        if seat == own:
            actions = [rules.action_to_json(action) for action in rules.legal(position, seat)]
            asked = {"view": rules.view(position, seat), "actions": actions, "history": histories[seat]}
            bot.stdin.write(json.dumps({"do": "choose", "seat": seat, **asked}) + "\n")
            bot.stdin.flush()
            action = json.loads(bot.stdout.readline())["action"]
        else:
            action = choose_action(position, seat, histories[seat], "sailor", 500, f"{number}|{count}")
        position, events = rules.apply(position, seat, rules.action_from_json(action))
        for other, history in enumerate(histories):
            history += rules.events_for(events, other, position.options)
    return position.winner == own
