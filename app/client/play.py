"""`cartagena bot play`: connect a program that answers `choose` lines (docs/interchange.md) to a seat."""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
import sys
from asyncio.subprocess import PIPE

from app import rules
from app.client.api import Api
from app.client.errors import ApiError, ClientError, PlayerFailed, RecordMismatch
from app.client.seat import Seat, play_seat
from app.rules import Json

_MAX_LINE_BYTES = 8 * 1024 * 1024

_ADVICE = {
    "password_required": "Give --password, and check --game: an unknown table is refused in the same way.",
    "password_wrong": "Check --password and --game: an unknown table is refused in the same way.",
    "no_free_seat": "Omit --game to create a new table.",
    "seat_taken": "Omit --seat to take the first free one.",
    "bad_seat": "Omit --seat to take the first free one.",
    "started": "Omit --game to create a new table.",
    "closed": "Omit --game to create a new table.",
    "game_over": "Omit --game to create a new table.",
    "bad_level": "--against takes cabin-boy, sailor, mate, captain or legend.",
    "bad_options": "`cartagena rules` lists presets and options (--preset, --players).",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=run)
    commands = parser.add_subparsers(dest="bot_command", required=True)
    play = commands.add_parser("play", help="sit down at a table and play until the game ends")
    play.add_argument("--token", required=True, help="the bot's bearer token, from the account page")
    play.add_argument(
        "--cmd", required=True, help="the program to run; it reads choose lines and writes actions"
    )
    play.add_argument(
        "--server", default="http://127.0.0.1:8000", help="server address (default: %(default)s)"
    )
    play.add_argument("--game", help="table id (default: create a new table)")
    play.add_argument("--seat", type=int, help="seat to take (default: the first free one)")
    play.add_argument("--password", help="password of a locked table")
    play.add_argument("--preset", default="jamaica", help="preset of a new table (default: %(default)s)")
    play.add_argument(
        "--players", type=int, default=2, help="number of players at a new table (default: %(default)s)"
    )
    play.add_argument(
        "--against", default="sailor", help="level of the bots at a new table (default: %(default)s)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Play until the game ends. Return 1 after an error, which is printed."""
    try:
        result = asyncio.run(_play(arguments))
    except ApiError as refused:
        print(f"cartagena: {refused} {_ADVICE.get(refused.code, '')}".rstrip(), file=sys.stderr)
        return 1
    except ClientError as problem:
        print(f"cartagena: {problem}", file=sys.stderr)
        return 1
    print(json.dumps(result))
    return 0


class Program:
    """An external program: it receives one JSON line per move on standard input and answers with one.

    Start it before taking a seat, so that a program that cannot start takes none.
    """

    def __init__(self, command: str) -> None:
        self._name = command
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        try:
            words = shlex.split(self._name)
        except ValueError as error:
            raise PlayerFailed(
                f"--cmd {self._name!r} is not valid shell syntax ({error}); check its quotes."
            ) from None
        if not words:
            raise PlayerFailed("--cmd is empty; it must be a program and its arguments.")
        try:
            self._process = await asyncio.create_subprocess_exec(
                *words, stdin=PIPE, stdout=PIPE, limit=_MAX_LINE_BYTES
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise PlayerFailed(
                f"Cannot start {words[0]} ({why}); check its path, and that it is executable."
            ) from None

    async def choose(self, seat: Seat) -> Json:
        process = self._process
        assert process is not None, "call start() first"
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
                f"{self._name} answered with a line of more than {_MAX_LINE_BYTES} bytes."
            ) from None
        if not line.endswith(b"\n"):
            code = await self._wait_for_exit()
            raise PlayerFailed(
                f"{self._name} ended (exit code {code}) instead of choosing a move; it must answer every line "
                "on standard input with one line on standard output, and flush it."
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

    async def _wait_for_exit(self) -> int | None:
        assert self._process is not None
        try:
            async with asyncio.timeout(3):
                return await self._process.wait()
        except TimeoutError:  # it has only closed its output
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


async def _play(arguments: argparse.Namespace) -> Json | None:
    program = Program(arguments.cmd)
    try:
        await program.start()
        async with Api(arguments.server, arguments.token, password=arguments.password) as api:
            game = await _sit_down(api, arguments)
            print(f"{api.base}/g/{game}", file=sys.stderr)
            try:
                result = await play_seat(api, game, program.choose, password=arguments.password)
            except PlayerFailed as failed:
                raise PlayerFailed(f"{failed} You keep the seat; continue with --game {game}.") from None
            if result is not None:
                await _check_chance(api, game)
            return result
    finally:
        await program.stop()


async def _check_chance(api: Api, game: str) -> None:
    """Verify the record, and compare it with the seals and nonces that this program kept."""
    keeper = api.keeper(game)
    if not keeper.nonces:
        return  # an earlier run of the program sat down; its nonces are lost
    record = await api.record(game)
    try:
        rules.verify(rules.record_from_json(record), scheme=keeper.scheme)
        keeper.check(record)
    except (rules.RuleError, RecordMismatch) as error:
        raise RecordMismatch(f"The cards of this game fail verification: {error}") from None


async def _sit_down(api: Api, arguments: argparse.Namespace) -> str:
    """Sit down at the given table, or at a new one with bots. Return its id."""
    game: str | None = arguments.game
    if game is not None:
        state = await api.state(game)
        if state["you"]["seat"] is None:
            await api.sit(game, arguments.seat)
        return game
    options = {"preset": arguments.preset, "players": arguments.players}
    game = await api.create(options, visibility="unlisted", pace=0)
    await api.sit(game)
    for _ in range(arguments.players - 1):
        await api.add_bot(game, arguments.against)
    await api.start(game)
    return game
