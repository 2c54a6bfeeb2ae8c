"""`cartagena bot play`: connects any program that answers `choose` lines (docs/interchange.md) to a seat."""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
import sys
from asyncio.subprocess import PIPE

from app import rules
from app.client.api import Api
from app.client.errors import ApiError, ClientError, NotKept, PlayerFailed
from app.client.seat import Seat, play_seat
from app.rules import Json

_LONGEST_LINE = 8 * 1024 * 1024

_ADVICE = {
    "password_required": "Give --password, and check --game: a table that does not exist looks the same.",
    "password_wrong": "Check --password and --game: a table that does not exist looks the same.",
    "no_free_seat": "Leave out --game to open a table of your own.",
    "seat_taken": "Leave out --seat to take the first free one.",
    "bad_seat": "Leave out --seat to take the first free one.",
    "started": "Leave out --game to open a table of your own.",
    "closed": "Leave out --game to open a table of your own.",
    "game_over": "Leave out --game to open a table of your own.",
    "bad_level": "--against takes cabin-boy, sailor, mate, captain or legend.",
    "bad_options": "`cartagena rules` lists the presets and what fits (--preset, --players).",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=run)
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
    """Plays to the end; 1 when that could not be, with a sentence that says why."""
    try:
        result = asyncio.run(_play(asked))
    except ApiError as refused:
        print(f"cartagena: {refused} {_ADVICE.get(refused.code, '')}".rstrip(), file=sys.stderr)
        return 1
    except ClientError as problem:
        print(f"cartagena: {problem}", file=sys.stderr)
        return 1
    print(json.dumps(result))
    return 0


class Program:
    """A program of somebody's own: asked one JSON line a move on its standard input, answers with one.

    Start it before a seat is taken: a program that is not there takes none.
    """

    def __init__(self, command: str) -> None:
        self._name = command
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        try:
            words = shlex.split(self._name)
        except ValueError as wrong:
            raise PlayerFailed(
                f"--cmd {self._name!r} cannot be split into words ({wrong}); check its quotes."
            ) from None
        if not words:
            raise PlayerFailed("--cmd is empty; give the program and its arguments.")
        try:
            self._process = await asyncio.create_subprocess_exec(
                *words, stdin=PIPE, stdout=PIPE, limit=_LONGEST_LINE
            )
        except (OSError, ValueError) as wrong:
            why = getattr(wrong, "strerror", None) or str(wrong)
            raise PlayerFailed(
                f"The program {words[0]} cannot be started ({why}); check its path and that it may be executed."
            ) from None

    async def choose(self, seat: Seat) -> Json:
        process = self._process
        assert process is not None, "started before it is asked"
        assert process.stdin is not None
        assert process.stdout is not None
        request = {
            "do": "choose",
            "view": seat.view,
            "seat": seat.seat,
            "actions": seat.actions,
            "history": seat.history,
        }
        try:
            process.stdin.write(json.dumps(request, separators=(",", ":")).encode() + b"\n")
            await process.stdin.drain()
            line = await process.stdout.readline()
        except ConnectionError:
            line = b""
        except ValueError:
            raise PlayerFailed(
                f"{self._name} answered with a line of more than {_LONGEST_LINE} bytes."
            ) from None
        if not line.endswith(b"\n"):
            code = await self._ended()
            raise PlayerFailed(
                f"{self._name} ended (exit code {code}) when it was asked for a move; it must answer every line "
                "on its standard input with one on its standard output, and flush it."
            )
        return self._action(line)

    def _action(self, line: bytes) -> Json:
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        action = answer.get("action") if isinstance(answer, dict) else None
        if not isinstance(action, dict):
            shown = line.decode(errors="replace").strip()
            raise PlayerFailed(
                f'{self._name} must answer with one line like {{"action":{{"type":"end"}}}}, but said {shown!r:.200}.'
            )
        return action

    async def _ended(self) -> int | None:
        assert self._process is not None
        try:
            async with asyncio.timeout(3):
                return await self._process.wait()
        except TimeoutError:  # it has closed its output only
            return None

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


async def _play(asked: argparse.Namespace) -> Json | None:
    program = Program(asked.cmd)
    try:
        await program.start()
        async with Api(asked.server, asked.token, password=asked.password) as api:
            game = await _sit_down(api, asked)
            print(f"{api.base}/g/{game}", file=sys.stderr)
            try:
                result = await play_seat(api, game, program.choose, password=asked.password)
            except PlayerFailed as failed:
                raise PlayerFailed(f"{failed} The seat stays yours: go on with --game {game}.") from None
            if result is not None:
                await _check_chance(api, game)
            return result
    finally:
        await program.stop()


async def _check_chance(api: Api, game: str) -> None:
    """Whether the deck was chosen by nobody: the record beside what this program kept of the table."""
    keeper = api.keeper(game)
    if not keeper.nonces:
        return  # it sat down in another life and kept nothing
    record = await api.record(game)
    try:
        rules.verify(rules.record_from_json(record), scheme=keeper.scheme)
        keeper.check(record)
    except (rules.RuleError, NotKept) as wrong:
        raise NotKept(f"The chance of this game does not hold: {wrong}") from None


async def _sit_down(api: Api, asked: argparse.Namespace) -> str:
    """Sits at the table that was asked for, or at a new one against bots; its id."""
    game: str | None = asked.game
    if game is not None:
        state = await api.state(game)
        if state["you"]["seat"] is None:
            await api.sit(game, asked.seat)
        return game
    options = {"preset": asked.preset, "players": asked.players}
    game = await api.create(options, visibility="unlisted", pace=0)
    await api.sit(game)
    for _ in range(asked.players - 1):
        await api.add_bot(game, asked.against)
    await api.start(game)
    return game
