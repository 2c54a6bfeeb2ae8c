"""Protocol adapter of our own server: guests with sessions, a table with hidden hands, listed actions."""

from __future__ import annotations

import random

import orjson

from bench.peers.client import Socket
from bench.peers.load import Adapter, Load, Table
from bench.peers.person import Guest, Person, start

__all__ = ["Ours"]

_TRIES = 6  # attempts to find an action that brings no pirate to the goal, so that the table lasts
_FINISHED = b'"status":"finished"'


class OurTable(Table):
    """A table of ours: the next action is one of the listed choices of the seat to act."""

    __slots__ = ("actor", "chance", "choices", "game", "people", "seq")

    def __init__(self, load: Load, number: int, players: int) -> None:
        super().__init__(load, number, players)
        self.chance = random.Random(number)
        self.game = ""
        self.people: list[Person] = []
        self.seq = 0
        self.actor: Socket
        self.choices: list[dict[str, object]] = []


class Ours(Adapter):
    """Implements docs/protocol.md."""

    table = OurTable

    async def join(self, table: Table, seat: int) -> Socket:
        assert isinstance(table, OurTable)
        guest = await Guest.new(self.port)
        if seat == 0:
            table.game = await guest.open_table(table.players)
        person = await guest.join(self, table.game, table=table, seat=seat)
        if seat < table.players:
            await person.sit()
            table.people.append(person)
        if seat == table.players - 1:
            await start(table.people)
            table.people.clear()
        return person.socket

    def act(self, table: Table) -> None:
        assert isinstance(table, OurTable)
        pick = table.chance.choice
        choice = pick(table.choices)
        for _ in range(_TRIES):
            if choice.get("to") != "goal":
                break
            choice = pick(table.choices)
        if choice.get("to") == "goal" and choice["final"]:
            # The last pirate stays: a game that is won before its time leaves its table with nothing to measure.
            # Where all choices lead there, about once in a thousand games of 460 actions, it is won (`is_over`).
            others = [other for other in table.choices if other.get("to") != "goal"]
            choice = pick(others or table.choices)
        table.actor.send(
            b'{"do":"act","id":"bench%08d","version":%d,"action":%b}'
            % (table.seq, table.seq, orjson.dumps(choice["action"]))
        )

    def heard(self, socket: Socket, payload: bytes) -> None:
        is_to_act = b'"choices":' in payload
        if is_to_act:
            frame = orjson.loads(payload)
            if frame["t"] == "refused":
                self.load.failed(payload)
                return
            table = socket.table
            assert isinstance(table, OurTable)
            table.seq, table.choices, table.actor = frame["seq"], frame["choices"], socket
        elif _FINISHED in payload:
            socket.table.is_over = True
        if payload.startswith(b'{"t":"events"'):
            self.update(socket, len(payload), is_to_act=is_to_act)
        else:
            socket.give(payload)
            if payload.startswith(b'{"t":"refused"'):
                self.load.failed(payload)
