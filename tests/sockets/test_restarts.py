"""The server in a separate process: stopped, killed and restarted during games."""

from __future__ import annotations

import signal
from pathlib import Path

from sqlalchemy import text

from app.store.database import open_database
from tests.databases import begin, connect
from tests.sockets.client import Clients, advance, play_out
from tests.sockets.running_server import forked
from tools.soak.fork_server import ForkServer

DAY_MS = 86_400_000


async def test_kill_and_restart_during_a_game_loses_and_repeats_nothing(
    fork_server: ForkServer, database_url: str, tmp_path: Path
) -> None:
    async with forked(fork_server, database_url, tmp_path) as server:
        clients = Clients(server)
        seated = await clients.game(3, "tortuga")
        ann = seated[0]
        for stop in (signal.SIGKILL, signal.SIGTERM):
            await play_out(seated, actions=12)
            actor = next(client for client in seated if client.choices)
            seq, action = actor.seq, actor.choices[0]["action"]
            command = f"cut-off-{stop}-0000"
            # Sent while the server goes down; the log decides whether it was accepted.
            await actor.say("act", id=command, version=seq, action=action)
            await server.stop(stop)
            for client in seated:
                await client.is_closed()
            if stop == signal.SIGTERM:
                assert {client.closed_with for client in seated} == {4000}
            await server.start()
            for client in seated:
                await client.join(client.game, resume=True)
            answer = await actor.command("act", id=command, version=seq, action=action)
            assert answer["seq"] == seq + 1
            for client in seated:
                await client.reaches(actor.seq)
            assert actor.seq == seq + 1
        await play_out(seated)
        numbers = [message["seq"] for message in ann.log if message["t"] in ("events", "table")]
        assert numbers == sorted(set(numbers))
        await clients.close()
    assert "Traceback" not in server.said()


async def test_a_correspondence_deadline_survives_a_restart(
    fork_server: ForkServer, database_url: str, tmp_path: Path
) -> None:
    async with forked(fork_server, database_url, tmp_path) as server:
        clients = Clients(server)
        ann, bo = await clients.game(2, clock={"kind": "days", "days": 1})
        assert ann.clock is not None
        assert ann.clock["left"] == [DAY_MS, DAY_MS]
        await ann.act(advance(ann))
        await server.stop()
        await _a_day_goes_by(database_url)
        await server.start()
        await bo.join(bo.game)
        await bo.until(lambda: bo.choices)
        by_clock = [m for m in bo.of("events") if m.get("by") == "clock"]
        assert by_clock or bo.of("state")
        assert bo.view is not None
        assert bo.view["turn"]["seat"] == 1
        await clients.close()
    assert "Traceback" not in server.said()


async def _a_day_goes_by(database_url: str) -> None:
    """Make the game's entries a day older but not the heartbeat, so that no outage is credited."""
    database = open_database(database_url)
    async with begin(database) as run:
        await run.execute(text(f"UPDATE log SET at = at - {DAY_MS}"))
        await run.execute(text(f"UPDATE due SET at = at - {DAY_MS}"))
    await database.close()


async def test_downtime_is_credited_to_the_clock(
    fork_server: ForkServer, database_url: str, tmp_path: Path
) -> None:
    async with forked(fork_server, database_url, tmp_path) as server:
        clients = Clients(server)
        ann, bo = await clients.game(2, clock={"kind": "turn", "seconds": 20}, absence=0)
        await server.kill()
        database = open_database(database_url)
        async with begin(database) as run:  # the server was gone for an hour
            for table in ("log", "due", "beats"):
                await run.execute(text(f"UPDATE {table} SET at = at - 3600000"))
        await database.close()
        await server.start()
        for client in (ann, bo):
            await client.join(client.game, resume=True)
        await ann.act(advance(ann))  # not late, though an hour has gone by
        await bo.reaches(ann.seq)
        async with connect(database) as run:
            kinds = [row[0] for row in await run.execute(text("SELECT kind FROM log ORDER BY game, seq"))]
        assert kinds[-2:] == ["credited", "action"]
        await database.close()
        await clients.close()
    assert "Traceback" not in server.said()
