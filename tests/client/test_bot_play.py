"""`cartagena bot play`: every problem is reported in one line, and nothing hangs."""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app import cli
from app.client import api as client_api
from app.client import play
from app.client.api import Api
from tests.bots.test_third_party import create_token, run
from tests.sockets.running_server import RunningServer, free_port, in_process

JAMAICA = {"preset": "jamaica", "players": 2}


@pytest.fixture
async def server(sqlite_url: str) -> AsyncIterator[RunningServer]:
    async with in_process(sqlite_url) as running:
        yield running


async def bot_play(server: RunningServer, token: str, *more: str) -> str:
    """Run the command, which must fail, and return its error message: one line and no traceback."""
    code, out, problems = await run(
        *(sys.executable, "-m", "app.cli", "bot", "play", "--server", server.base, "--token", token, *more)
    )
    assert code == 1, problems
    assert not out
    assert "Traceback" not in problems
    message = [line for line in problems.splitlines() if line.startswith("cartagena: ")]
    assert len(message) == 1, problems
    return message[0]


UNSTARTABLE_PROGRAMS = {
    "missing": ("./missing-program", "Cannot start"),
    "a folder": ("/", "Cannot start"),
    "empty": ("", "is empty"),
    "an open quote": ("'./bot", "quotes"),
}


@pytest.mark.parametrize("which", UNSTARTABLE_PROGRAMS)
async def test_a_program_that_cannot_run_takes_no_seat(server: RunningServer, which: str):
    command, words = UNSTARTABLE_PROGRAMS[which]
    token = await create_token(server, "Careless")
    async with Api(server.base, token) as api:
        game = await api.create(JAMAICA)
        assert words in await bot_play(server, token, "--cmd", command, "--game", game)
        assert [seat["person"] for seat in (await api.state(game))["table"]["seats"]] == [None, None]


async def test_a_program_that_keeps_answering_illegally_is_given_up_and_keeps_its_seat(
    server: RunningServer, tmp_path: Path
):
    asked = tmp_path / "asked"
    program = tmp_path / "stubborn.py"
    program.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        f"    open({str(asked)!r}, 'a').write('asked\\n')\n"
        '    print(\'{"action":{"type":"sail"}}\', flush=True)\n'
    )
    token = await create_token(server, "Stubborn")
    message = await bot_play(server, token, "--cmd", f"{sys.executable} {program}")
    assert asked.read_text().count("asked") == 3
    assert '{"type": "sail"}' in message
    assert '"type": "advance"' in message, "the legal actions are listed"
    game = message.rpartition("--game ")[2].rstrip(".")
    async with Api(server.base, token) as api:
        state = await api.state(game)
    assert state["table"]["status"] == "running"
    assert state["you"]["seat"] is not None
    assert state["choices"], "the seat can be resumed"


INVALID_ANSWERS = {
    "silence": ("pass", "ended (exit code 0)"),
    "a crash": ("import sys; sys.stdin.readline(); sys.exit(3)", "ended (exit code 3)"),
    "no JSON": ("import sys; sys.stdin.readline(); print('your move', flush=True)", "'your move'"),
    "no action": ("import sys; sys.stdin.readline(); print('[1]', flush=True)", "'[1]'"),
    "far too much": (
        "import sys; sys.stdin.readline(); print('{\"action\":{\"type\":\"' + 'x' * 5000 + '\"}}', flush=True)",
        "longer than any action",
    ),
}


@pytest.mark.parametrize("which", INVALID_ANSWERS)
async def test_an_invalid_answer_of_a_program_is_quoted(server: RunningServer, tmp_path: Path, which: str):
    source, words = INVALID_ANSWERS[which]
    program = tmp_path / "wrong.py"
    program.write_text(source)
    message = await bot_play(
        server, await create_token(server, "Wrong"), "--cmd", f"{sys.executable} {program}"
    )
    assert words in message


async def test_a_refusal_is_reported_with_advice(server: RunningServer):
    echo = ("--cmd", "cat")
    mine, other = await create_token(server, "Mine"), await create_token(server, "Other")
    assert "create a new one on the account page" in await bot_play(server, "nonsense", *echo)
    assert "--password" in await bot_play(server, mine, *echo, "--game", "nosuchtable")
    assert "cartagena rules" in await bot_play(server, mine, *echo, "--preset", "atlantis")
    assert "cabin-boy" in await bot_play(server, mine, *echo, "--against", "kraken")
    async with Api(server.base, other) as api:
        locked = await api.create(JAMAICA, visibility="password", password="open sesame")
        assert "--password" in await bot_play(server, mine, *echo, "--game", locked)
        wrong = ("--game", locked, "--password", "sesame")
        assert "Check --password" in await bot_play(server, mine, *echo, *wrong)
        full = await api.create(JAMAICA)
        await api.sit(full)
        await api.add_bot(full, "sailor")
        message = await bot_play(server, mine, *echo, "--game", full)
        assert message.startswith("cartagena: no_free_seat: ")
        assert "Omit --game" in message
        taken = await api.create({**JAMAICA, "players": 3})
        await api.sit(taken, 0)
        assert "Omit --seat" in await bot_play(server, mine, *echo, "--game", taken, "--seat", "0")


def namespace_for(server: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    play.add_arguments(parser)
    return parser.parse_args(["play", "--server", server, "--token", "t", "--cmd", "cat"])


def test_an_unreachable_server_is_reported_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(client_api, "RETRY_PAUSES_SECONDS", (0.0, 0.0))
    assert play.run(namespace_for(f"http://127.0.0.1:{free_port()}")) == 1
    message = capsys.readouterr().err
    assert message.startswith("cartagena: Cannot reach http://127.0.0.1:")
    assert message.count("\n") == 1


INVALID_ADDRESSES = [
    "example.org",
    "ftp://example.org",
    "http://",
    "http://[::1",
    "http://x:99999",
]


@pytest.mark.parametrize("address", INVALID_ADDRESSES)
def test_an_invalid_address_is_reported_in_one_line(capsys: pytest.CaptureFixture[str], address: str):
    assert play.run(namespace_for(address)) == 1
    message = capsys.readouterr().err
    assert "is not a server address" in message
    assert message.count("\n") == 1


async def test_plain_http_instead_of_tls_is_reported_in_one_line(server: RunningServer):
    process_server = RunningServer(server.port)
    process_server.base = server.base.replace("http:", "https:")
    message = await bot_play(process_server, "t", "--cmd", "cat")
    assert "use http:// instead" in message


async def test_a_rate_limited_server_is_played_at_its_pace(sqlite_url: str, tmp_path: Path):
    """A 429 ended the program in an earlier release, although its seat was taken and the game had started."""
    program = tmp_path / "resigns.py"
    program.write_text(
        'import sys\nfor line in sys.stdin:\n    print(\'{"action":{"type":"resign"}}\', flush=True)\n'
    )
    async with in_process(sqlite_url, writes_per_second=2.0, writes_burst=3) as server:
        code, out, problems = await run(
            *(sys.executable, "-m", "app.cli", "bot", "play", "--server", server.base, "--players", "3"),
            *("--token", await create_token(server, "Quick"), "--cmd", f"{sys.executable} {program}"),
        )
        assert code == 0, problems
        assert json.loads(out)["reason"] in ("resigned", "goal")


def test_ctrl_c_stops_any_command_without_a_traceback(monkeypatch: pytest.MonkeyPatch):
    def interrupted(_: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(play, "run", interrupted)
    assert cli.main(["bot", "play", "--token", "t", "--cmd", "cat"]) == 130


async def test_a_closed_pipe_ends_a_command_without_a_traceback():
    record = next((Path(__file__).parents[1] / "golden").glob("jamaica-reshuffled.json"))
    reading, writing = socket.socketpair()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "app.cli", "replay", str(record)),
        stdout=writing.fileno(),
        stderr=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    writing.close()
    reading.close()
    async with asyncio.timeout(60):
        _, problems = await process.communicate()
    assert process.returncode == 1
    assert problems == b""
