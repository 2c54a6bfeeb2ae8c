"""The lobby: open tables, games to watch, my unfinished games; changes are pushed to whoever listens."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import msgspec

from app.play import frames
from app.play.context import Context
from app.play.frames import Frame
from app.play.log.entries import GameRow, Summary
from app.play.log.table import Table
from app.play.log.terms import Terms, parse_stored
from app.play.ports import Actor, Listener, News, StoreUnavailable
from app.play.room.rooms import Rooms

SHOWN = 100
FRESH = 1000  # how long, in milliseconds, a list may be told again: who watches is not told as a change
_MODULES = ("scoundrels", "black_magic")


class Filter(msgspec.Struct, frozen=True):
    """Which tables somebody wants to see."""

    preset: str | None = None
    seats: int | None = None
    clock: str | None = None
    bots: bool | None = None

    def matches(self, row: dict[str, Any]) -> bool:
        return (
            self.preset in (None, row["preset"])
            and self.seats in (None, row["seats"])
            and self.clock in (None, row["clock"])
            and (self.bots is None or self.bots == (row["bots"] > 0))
        )


class LobbySubscriber:
    """One listener in the lobby."""

    __slots__ = ("_held", "actor", "filter", "listener")

    def __init__(self, actor: Actor, listener: Listener) -> None:
        self.actor = actor
        self.listener = listener
        self.filter = Filter()
        self._held: list[Frame] | None = None

    def tell(self, frame: Frame) -> None:
        if self._held is not None:
            self._held.append(frame)
        else:
            self.listener.tell(frame)

    def hold(self) -> None:
        """The lists are being read: a change told before them would be undone by them."""
        self._held = []

    def release(self) -> None:
        held, self._held = self._held or [], None
        for frame in held:
            self.listener.tell(frame)


class Lobby:
    """Who listens, and what they are told."""

    def __init__(self, context: Context, rooms: Rooms) -> None:
        self._context = context
        self._rooms = rooms
        self.subscribers: set[LobbySubscriber] = set()
        self._people: dict[str, int] = {}  # person → sockets in the lobby of this worker
        self.changes = 0  # of anything that lists show, as far as this worker knows
        self._kept: dict[str, tuple[int, int, list[dict[str, Any]]]] = {}  # list → changes, when, its rows

    def enter(self, subscriber: LobbySubscriber) -> None:
        """From now on it is told every change; and what concerns its person alone is asked of the other workers."""
        if subscriber not in self.subscribers:
            self.subscribers.add(subscriber)
            for person in subscriber.actor.ids:
                self._people[person] = self._people.get(person, 0) + 1
                if self._people[person] == 1:
                    self._context.bus.follow(topic_of(person))

    def leave(self, subscriber: LobbySubscriber) -> None:
        if subscriber in self.subscribers:
            self.subscribers.discard(subscriber)
            for person in subscriber.actor.ids:
                self._people[person] -= 1
                if not self._people[person]:
                    del self._people[person]
                    self._context.bus.unfollow(topic_of(person))

    def turned(self, table: Table, watching: Callable[[], int]) -> None:
        """Whose turn it is has changed, which strangers do not see: told where somebody of this table looks on."""
        bus = self._context.bus
        if bus.is_alone and not self._people:
            return
        people = [seat.person for seat in table.seats if seat.person]
        is_here = not self._people.keys().isdisjoint(people)
        topics = () if bus.is_alone else tuple(filter(bus.hears, map(topic_of, people)))
        if is_here or topics:
            body = news_of(table, watching(), with_lists=False)
            if is_here:
                self.changed(body)
            if topics:
                bus.publish(News("lobby", "lobby", self._context.worker, body), topics)

    async def tell_lists(self, subscriber: LobbySubscriber) -> None:
        """The lists as they are now, and after them every change."""
        subscriber.hold()
        try:
            subscriber.listener.tell(frames.frame_of(await self.snapshot(subscriber)))
        finally:
            subscriber.release()

    async def snapshot(self, subscriber: LobbySubscriber) -> frames.LobbyLists:
        """The lists as they are now."""
        shown = {
            which: [row for row in await self.rows(which) if subscriber.filter.matches(row)]
            for which in ("open", "watch")
        }
        return frames.LobbyLists(
            **shown, mine=await self.mine(subscriber.actor), people=len(self.subscribers)
        )

    async def rows(self, which: str) -> list[dict[str, Any]]:
        """The whole list: read once for all who ask before it changes, and at the latest after a moment."""
        now, changes = self._context.clock.now(), self.changes
        kept = self._kept.get(which)
        if kept is not None and kept[0] == changes and 0 <= now - kept[1] < FRESH:
            return kept[2]
        rows = [self.row(game) for game in await self._context.store.games_listed(which, SHOWN)]
        if self.changes == changes:  # else a change that was told meanwhile may be missing
            self._kept[which] = (changes, now, rows)
        return rows

    def row(self, game: GameRow) -> dict[str, Any]:
        """A stored game's row, with those who watch it as far as this worker knows: nobody writes that down."""
        room = self._rooms.loaded(game.id)
        watching = room.presence.watching(room.table, self._context.clock.now()) if room is not None else 0
        return row_of_game(game, watching)

    async def mine(self, actor: Actor) -> list[dict[str, Any]]:
        """Every unfinished game in which this person sits, theirs to move first."""
        if not actor.ids:
            return []
        games = await self._context.store.games_of(actor.ids, unfinished=True, limit=SHOWN)
        rows = [
            {**self.row(game), "my_turn": is_turn_of(game, actor.ids), "due": game.deadline} for game in games
        ]
        return sorted(rows, key=lambda row: (not row["my_turn"], row["due"] or 2**53, -row["at"]))

    async def renamed(self, people: Collection[str]) -> None:
        """Tables of these people that nobody has loaded here are shown too, and no room tells of them."""
        self.changes += 1
        try:
            games = await self._context.store.games_of(sorted(people), unfinished=True, limit=SHOWN)
        except StoreUnavailable:
            return  # their rows are right in the next list that is read
        for game in games:
            if self._rooms.loaded(game.id) is None:
                self.changed(news_of_game(game))

    def changed(self, body: dict[str, Any]) -> None:
        """A row changed, here or in another worker; see `news_of`."""
        self.changes += 1
        if not self.subscribers:
            return
        row, lists = body["row"], body["lists"]
        told = [
            frames.frame_of(
                frames.LobbyRow(list=which, room=row) if shown else frames.LobbyGone(list=which, id=row["id"])
            )
            for which, shown in lists.items()
        ]
        for subscriber in list(self.subscribers):
            if subscriber.filter.matches(row):
                for frame in told:
                    subscriber.tell(frame)
            turn = next(
                (body["people"][each] for each in subscriber.actor.ids if each in body["people"]), None
            )
            if turn is None:
                continue
            if body["is_over"]:
                subscriber.tell(frames.frame_of(frames.LobbyGone(list="mine", id=row["id"])))
            else:
                mine = {**row, "my_turn": turn, "due": body["due"]}
                subscriber.tell(frames.frame_of(frames.LobbyRow(list="mine", room=mine)))


def topic_of(person: str) -> str:
    """What a worker follows while this person looks at its lobby."""
    return f"lobby:{person}"


def news_of(table: Table, watching: int, *, with_lists: bool) -> dict[str, Any]:
    """What lobbies are told of a table: its row, in which lists it is, whose game it is and whose turn."""
    row, awaited = row_of_table(table, watching), table.awaited()
    people = {
        seat.person: number in awaited and seat.bot is None
        for number, seat in enumerate(table.seats)
        if seat.person
    }
    return {
        "row": row,
        "lists": lists_of(table, row) if with_lists else {},
        "people": people,
        "is_over": table.is_over,
        "due": table.deadline(),
    }


def news_of_game(game: GameRow) -> dict[str, Any]:
    """The same of a stored game that is not over."""
    row, summary = row_of_game(game), game.summary
    assert summary is not None
    people = [seat.person for seat in summary.seats if seat.person]
    return {
        "row": row,
        "lists": _lists(parse_stored(game.terms), row),
        "people": {person: is_turn_of(game, (person,)) for person in people},
        "is_over": False,
        "due": game.deadline,
    }


def lists_of(table: Table, row: dict[str, Any]) -> dict[str, bool]:
    """In which public lists the table stands. Of an unlisted one nothing is said, not even that it went."""
    lists = _lists(table.terms, row)
    return {**lists, "open": lists["open"] and table.round is None} if lists else lists


def _lists(terms: Terms, row: dict[str, Any]) -> dict[str, bool]:
    if terms.visibility != "open":
        return {}
    return {
        "open": row["status"] == "open" and row["bots"] < row["taken"] < row["seats"],
        "watch": row["status"] == "running" and terms.spectators and terms.password_hash is None,
    }


def is_turn_of(game: GameRow, ids: tuple[str, ...]) -> bool:
    """Whether the game waits for one of these ids."""
    if game.summary is None or game.status not in ("open", "running"):
        return False
    to_act = set(game.to_act.split(",")) if game.to_act else set()
    return any(str(s.seat) in to_act and s.person in ids and s.bot is None for s in game.summary.seats)


def row_of_table(table: Table, watching: int) -> dict[str, Any]:
    return _row(
        table.summary(),
        [seat.name_in(table.names) for seat in table.seats if seat.is_taken],
        id=table.id,
        title=table.title(),
        status=table.status,
        watching=watching,
        clock=table.terms.clock.kind,
        locked=table.terms.password_hash is not None,
        at=table.at,
    )


def row_of_game(game: GameRow, watching: int = 0) -> dict[str, Any]:
    assert game.summary is not None
    return _row(
        game.summary,
        [seat.name for seat in game.summary.seats],
        id=game.id,
        title=game.terms.get("title", ""),
        status=game.status,
        watching=watching,
        clock=game.terms.get("clock", {}).get("kind", "none"),
        locked=game.terms.get("lock") is not None,
        at=game.updated_at,
    )


def variant_of(options: dict[str, Any]) -> list[str]:
    """The modules a table plays with."""
    variant = [name for name in _MODULES if options[name]]
    if options["card_gain"] != "retreat":
        variant.append(f"card_gain:{options['card_gain']}")
    return variant


def _row(summary: Summary, names: list[str | None], **row: Any) -> dict[str, Any]:
    options = summary.options
    return {
        **row,
        "preset": options["preset"],
        "seats": options["players"],
        "taken": summary.taken,
        "bots": summary.bots,
        "names": names,
        "variant": variant_of(options),
    }
