"""`cartagena bot play`: connects any program that answers `choose` lines (docs/interchange.md) to a seat."""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
import sys
from asyncio.subprocess import PIPE
from typing import Any

from app.client.api import Api, ApiError
from app.client.seat import Seat, play_seat

__all__ = ["add_arguments", "run"]

Json = dict[str, Any]

_LONGEST_LINE = 8 * 1024 * 1024


class ProgramFailed(Exception):
    """The program ended or did not answer with an action."""


class Program:
    """A program that is asked one JSON line a move, on its standard input, and answers with one."""

    def __init__(self, command: str) -> None:
        self._command = shlex.split(command)
        self._process: asyncio.subprocess.Process | None = None

    async def choose(self, seat: Seat) -> Json:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, limit=_LONGEST_LINE
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        request = {
            "do": "choose",
            "view": seat.view,
            "seat": seat.seat,
            "actions": seat.actions,
            "history": seat.history,
        }
        try:
            stdin.write(json.dumps(request, separators=(",", ":")).encode() + b"\n")
            await stdin.drain()
            answer = json.loads(await stdout.readline() or b"null")
        except (ConnectionError, ValueError) as wrong:
            raise ProgramFailed(f"the program did not answer: {wrong}") from wrong
        if not isinstance(answer, dict) or not isinstance(answer.get("action"), dict):
            raise ProgramFailed(f"the program did not answer with an action but with {answer!r:.200}")
        action: Json = answer["action"]
        return action

    async def stop(self) -> None:
        if self._process is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(3):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="bot_command", required=True)
    play = commands.add_parser("play", help="sit down at a table and play there until the game is over")
    play.add_argument("--token", required=True, help="your program's bearer token, made on the account page")
    play.add_argument("--cmd", required=True, help="the program: it reads choose lines and writes actions")
    play.add_argument("--server", default="http://127.0.0.1:8000", help="the server's address")
    play.add_argument("--game", help="the table's id; without it a new table is opened")
    play.add_argument("--seat", type=int, help="which seat to take; else the first free one")
    play.add_argument("--password", help="of a locked table")
    play.add_argument("--preset", default="jamaica", help="for a new table")
    play.add_argument("--players", type=int, default=2, help="for a new table")
    play.add_argument("--against", default="sailor", help="the bots that fill a new table")


def run(asked: argparse.Namespace) -> int:
    try:
        result = asyncio.run(_play(asked))
    except (ApiError, ProgramFailed, OSError) as problem:
        print(f"cartagena: {problem}", file=sys.stderr)
        return 1
    print(json.dumps(result))
    return 0


async def _play(asked: argparse.Namespace) -> Json | None:
    program = Program(asked.cmd)
    async with Api(asked.server, asked.token, password=asked.password) as api:
        game = asked.game
        if game is None:
            options = {"preset": asked.preset, "players": asked.players}
            game = await api.create(options, visibility="unlisted", pace=0)
            await api.sit(game)
            for _ in range(asked.players - 1):
                await api.add_bot(game, asked.against)
            await api.start(game)
        else:
            state = await api.state(game)
            if state.get("you", {}).get("seat") is None:
                await api.sit(game, asked.seat)
        print(f"{asked.server}/g/{game}", file=sys.stderr)
        try:
            return await play_seat(api, game, program.choose, password=asked.password)
        finally:
            await program.stop()
