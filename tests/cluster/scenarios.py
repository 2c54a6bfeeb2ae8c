"""Scenarios on a cluster, each with its amount of load: small in every run, large in tests/soak."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partial
from random import Random
from typing import Any

from app.play.bot_pace import is_turn_spent
from app.play.log.fold import fold
from app.play.log.table import Table
from app.play.schedule.due import CLOCK_GRACE_MS
from tests.cluster.workers import (
    TIMEOUT_SECONDS,
    PersistentClient,
    as_server,
    clients_at,
    log_of,
    reconnect_at,
    restart_worker,
)
from tests.sockets.client import Client, Message, Refused, good_choice, new_command_id
from tools.cluster import Cluster


async def attempt(client: Client, action: Message, version: int) -> str:
    """Return `accepted` or the code of the refusal."""
    try:
        await client.act(action, version=version)
    except Refused as refused:
        shown = refused.message["state"]["seq"]
        return refused.code if shown > version else f"{refused.code}, but shown {shown} for {version}"
    return "accepted"


def any_choice(client: Client, chance: Random) -> Message:
    """Return a random choice of the client as an action."""
    action: Message = chance.choice(client.choices)["action"]
    return good_choice(client) if action["type"] == "discard" else action  # with its cards filled in


async def race(cluster: Cluster, rounds: int) -> int:
    """Let two devices of one player, on two workers, repeatedly send a move for the same version.

    Return the number of rounds: the game may end early.
    """
    one, two, three = cluster.workers
    async with clients_at(one.base) as (clients,):
        ann, bo = await clients.game(2, "tortuga")
        phone = await reconnect_at(clients, ann, two)
        far_bo = await reconnect_at(clients, bo, three)
        devices, others = (ann, phone), (bo, far_bo)
        chance = Random(5)
        raced = 0
        while raced < rounds and ann.table["status"] == "running":
            version = ann.seq
            racers = devices if ann.choices else others
            actions = [any_choice(racers[0], chance) for _ in racers]
            codes = await asyncio.gather(
                *(attempt(each, action, version) for each, action in zip(racers, actions, strict=True))
            )
            assert sorted(codes) == ["accepted", "stale"]
            everyone = (*devices, *others)
            await asyncio.gather(*(each.reaches(version + 1) for each in everyone))
            assert {each.seq for each in everyone} == {version + 1}
            raced += 1
        _, entries = await log_of(cluster, ann.game)
        assert [entry.seq for entry in entries] == list(range(1, ann.seq + 1))
        return raced


async def sweep(cluster: Cluster, tables: int, clock_moves: int, bot_moves: int) -> None:
    """Let clocks run out among bots while three workers sweep: everything due happens once."""
    wishes: dict[str, Any] = {
        "bots": ["cabin-boy"],
        "clock": {"kind": "turn", "seconds": 5},
        "absence": 0,
        "pace": 100,
    }
    async with clients_at(*(worker.base for worker in cluster.workers)) as groups:
        games = []
        for number in range(tables):
            clients = groups[number % len(groups)]
            (host,) = await clients.game(1, "tortuga", **wishes)
            games.append(await reconnect_at(clients, host, cluster.workers[(number + 1) % len(groups)]))

        for game in games:
            await game.until(partial(is_served, game, clock_moves, bot_moves), TIMEOUT_SECONDS)
            if game.table["status"] == "running":
                await game.command("act", version=game.seq, action={"type": "resign"})
        for game in games:
            await assert_nothing_came_too_early(cluster, game.game)


def is_served(client: Client, clock_moves: int, bot_moves: int) -> bool:
    """Return whether clock and bots have made this many moves, or the game is over."""
    by = Counter(message.get("by") for message in client.of("events"))
    return (by["clock"] >= clock_moves and by["bot"] >= bot_moves) or client.table["status"] != "running"


async def assert_nothing_came_too_early(cluster: Cluster, game: str) -> None:
    """Assert that nothing happened before it was due, as a duplicate would."""
    row, entries = await log_of(cluster, game)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    table = Table.from_row(row)
    for entry in entries:
        if entry.by == "bot":
            assert entry.at >= table.acts_since + (0 if is_turn_spent(table) else table.terms.pace)
        if entry.by == "clock":
            assert table.clocks is not None
            assert entry.seat in table.clocks.list_expired(entry.at, CLOCK_GRACE_MS)
        fold(table, entry)


class Pair:
    """Two players at one table who keep playing through the proxy until stopped."""

    def __init__(self, people: list[Client], seed: int) -> None:
        self.people = [PersistentClient(person) for person in people]
        self.chance = Random(seed)
        self.is_stopping = False

    @property
    def is_over(self) -> bool:
        return any(one.client.table.get("status") not in (None, "running") for one in self.people)

    async def play(self) -> None:
        while not self.is_stopping and not self.is_over:
            for one in self.people:
                await one.ensure_connected()
            actor = next((one for one in self.people if one.client.choices), None)
            if actor is None:
                await asyncio.sleep(0.01)  # some frames are still on their way
                continue
            await actor.act(any_choice(actor.client, self.chance))
            await asyncio.sleep(0.03)  # think time: the cores are shared with the workers


async def roll_under_load(cluster: Cluster, games: int, rounds: int) -> tuple[int, int]:
    """Restart workers one by one under load: the log has every accepted action once, and nothing else.

    Return how many actions were accepted, and how often a client had to resume.
    """
    async with clients_at(cluster.base) as (clients,):
        tables = [Pair(await clients.game(2, "tortuga"), seed) for seed in range(games)]
        playing = [asyncio.create_task(table.play()) for table in tables]
        for _ in range(rounds):
            for worker in cluster.workers:
                await restart_worker(worker)
        for table in tables:
            table.is_stopping = True
        await asyncio.gather(*playing)
        accepted = 0
        for table in tables:
            await assert_log_is_what_was_accepted(cluster, table)
            accepted += sum(len(one.acked) for one in table.people)
        resumed = sum(one.resumed for table in tables for one in table.people)
        return accepted, resumed


async def assert_log_is_what_was_accepted(cluster: Cluster, table: Pair) -> None:
    game = table.people[0].client.game
    row, entries = await log_of(cluster, game)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    acknowledged = {command: seq for one in table.people for command, seq in one.acked.items()}
    written = {entry.command: entry.seq for entry in entries if entry.kind == "action"}
    assert written == acknowledged
    replayed = Table.from_row(row)
    for entry in entries:  # and the rules agree with every one of them
        fold(replayed, entry)


async def kill(cluster: Cluster, times: int) -> None:
    """Kill a worker with kill -9 during a command: its clients continue elsewhere, and the command is applied once."""
    one, two, three = cluster.workers
    async with clients_at(two.base, three.base) as (clients, watchers):
        ann, bo = (PersistentClient(client) for client in await clients.game(2, "tortuga"))
        watcher = await (await watchers.person()).join(ann.client.game)
        for _ in range(times):
            for each in (ann, bo):
                await each.client.leave()
                each.client.server = as_server(one.base)  # both at the worker that will die
                await each.ensure_connected()
            actor = ann if ann.client.choices else bo
            version, command = actor.client.seq, new_command_id()
            action = actor.client.choices[0]["action"]
            await actor.client.say("act", id=command, version=version, action=action)
            one.kill()
            for each in (ann, bo):
                await each.client.is_closed()
                each.client.server = as_server(three.base)
                await each.ensure_connected()
            again = await actor.client.command("act", id=command, version=version, action=action)
            assert again["seq"] == version + 1
            await watcher.reaches(version + 1)
            _, entries = await log_of(cluster, actor.client.game)
            assert [entry.seq for entry in entries if entry.command == command] == [version + 1]
            cluster.heal()
        for _ in range(6):
            await (ann if ann.client.choices else bo).act(
                next(each for each in (ann, bo) if each.client.choices).client.choices[0]["action"]
            )
            await asyncio.gather(
                *(each.client.reaches(max(ann.client.seq, bo.client.seq)) for each in (ann, bo))
            )
