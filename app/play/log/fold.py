"""Folding: what the next log entry makes of a table. Equal entries give equal tables."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from app.play.log.beginning import are_all_ready
from app.play.log.entries import Entry
from app.play.log.fold_rounds import ROUND_FOLDS, void_round
from app.play.log.seats import Seat
from app.play.log.series import Series
from app.play.log.table import Clocks, Table
from app.rules import Event, Position


def after(
    table: Table, entry: Entry, position: Position | None = None, events: tuple[Event, ...] = ()
) -> tuple[Table, tuple[Event, ...]]:
    """The table after the next entry, and the events of an action. The given one stays as it is:
    nobody may see an entry before it is on disk, and a reader may hold on to this table meanwhile.

    `position` and `events` of an action, if they have been worked out already.
    """
    twin = replace(table)
    clocks = table.clocks
    if clocks is not None and clocks.terms.kind != "none":  # a clock that never runs is shared
        twin.clocks = clocks.copy()
    if entry.kind != "action":  # an action replaces what it changes; the other folds work in place
        twin.seats = [replace(seat) for seat in table.seats]
        twin.consents = {to: set(seats) for to, seats in table.consents.items()}
        twin.votes = {about: dict(votes) for about, votes in table.votes.items()}
        twin.undo_stack = table.undo_stack[:]
    return twin, fold(twin, entry, position, events)


def fold(
    table: Table, entry: Entry, position: Position | None = None, events: tuple[Event, ...] = ()
) -> tuple[Event, ...]:
    """Put the next entry in place; the events of an action. For a table nobody else holds."""
    if entry.seq != table.seq + 1:
        raise ValueError(f"entry {entry.seq} does not follow {table.seq} in game {table.id}")
    table.seq = entry.seq
    table.at = entry.at
    table.told = None
    if entry.kind == "action":
        return _action(table, entry, position, events)
    if entry.who:
        table.changes = {**table.changes, entry.who: table.changes.get(entry.who, 0) + 1}
    _FOLDS[entry.kind](table, entry)
    if table.status == "open":
        if table.series is not None:
            table.series = table.series.noted(table.seats, entry.at)
        if table.is_from_screen:
            is_anew = table.ready_since is None or entry.kind == "voided"
            table.ready_since = (
                None if not are_all_ready(table) else entry.at if is_anew else table.ready_since
            )
    return ()


def _action(
    table: Table, entry: Entry, position: Position | None, events: tuple[Event, ...]
) -> tuple[Event, ...]:
    before, seat, is_person = table.position, entry.seat, entry.by == "person"
    assert before is not None
    if position is None:
        position, events = table.try_action(seat, table.rules.action_from_json(entry.body["action"]))
    table.move_to(position, entry)
    table.played += 1
    if position.resigned is not before.resigned:
        table.resign_order = (*table.resign_order, seat)
    if before.turn_seat != seat or position.turn_seat != seat or position.winner is not None:
        table.undo_stack, table.is_undo_closed = [], False
    elif is_person and not table.is_undo_closed and table.rules.is_undoable(events):
        table.undo_stack = [*table.undo_stack, before]
    else:
        table.undo_stack, table.is_undo_closed = [], True
    if is_person and table.seats[seat].absent:
        table.seats = [replace(each) for each in table.seats]
        table.seats[seat].absent = False
        table.votes = {about: votes for about, votes in table.votes.items() if about != seat}
    if position.winner is not None:
        reason = "resigned" if entry.body["action"]["type"] == "resign" else "goal"
        table.end("finished", entry, position.winner, reason)
    return events


def _created(table: Table, entry: Entry) -> None:
    """Seats may be kept from the beginning: for bots, or for people of the game before. A deal begins with it."""
    if "deal" in entry.body:
        _dealt(table, entry)
        return
    for kept in entry.body.get("kept", ()):
        seat = table.seats[kept["seat"]]
        seat.colour = kept.get("colour")
        if "bot" in kept:
            seat.bot, seat.name, seat.nonce, seat.ready = kept["bot"], kept["name"], kept.get("nonce"), True
        else:
            seat.reserved = kept["person"]  # older entries have a name here, which may be a former one
    if entry.body.get("screen"):
        table.is_from_screen, table.host = True, ""
    series = entry.body.get("series")
    if series is not None:
        people = tuple(kept["person"] for kept in entry.body["kept"] if "person" in kept)
        table.series = Series(series["after"], series["wins"], people)


def _dealt(table: Table, entry: Entry) -> None:
    """A game of a deal of the day: everybody sits, and the seed lays the table."""
    table.deal = entry.body["deal"]
    for taken in entry.body["seats"]:
        seat = table.seats[taken["seat"]]
        seat.person, seat.bot, seat.colour = taken.get("person"), taken.get("bot"), taken["colour"]
        seat.name, seat.ready = taken.get("name"), True
    _begin(table, entry, table.rules.deal_seed(table.server_seed, entry.body["deal"]))


def _begin(table: Table, entry: Entry, seed: str) -> None:
    table.status = "running"
    table.started_at = entry.at
    clock = table.terms.clock
    table.clocks = Clocks(clock, [clock.full] * len(table.seats), entry.at)
    table.move_to(table.rules.new_game(table.options, seed), entry)


def _seated(table: Table, entry: Entry) -> None:
    body = entry.body
    person = body.get("person")
    if table.series is not None and person is not None:
        table.series = table.series.known_as(body["ids"], person)
    for number, seat in enumerate(table.seats):
        if person is not None and seat.person in body["ids"] and number != entry.seat:
            table.seats[number] = Seat()
    seat = table.seats[entry.seat]
    was_ready = seat.ready and seat.person == person
    seat.person, seat.colour = person, body["colour"]
    seat.nonce, seat.seal = body.get("nonce"), body.get("seal")
    seat.bot = body.get("bot")
    seat.name = body["name"] if person is None else None
    seat.reserved = None
    seat.ready = seat.bot is not None or was_ready
    table.removed -= {person}
    if table.is_from_screen and not table.host:
        table.host = person or ""


def _left(table: Table, entry: Entry) -> None:
    if table.round is not None and entry.seat in table.round.order:
        void_round(table, [entry.seat], "left")
    person = table.seats[entry.seat].person
    was_host = person == table.host
    if person is not None and entry.body.get("why") == "removed":
        table.removed |= {person}
    table.seats[entry.seat] = Seat()
    if was_host:
        table.next_host()


def _colour(table: Table, entry: Entry) -> None:
    table.seats[entry.seat].colour = entry.body["colour"]


def _ready(table: Table, entry: Entry) -> None:
    table.seats[entry.seat].ready = entry.body["ready"]


def _host(table: Table, entry: Entry) -> None:
    """The role is handed on; or, with a lock, its holder has set a new password (password.py)."""
    table.host = entry.body["person"]
    if "lock" in entry.body:
        table.terms = replace(table.terms, password_hash=entry.body["lock"])


def _started(table: Table, entry: Entry) -> None:
    """Seats close up, every nonce is known, the seed lays the table."""
    table.seats = [table.seats[number] for number in entry.body["order"]]
    table.round = None
    for seat, nonce in zip(table.seats, entry.body["nonces"], strict=True):
        seat.nonce = nonce
    if "seals" in entry.body:
        for seat, seal in zip(table.seats, entry.body["seals"], strict=True):
            seat.seal = seal
    table.options = table.rules.parse_options(entry.body["options"])
    _begin(table, entry, table.rules.seed_from(table.server_seed, entry.body["nonces"]))


def _undo(table: Table, entry: Entry) -> None:
    table.played -= 1
    table.move_to(table.undo_stack.pop(), entry)


def _consent(table: Table, entry: Entry) -> None:
    to = entry.body["to"]
    if entry.body["yes"]:
        table.consents.setdefault(to, set()).add(entry.seat)
    else:
        table.consents.pop(to, None)


def _paused(table: Table, entry: Entry) -> None:
    table.is_paused = True
    table.consents.clear()
    table.run_clocks(entry.at)


def _continued(table: Table, entry: Entry) -> None:
    table.is_paused = False
    table.consents.clear()
    table.acts_since = entry.at
    table.run_clocks(entry.at)


def _credited(table: Table, entry: Entry) -> None:
    """No server was there for a while: that time counts for nobody."""
    began, ended = entry.body["began"], entry.body["ended"]
    table.credited_to = ended
    if table.round is not None:
        since = table.round.since
        table.round = replace(table.round, since=since + max(0, ended - max(began, since)))
        return
    assert table.clocks is not None
    table.clocks.credit(began, ended)
    table.acts_since = max(table.acts_since, ended)


def _absent(table: Table, entry: Entry) -> None:
    table.seats[entry.seat].absent = True
    table.votes.pop(entry.seat, None)
    if table.seats[entry.seat].person == table.host:
        others = [seat.person for seat in table.seats if seat.person is not None and not seat.absent]
        table.host = others[0] if others else table.host


def _voted(table: Table, entry: Entry) -> None:
    table.votes.setdefault(entry.body["about"], {})[entry.seat] = entry.body["choice"]


def _present_again(table: Table, seat: Seat, number: int) -> None:
    seat.absent = False
    table.votes.pop(number, None)


def _waited(table: Table, entry: Entry) -> None:
    number = entry.body["about"]
    _present_again(table, table.seats[number], number)
    table.acts_since = entry.at


def _takeover(table: Table, entry: Entry) -> None:
    number = entry.body["about"]
    seat = table.seats[number]
    _present_again(table, seat, number)
    seat.bot = entry.body["level"]
    table.undo_stack, table.is_undo_closed = [], True
    table.run_clocks(entry.at)


def _returned(table: Table, entry: Entry) -> None:
    seat = table.seats[entry.seat]
    was_bot = seat.bot is not None
    seat.bot = None
    _present_again(table, seat, entry.seat)
    table.acts_since = entry.at
    if was_bot:
        table.undo_stack, table.is_undo_closed = [], True
        if table.clocks is not None:
            table.clocks.refill(entry.seat)
        table.run_clocks(entry.at)


def _aborted(table: Table, entry: Entry) -> None:
    """The table has agreed to end it, or every person has resigned (forfeit.py).

    The second is no kind of its own: a worker of the release before folds it too, and ends the game with it.
    """
    if entry.body.get("reason") == "resigned":
        places = table.rules.places_of_resigned(len(table.seats), table.resign_order)
        table.end("finished", entry, None, "resigned", places)
    else:
        table.end("aborted", entry, None, "aborted")


def _rematch(table: Table, entry: Entry) -> None:
    table.next_game = entry.body["game"]
    table.next_commitment = entry.body.get("commitment")
    table.rematch_seq = entry.seq


def _nothing(table: Table, entry: Entry) -> None:
    """A hint changes nothing; it is marked in the record."""


def _chat_closed(table: Table, entry: Entry) -> None:
    table.chat_closed = entry.body["closed"]


def _closed(table: Table, entry: Entry) -> None:
    if table.status == "open":
        table.status, table.is_over, table.round = "closed", True, None
        why = entry.body.get("why")
        table.closed_why = "host" if entry.by == "person" else why if why == "empty" else "operator"
        table.ended_at = entry.at
    elif not table.is_over:
        table.end("aborted", entry, None, "aborted")


_FOLDS: dict[str, Callable[[Table, Entry], None]] = {
    "created": _created,
    "seated": _seated,
    "left": _left,
    "colour": _colour,
    "ready": _ready,
    "host": _host,
    **ROUND_FOLDS,
    "started": _started,
    "undo": _undo,
    "consent": _consent,
    "paused": _paused,
    "continued": _continued,
    "credited": _credited,
    "absent": _absent,
    "voted": _voted,
    "waited": _waited,
    "takeover": _takeover,
    "returned": _returned,
    "aborted": _aborted,
    "rematch": _rematch,
    "hint": _nothing,
    "chat_closed": _chat_closed,
    "closed": _closed,
}
