"""A program of somebody's own: asked one JSON line a move on its standard input, answers with one."""

from __future__ import annotations

import asyncio
import json
import shlex
from asyncio.subprocess import PIPE

from app.client.errors import PlayerFailed
from app.client.seat import Seat
from app.rules import Json

__all__ = ["Program"]

_LONGEST_LINE = 8 * 1024 * 1024


class Program:
    """Implements Player. Start it before a seat is taken: a program that is not there takes none."""

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
