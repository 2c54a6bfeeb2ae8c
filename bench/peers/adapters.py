"""Protocol adapters of the peers: boardgame.io (socket.io), Colyseus, and the bare broadcasts."""

from __future__ import annotations

import json
from pathlib import Path

from bench.peers.client import BINARY, Socket, connect, post
from bench.peers.load import Adapter, Load, Table

__all__ = ["BoardgameIo", "Broadcast", "Colyseus", "ColyseusSameJob", "ScriptedTable"]

_SCRIPT = json.loads((Path(__file__).resolve().parent / "script.json").read_text())


class ScriptedTable(Table):
    """A table of a peer, whose next action comes from the script."""

    __slots__ = ("actions", "at", "done", "id", "keys")

    def __init__(self, load: Load, number: int, players: int) -> None:
        super().__init__(load, number, players)
        self.actions: list[tuple[int, int]] = _SCRIPT[str(players)]["actions"]
        self.at = 0
        self.done = 0
        self.id = ""
        self.keys: dict[int, str] = {}

    def next(self) -> tuple[int, int]:
        seat, action = self.actions[self.at]
        self.at = (self.at + 1) % len(self.actions)
        self.done += 1
        return seat, action

    @property
    def to_act(self) -> int:
        """Return the seat that plays the next action."""
        return self.actions[self.at][0]


class Broadcast(Adapter):
    """No game: every client message is broadcast to the room as a text of 1.5 KB."""

    table = ScriptedTable

    async def join(self, table: Table, seat: int) -> Socket:
        socket = await connect(self, self.port, f"/ws?room={table.number}", table=table, seat=seat)
        await socket.hear()
        return socket

    def act(self, table: Table) -> None:
        assert isinstance(table, ScriptedTable)
        seat, action = table.next()
        table.sockets[seat].send(b'{"a":%d,"n":%d}' % (action, table.done))

    def heard(self, socket: Socket, payload: bytes) -> None:
        if payload.startswith(b'{"w'):
            socket.give(payload)
        else:
            self.update(socket, len(payload), is_to_act=False)


class BoardgameIo(Adapter):
    """engine.io 4 and socket.io over one WebSocket; matches are created and joined over HTTP."""

    table = ScriptedTable

    async def join(self, table: Table, seat: int) -> Socket:
        assert isinstance(table, ScriptedTable)
        if seat == 0:
            made, _ = await post(self.port, "/games/cartagena/create", {"numPlayers": table.players})
            table.id = made["matchID"]
        if seat < table.players:
            wish = {"playerID": str(seat), "playerName": f"p{seat}"}
            joined, _ = await post(self.port, f"/games/cartagena/{table.id}/join", wish)
            table.keys[seat] = joined["playerCredentials"]
        socket = await connect(
            self, self.port, "/socket.io/?EIO=4&transport=websocket", table=table, seat=seat
        )
        await socket.hear()
        return socket

    def act(self, table: Table) -> None:
        assert isinstance(table, ScriptedTable)
        version = table.done
        seat, action = table.next()
        table.sockets[seat].send(
            b'42/cartagena,["update",{"type":"MAKE_MOVE","payload":{"type":"act","args":[%d],'
            b'"playerID":"%d","credentials":"%b"}},%d,"%b","%d"]'
            % (action, seat, table.keys[seat].encode(), version, table.id.encode(), seat)
        )

    def heard(self, socket: Socket, payload: bytes) -> None:
        if payload.startswith((b'42/cartagena,["update"', b'42/cartagena,["patch"')):
            self.update(socket, len(payload), is_to_act=False)
        elif payload.startswith(b"0"):
            socket.send(b"40/cartagena,")
        elif payload.startswith(b"40/"):
            table = socket.table
            assert isinstance(table, ScriptedTable)
            is_player = socket.seat < table.players
            asked = [
                "sync",
                table.id,
                str(socket.seat) if is_player else None,
                table.keys[socket.seat] if is_player else None,
                table.players,
            ]
            socket.send(b"42/cartagena," + json.dumps(asked).encode())
        elif payload.startswith(b'42/cartagena,["sync"'):
            socket.give(payload)
        elif payload == b"2":
            socket.send(b"3")
        elif payload.startswith(b"44"):
            self.load.failed(payload)


class Colyseus(Adapter):
    """Seats are reserved over HTTP; the first byte of a socket message is its type."""

    table = ScriptedTable
    _ERROR, _JOINED, _STATE, _MESSAGE, _PATCH = 11, 10, 14, 13, 15

    async def join(self, table: Table, seat: int) -> Socket:
        assert isinstance(table, ScriptedTable)
        if seat == 0:
            wish = {"players": table.players, "seat": 0}
            seated, _ = await post(self.port, "/matchmake/create/cartagena", wish)
            table.id = seated.get("roomId") or seated["room"]["roomId"]
        else:
            seated, _ = await post(self.port, f"/matchmake/joinById/{table.id}", {"seat": seat})
        process = seated.get("processId") or seated["room"]["processId"]
        path = f"/{process}/{table.id}?sessionId={seated['sessionId']}"
        socket = await connect(self, self.port, path, table=table, seat=seat)
        await socket.hear()
        return socket

    def act(self, table: Table) -> None:
        assert isinstance(table, ScriptedTable)
        seat, action = table.next()
        if action < 128:
            number = bytes((action,))
        elif action < 256:
            number = bytes((0xCC, action))
        else:
            number = b"\xcd" + action.to_bytes(2, "big")
        table.sockets[seat].send(bytes((self._MESSAGE, 0xA3)) + b"act" + number, BINARY)

    def heard(self, socket: Socket, payload: bytes) -> None:
        kind = payload[0] & 31
        if kind == self._PATCH:
            if socket.table.is_under_way:  # messages about a joining player are not answers
                self.update(socket, len(payload), is_to_act=False)
        elif kind == self._JOINED:
            socket.send(bytes((self._JOINED,)), BINARY)
        elif kind == self._STATE:
            socket.give(payload)
        elif kind in (self._ERROR, self._MESSAGE):
            self.load.failed(payload)


class ColyseusSameJob(Colyseus):
    """The next seat has the whole update only with the list of choices, which follows the patch."""

    _CHOICES = bytes((Colyseus._MESSAGE, 0xA7)) + b"choices"

    def heard(self, socket: Socket, payload: bytes) -> None:
        table = socket.table
        assert isinstance(table, ScriptedTable)
        is_list = payload.startswith(self._CHOICES)
        is_patch_before_list = payload[0] & 31 == self._PATCH and socket.seat == table.to_act
        if not is_list and not is_patch_before_list:
            super().heard(socket, payload)
        elif not table.is_under_way:
            return  # messages about a joining player
        elif is_list:
            self.update(socket, len(payload), is_to_act=True)
        else:
            self.load.bytes += len(payload)
            self.load.bytes_to_act += len(payload)
