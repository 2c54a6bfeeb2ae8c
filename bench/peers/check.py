"""Check that the peers do the same job: hidden hands, log written first, choices sent to the seat to act.

    python -m bench.peers.check

Two players and a spectator play a whole script at each of them, and every frame that anybody got is looked at.
Raises AssertionError with what is wrong.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.peers.adapters import BoardgameIo, ColyseusSameJob, ScriptedTable
from bench.peers.client import Socket
from bench.peers.load import Load, RunFailed, Table
from bench.peers.scenarios import Scenario
from bench.peers.servers import HERE, SERVERS, WORK, running
from tools.node import node

__all__ = ["check"]

_PLAYERS, _SPECTATOR = 2, 2
_ACTIONS = 162  # the whole script for two players
_PER_PLACE, _RETREAT = 7, 6

Frames = list[list[bytes]]  # by seat


def _check_view(seat: int, hands: list[Any], deck: object) -> None:
    """Check that a seat receives its own hand and no other, and no seat the deck."""
    seen = [whose for whose, hand in enumerate(hands) if hand]
    assert seen == ([seat] if seat < _PLAYERS else []), f"seat {seat} sees the hands of {seen}"
    assert deck is None or isinstance(deck, int), f"seat {seat} sees the deck"


def _check_choices(table: ScriptedTable, lists: list[list[list[dict[str, int]]]]) -> None:
    """Check that each list went to the seat that then played, and contained the action played and its consequence."""
    given = [iter(each) for each in lists]
    for seat, action in table.actions[:_ACTIONS]:
        listed = next(given[seat])
        (chosen,) = [each for each in listed if each["action"] == action]
        assert ("draws" in chosen) == (action % _PER_PLACE == _RETREAT), chosen
        assert chosen["to"] > 0, chosen
    assert not lists[_SPECTATOR], "a spectator was told choices"


def _check_boardgameio(table: ScriptedTable, frames: Frames) -> None:
    lists: list[list[list[dict[str, int]]]] = [[] for _ in frames]
    for seat, heard in enumerate(frames):
        for frame in heard:
            if not frame.startswith(b'42/cartagena,["'):
                continue
            kind, _, told, *_ = json.loads(frame.removeprefix(b"42/cartagena,"))
            if kind not in ("sync", "update"):
                continue
            state = told["state"] if kind == "sync" else told
            for each in (state["G"], *([told["initialState"]["G"]] if kind == "sync" else [])):
                assert not {"hands", "deck"} & each.keys(), f"seat {seat}: {each.keys()}"
            hands = [state["G"]["hand"] if whose == seat else None for whose in range(_PLAYERS)]
            _check_view(seat, hands, state["G"]["cardsLeft"])
            if "choices" in state["G"]:
                lists[seat].append(state["G"]["choices"])
    _check_choices(table, lists)


def _check_colyseus(table: ScriptedTable, frames: Frames) -> None:
    command = [node(), "--no-warnings", str(HERE / "colyseus" / "decode.cjs")]
    asked = json.dumps([[frame.hex() for frame in heard] for heard in frames])
    done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=60, check=True)
    told = json.loads(done.stdout)
    for seat, views in enumerate(told["views"]):
        assert len(views) > _ACTIONS, f"seat {seat} got {len(views)} states"
        for view in views:
            _check_view(seat, [player.get("hand") for player in view["players"]], view["deck"])
    _check_choices(table, told["choices"])


async def _play(name: str, port: int, pid: int, file: Path) -> tuple[ScriptedTable, Frames]:
    frames: Frames = [[] for _ in range(_PLAYERS + 1)]
    speaks = {"boardgame.io+job": BoardgameIo, "colyseus+job": ColyseusSameJob}[name]
    with sqlite3.connect(file) as log:

        class Recording(speaks):  # type: ignore[misc, valid-type]
            def act(self, table: Table) -> None:
                assert isinstance(table, ScriptedTable)
                (stored,) = log.execute("SELECT count(*) FROM log WHERE seq > 0").fetchone()
                if stored == table.done:
                    super().act(table)
                else:
                    load.failed(b"%d updates were heard, %d are on disk" % (table.done, stored))

            def heard(self, socket: Socket, payload: bytes) -> None:
                frames[socket.seat].append(payload)
                super().heard(socket, payload)

        load = Load(Recording, port, pid, Scenario(rooms=1, players=_PLAYERS, spectators=1))
        table = load.adapter.table(load, 0, _PLAYERS)
        assert isinstance(table, ScriptedTable)
        await load.seat_all([table])
        await load.play([table], _ACTIONS)
        load.is_closing = True
    if load.errors:
        raise RunFailed(f"{name}: {load.last_error}")
    return table, frames


def check(cpu: int = 0) -> None:
    """Both peers."""
    WORK.mkdir(parents=True, exist_ok=True)
    for name, look in (("boardgame.io+job", _check_boardgameio), ("colyseus+job", _check_colyseus)):
        with TemporaryDirectory(dir=WORK) as folder:
            file = Path(folder, "log.db")
            with running(SERVERS[name], cpu, file=file) as (port, pid):
                table, frames = asyncio.run(_play(name, port, pid, file))
            look(table, frames)


if __name__ == "__main__":
    check()
    print("both hide the hands, store before they tell, and list the choices")
