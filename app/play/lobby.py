"""The lobby: lists of open tables, games to watch and one's own unfinished games, with changes pushed to clients."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from app.play import frames
from app.play.context import Context
from app.play.engines import CHANCE_SCHEMES
from app.play.frames import Frame
from app.play.list_rows import build_each, is_waiting_for
from app.play.log.clocks import CLOCK_CLASSES
from app.play.log.entries import GameRow, GameSummary, OwnTurns
from app.play.log.table import Table
from app.play.log.terms import Terms, parse_stored_terms
from app.play.ports import Actor, Listener, News, StoreUnavailable
from app.play.presence import Presence
from app.play.room.rooms import Rooms
from app.rules.catalogue import CATALOGUE, MODULES_GROUP

MAX_LISTED_GAMES = 100
MAX_LIST_PAGES = 5  # of games that are read for a list, most of which may have no client
MAX_COUNTED_GAMES = 400  # more than a person may have unfinished
LISTS_CACHE_MS = 1000  # even without a change, because the numbers of spectators are not pushed
_MODULE_OPTIONS = [spec.name for spec in CATALOGUE if spec.group == MODULES_GROUP]


class LobbyFilter(msgspec.Struct, frozen=True):
    """The tables that a client wants to see; None matches all."""

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
    """One client in the lobby. With `is_own_only` it receives only the list of its person's own games."""

    __slots__ = ("_held", "actor", "filter", "is_own_only", "listener")

    def __init__(self, actor: Actor, listener: Listener) -> None:
        self.actor = actor
        self.is_own_only = False
        self.listener = listener
        self.filter = LobbyFilter()
        self._held: list[Frame] | None = None

    def send(self, frame: Frame) -> None:
        if self._held is not None:
            self._held.append(frame)
        else:
            self.listener.send(frame)

    def hold_changes(self) -> None:
        """Hold back changes while the lists are read; the lists would overwrite them."""
        self._held = []

    def send_held_changes(self) -> None:
        held, self._held = self._held or [], None
        for frame in held:
            self.listener.send(frame)


class Lobby:
    """The clients in the lobby of one worker, and the lists and changes sent to them."""

    def __init__(self, context: Context, rooms: Rooms) -> None:
        self._context = context
        self._rooms = rooms
        self.subscribers: set[LobbySubscriber] = set()
        self._visitors: set[LobbySubscriber] = set()  # those that receive the public lists
        self._people: dict[str, set[LobbySubscriber]] = {}  # person → their sockets in this worker's lobby
        self.change_count = 0  # of anything in the lists, as far as this worker knows
        self._cached_lists: dict[
            str, tuple[int, int, list[dict[str, Any]]]
        ] = {}  # list → changes, when, its rows

    def enter(self, subscriber: LobbySubscriber) -> None:
        """Send this subscriber every change from now on, and follow news that other workers have for its person."""
        if subscriber not in self.subscribers:
            self.subscribers.add(subscriber)
            for person in subscriber.actor.ids:
                if person not in self._people:
                    self._people[person] = set()
                    self._context.bus.follow(lobby_topic(person))
                self._people[person].add(subscriber)
        if subscriber.is_own_only:  # a second hello may change it
            self._visitors.discard(subscriber)
        else:
            self._visitors.add(subscriber)

    def leave(self, subscriber: LobbySubscriber) -> None:
        if subscriber in self.subscribers:
            self.subscribers.discard(subscriber)
            self._visitors.discard(subscriber)
            for person in subscriber.actor.ids:
                self._people[person].discard(subscriber)
                if not self._people[person]:
                    del self._people[person]
                    self._context.bus.unfollow(lobby_topic(person))

    def on_turn_changed(self, table: Table, presence: Presence, at: int) -> None:
        """Send a change of turn, which public lists do not show, to the table's players in any worker's lobby."""
        bus = self._context.bus
        if bus.is_single_worker and not self._people:
            return
        people = [seat.person for seat in table.seats if seat.person]
        is_here = not self._people.keys().isdisjoint(people)
        topics = () if bus.is_single_worker else tuple(filter(bus.has_followers, map(lobby_topic, people)))
        if is_here or topics:
            body = table_news(table, presence, at, with_lists=False)
            if is_here:
                self.on_row_changed(body)
            if topics:
                bus.publish(News("lobby", "lobby", self._context.worker, body), topics)

    async def send_lists(self, subscriber: LobbySubscriber) -> None:
        """Send the present lists, and after them the changes that were held back."""
        subscriber.hold_changes()
        try:
            subscriber.listener.send(frames.encode_frame(await self.build_lists(subscriber)))
        finally:
            subscriber.send_held_changes()

    async def build_lists(self, subscriber: LobbySubscriber) -> frames.LobbyLists:
        """Return the present lists for this subscriber."""
        shown: dict[str, list[dict[str, Any]]] = {
            which: []
            if subscriber.is_own_only
            else [row for row in await self.read_rows(which) if subscriber.filter.matches(row)]
            for which in ("open", "watch")
        }
        return frames.LobbyLists(
            **shown, mine=await self.read_own_games(subscriber.actor), people=len(self._visitors)
        )

    async def read_rows(self, which: str) -> list[dict[str, Any]]:
        """Return a whole list, cached until it changes, for `LISTS_CACHE_MS` at most."""
        now, changes = self._context.clock.now(), self.change_count
        kept = self._cached_lists.get(which)
        if kept is not None and kept[0] == changes and 0 <= now - kept[1] < LISTS_CACHE_MS:
            return kept[2]
        found: dict[str, dict[str, Any]] = {}  # by id: a new game moves the others to a later page
        for page in range(MAX_LIST_PAGES):
            games = await self._context.store.lists.list_games(
                which, MAX_LISTED_GAMES, page * MAX_LISTED_GAMES
            )
            found |= {row["id"]: row for row in build_each(games, self._build_listed_row) if row is not None}
            if len(games) < MAX_LISTED_GAMES or len(found) >= MAX_LISTED_GAMES:
                break
        rows = list(found.values())[:MAX_LISTED_GAMES]
        if self.change_count == changes:  # otherwise the rows may lack a change that was already sent
            self._cached_lists[which] = (changes, now, rows)
        return rows

    def _build_listed_row(self, game: GameRow) -> dict[str, Any] | None:
        """Return the row of a game in the public lists; None if they do not show it now."""
        row = self.build_row(game)
        return row if _has_named_people(row) and self._is_attended(row) else None

    def _is_attended(self, row: dict[str, Any]) -> bool:
        """Return whether the lists show the game: a client is there, or its players are away between their turns."""
        return CLOCK_CLASSES[row["clock"]].is_correspondence or self._rooms.is_attended(row["id"])

    def build_row(self, game: GameRow) -> dict[str, Any]:
        """Return a stored game's row with its spectators and waiting people, whom only loaded rooms know.

        All people of a table that another worker has loaded count as waiting.
        """
        room = self._rooms.get_loaded(game.id)
        if room is None:
            is_elsewhere = self._context.bus.has_followers(game.id)
            people = (
                game.summary.taken - game.summary.bots if is_elsewhere and game.summary is not None else 0
            )
            return build_game_row(game, present=people)
        now = self._context.clock.now()
        present = len(room.presence.list_present_seats(room.table, now))
        return build_game_row(game, room.presence.count_spectators(room.table, now), present)

    async def read_own_games(self, actor: Actor) -> list[dict[str, Any]]:
        """Return the person's unfinished games, those that wait for them first."""
        if not actor.ids:
            return []
        games = await self._context.store.lists.list_games_of(
            actor.ids, unfinished=True, limit=MAX_LISTED_GAMES
        )

        def build(game: GameRow) -> dict[str, Any]:
            return {**self.build_row(game), "my_turn": is_waiting_for(game, actor.ids), "due": game.deadline}

        return sorted(
            build_each(games, build), key=lambda row: (not row["my_turn"], row["due"] or 2**53, -row["at"])
        )

    async def count_turns(self, actor: Actor, besides: str = "") -> OwnTurns:
        """Count the person's unfinished games without the game `besides`, for the navigation of every page."""
        if not actor.ids:
            return OwnTurns(0, 0)
        try:
            turns = await self._context.store.lists.list_turns_of(actor.ids, MAX_COUNTED_GAMES)
        except StoreUnavailable:
            return OwnTurns(0, 0)  # a page is more useful than its count
        waits = {turn.game: turn.is_waiting for turn in turns if turn.game != besides}
        return OwnTurns(len(waits), sum(waits.values()))

    async def on_renamed(self, people: Collection[str]) -> None:
        """Send the rows of renamed people's tables whose rooms are not loaded here."""
        self.change_count += 1
        try:
            games = await self._context.store.lists.list_games_of(
                sorted(people), unfinished=True, limit=MAX_LISTED_GAMES
            )
        except StoreUnavailable:
            return  # the next list has the new names
        stored = (game for game in games if self._rooms.get_loaded(game.id) is None)
        for news in build_each(stored, self._compose_stored_news):
            self.on_row_changed(news)

    def _compose_stored_news(self, game: GameRow) -> dict[str, Any]:
        return stored_game_news(game, is_attended=self._is_attended(build_game_row(game)))

    def on_row_changed(self, body: dict[str, Any]) -> None:
        """Send a row that has changed, here or in another worker; `body` is that of `table_news`."""
        self.change_count += 1
        if not self.subscribers:
            return
        row, lists = body["row"], body["lists"]
        changes = [
            frames.encode_frame(
                frames.LobbyRow(list=which, room=row) if shown else frames.LobbyGone(list=which, id=row["id"])
            )
            for which, shown in lists.items()
        ]
        if changes:
            for subscriber in list(self._visitors):
                if subscriber.filter.matches(row):
                    for frame in changes:
                        subscriber.send(frame)
        for person, is_own_turn in body["people"].items():
            own = self._people.get(person)
            if not own:
                continue
            mine = {**row, "my_turn": is_own_turn, "due": body["due"]}
            change = frames.encode_frame(
                frames.LobbyGone(list="mine", id=row["id"])
                if body["is_over"]
                else frames.LobbyRow(list="mine", room=mine)
            )
            for subscriber in list(own):
                subscriber.send(change)


def lobby_topic(person: str) -> str:
    """Return the bus topic that a worker follows while this person is in its lobby."""
    return f"lobby:{person}"


def table_news(table: Table, presence: Presence | None, now: int, *, with_lists: bool) -> dict[str, Any]:
    """Return the news of a table for lobbies: its row, the lists it is in, its people and whose turn it is.

    Without `presence` no client is there.
    """
    row, awaited = build_table_row(table, presence, now), table.list_awaited_seats()
    people = {
        seat.person: number in awaited and seat.bot is None
        for number, seat in enumerate(table.seats)
        if seat.person
    }
    return {
        "row": row,
        "lists": public_lists(table, row) if with_lists else {},
        "people": people,
        "is_over": table.is_over,
        "due": table.deadline(),
    }


def stored_game_news(game: GameRow, *, is_attended: bool) -> dict[str, Any]:
    """Return the same news for a stored game that is not over."""
    row, summary = build_game_row(game), game.summary
    assert summary is not None
    people = [seat.person for seat in summary.seats if seat.person]
    return {
        "row": row,
        "lists": {
            which: is_shown and is_attended
            for which, is_shown in _list_visibility(parse_stored_terms(game.terms), row).items()
        },
        "people": {person: is_waiting_for(game, (person,)) for person in people},
        "is_over": False,
        "due": game.deadline,
    }


def public_lists(table: Table, row: dict[str, Any]) -> dict[str, bool]:
    """Return for each public list whether it shows the table; empty for an unlisted table, which is never mentioned."""
    lists = _list_visibility(table.terms, row)
    return {**lists, "open": lists["open"] and table.seal_round is None} if lists else lists


def _list_visibility(terms: Terms, row: dict[str, Any]) -> dict[str, bool]:
    if terms.visibility != "open":
        return {}
    return {
        "open": row["status"] == "open"
        and row["bots"] < row["taken"] < row["seats"]
        and _has_named_people(row),
        "watch": row["status"] == "running" and terms.spectators and terms.password_hash is None,
    }


def _has_named_people(row: dict[str, Any]) -> bool:
    """Return whether one of the table's people has not been deleted; games between bots have none."""
    bots: int = row["bots"]
    return row["taken"] == bots or sum(name is not None for name in row["names"]) > bots


def is_for_quick_play(row: dict[str, Any], rules_version: int) -> bool:
    """Return whether the table can begin, and has no password, unusual clock or module."""
    if CHANCE_SCHEMES.get(rules_version) == 1:  # seats without seals: no player can sit down any more
        return False
    return not row["locked"] and CLOCK_CLASSES[row["clock"]].is_for_quick_play and not row["variant"]


def build_table_row(table: Table, presence: Presence | None = None, now: int = 0) -> dict[str, Any]:
    watching = 0 if presence is None else presence.count_spectators(table, now)
    present = 0 if presence is None else len(presence.list_present_seats(table, now))
    return _build_row(
        table.summary(),
        [seat.display_name(table.names) for seat in table.seats if seat.is_taken],
        table.rules_version,
        present,
        id=table.id,
        title=table.title(),
        status=table.status,
        watching=watching,
        clock=table.terms.clock.kind,
        locked=table.terms.password_hash is not None,
        at=table.at,
    )


def build_game_row(game: GameRow, watching: int = 0, present: int = 0) -> dict[str, Any]:
    assert game.summary is not None
    return _build_row(
        game.summary,
        [seat.name for seat in game.summary.seats],
        game.rules_version,
        present,
        id=game.id,
        title=game.terms.get("title", ""),
        status=game.status,
        watching=watching,
        clock=game.terms.get("clock", {}).get("kind", "none"),
        locked=game.terms.get("lock") is not None,
        at=game.updated_at,
    )


def list_variants(options: dict[str, Any]) -> list[str]:
    """Return a table's modules and card rule; a game stored before a module was added has no value for it."""
    variant = [name for name in _MODULE_OPTIONS if options.get(name)]
    if options["card_gain"] != "retreat":
        variant.append(f"card_gain:{options['card_gain']}")
    return variant


def _build_row(
    summary: GameSummary, names: list[str | None], rules_version: int, present: int, **fields: Any
) -> dict[str, Any]:
    options = summary.options
    row = {
        **fields,
        "preset": options["preset"],
        "seats": options["players"],
        "taken": summary.taken,
        "bots": summary.bots,
        "names": names,
        "rated": summary.is_rated,
        "variant": list_variants(options),
    }
    is_found = row["status"] == "open" and is_for_quick_play(row, rules_version)
    return {**row, "waiting": present if is_found else 0}
