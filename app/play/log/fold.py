"""Folding log entries into a table. Equal entries give equal tables."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from app.play.log.auto_start import are_all_ready
from app.play.log.entries import Entry
from app.play.log.fold_seal_rounds import SEAL_ROUND_FOLDS, void_round
from app.play.log.seats import Seat
from app.play.log.series import Series
from app.play.log.table import Table
from app.rules import Event, Position

REMOVAL_MS = 10 * 60_000  # a player whom the host removed cannot sit down again for this long


def fold_copy(
    table: Table, entry: Entry, position: Position | None = None, events: tuple[Event, ...] = ()
) -> tuple[Table, tuple[Event, ...]]:
    """Return the table after the next entry, and the events of an action.

    The given table is not modified: it is in use until the entry is on disk. `position` and `events` are those after an
    action, if they are known already.
    """
    twin = replace(table)
    clocks = table.clocks
    if clocks is not None and clocks.is_timed:  # clocks that never run are shared
        twin.clocks = clocks.copy()
    if entry.kind != "action":  # `_fold_action` replaces what it changes; the other folds modify it in place
        twin.seats = [replace(seat) for seat in table.seats]
        twin.consents = {to: set(seats) for to, seats in table.consents.items()}
        twin.votes = {about: dict(votes) for about, votes in table.votes.items()}
        twin.undo_stack = table.undo_stack[:]
    return twin, fold(twin, entry, position, events)


def fold(
    table: Table, entry: Entry, position: Position | None = None, events: tuple[Event, ...] = ()
) -> tuple[Event, ...]:
    """Fold the next entry into the table in place; return the events of an action."""
    if entry.seq != table.seq + 1:
        raise ValueError(f"entry {entry.seq} does not follow {table.seq} in game {table.id}")
    table.seq = entry.seq
    table.at = entry.at
    table.sent_choices = None
    if entry.kind == "action":
        return _fold_action(table, entry, position, events)
    if entry.who:
        table.change_counts = {**table.change_counts, entry.who: table.change_counts.get(entry.who, 0) + 1}
    _FOLDS[entry.kind](table, entry)
    if table.status == "open":
        if table.series is not None:
            table.series = table.series.with_ready_seats(table.seats, entry.at)
        if table.is_from_screen:
            restarts = table.ready_since is None or entry.kind == "voided"
            table.ready_since = (
                None if not are_all_ready(table) else entry.at if restarts else table.ready_since
            )
    return ()


def _fold_action(
    table: Table, entry: Entry, position: Position | None, events: tuple[Event, ...]
) -> tuple[Event, ...]:
    before, seat, is_person = table.position, entry.seat, entry.by == "person"
    assert before is not None
    if position is None:
        position, events = table.try_action(seat, table.rules.action_from_json(entry.body["action"]))
    table.move_to(position, entry)
    table.action_count += 1
    if position.resigned is not before.resigned:
        table.resign_order = (*table.resign_order, seat)
    if before.turn_seat != seat or position.turn_seat != seat or position.winner is not None:
        table.undo_stack, table.is_undo_closed = [], False
    elif is_person and not table.is_undo_over and table.rules.is_undoable(events):
        table.undo_stack = [*table.undo_stack, before]
    else:
        table.undo_stack, table.is_undo_closed = [], True
    if table.is_rated and is_person:
        table.clock_played -= {seat}
    elif table.is_rated and entry.by == "clock":
        table.clock_played |= {seat}
    if is_person and table.seats[seat].absent:
        table.seats = [replace(place) for place in table.seats]
        table.seats[seat].absent = False
        table.votes = dict(table.votes)
        table.votes.pop(seat, None)
    if position.winner is not None:
        reason = "resigned" if entry.body["action"]["type"] == "resign" else "goal"
        table.end_game("finished", entry, position.winner, reason)
    return events


def _fold_created(table: Table, entry: Entry) -> None:
    """Reserve seats for bots, or for players of the previous game. A game of a deal starts at once."""
    if "deal" in entry.body:
        _start_deal(table, entry)
        return
    for kept in entry.body["kept"]:
        seat = table.seats[kept["seat"]]
        seat.colour = kept.get("colour")
        if "bot" in kept:
            seat.bot, seat.name, seat.ready = kept["bot"], kept["name"], True
        else:
            seat.reserved = kept["person"]
    if entry.body.get("screen"):
        table.is_from_screen, table.host = True, ""
    table.is_rated = bool(entry.body.get("rated"))
    series = entry.body.get("series")
    if series is not None:
        people = tuple(kept["person"] for kept in entry.body["kept"] if "person" in kept)
        table.series = Series(series["after"], series["wins"], people)


def _start_deal(table: Table, entry: Entry) -> None:
    """Seat all players of a deal of the day and start the game."""
    table.deal = entry.body["deal"]
    for taken in entry.body["seats"]:
        seat = table.seats[taken["seat"]]
        seat.person, seat.bot, seat.colour = taken.get("person"), taken.get("bot"), taken["colour"]
        seat.name, seat.ready = taken.get("name"), True
    _start_game(table, entry, table.rules.deal_seed(table.server_seed, entry.body["deal"]))


def _start_game(table: Table, entry: Entry, seed: str) -> None:
    table.status = "running"
    table.started_at = entry.at
    table.clocks = table.terms.clock.start_clocks(len(table.seats), entry.at)
    table.move_to(table.rules.new_game(table.options, seed), entry)


def _fold_seated(table: Table, entry: Entry) -> None:
    body = entry.body
    person = body.get("person")
    if table.series is not None and person is not None:
        table.series = table.series.with_new_id(body["ids"], person)
    for number, seat in enumerate(table.seats):
        if person is not None and seat.person in body["ids"] and number != entry.seat:
            table.seats[number] = Seat()
    seat = table.seats[entry.seat]
    was_ready = seat.ready and seat.person == person
    seat.person, seat.colour = person, body["colour"]
    seat.seal = body.get("seal")
    seat.bot = body.get("bot")
    seat.name = body["name"] if person is None else None
    seat.reserved = None
    seat.is_account = bool(body.get("account"))
    seat.ready = seat.bot is not None or was_ready
    if person in table.removed:
        table.removed = {other: at for other, at in table.removed.items() if other != person}
    if table.is_from_screen and not table.host:
        table.host = person or ""


def _fold_left(table: Table, entry: Entry) -> None:
    has_begun = table.seal_round is not None and entry.seat in table.seal_round.order
    if has_begun:
        void_round(table, [entry.seat], "left")
    person = table.seats[entry.seat].person
    was_host = person == table.host
    if person is not None and entry.body.get("why") == "removed":
        # Removed because their browser was away when the game was to start: they may come back at once.
        table.removed = {**table.removed, person: entry.at + (0 if has_begun else REMOVAL_MS)}
    table.seats[entry.seat] = Seat()
    if was_host:
        table.pass_host_on()


def _fold_colour(table: Table, entry: Entry) -> None:
    table.seats[entry.seat].colour = entry.body["colour"]


def _fold_ready(table: Table, entry: Entry) -> None:
    table.seats[entry.seat].ready = entry.body["ready"]


def _fold_host(table: Table, entry: Entry) -> None:
    """Hand the host role over; with `lock`, set the table's new password hash (new_password.py).

    With `readmit` the host stays, and everyone whom the host removed may sit down again.
    """
    table.host = entry.body["person"]
    if "readmit" in entry.body:
        table.removed = {}
    if "lock" in entry.body:
        table.terms = replace(table.terms, password_hash=entry.body["lock"])


def _fold_started(table: Table, entry: Entry) -> None:
    """Remove the empty seats, combine the nonces into the seed and start the game."""
    table.seats = [table.seats[number] for number in entry.body["order"]]
    table.seal_round = None
    for seat, nonce in zip(table.seats, entry.body["nonces"], strict=True):
        seat.nonce = nonce
    if "seals" in entry.body:
        for seat, seal in zip(table.seats, entry.body["seals"], strict=True):
            seat.seal = seal
    table.options = table.rules.parse_options(entry.body["options"])
    table.is_rated = table.is_rated and table.is_enough_for_rating()
    _start_game(table, entry, table.rules.seed_from(table.server_seed, entry.body["nonces"]))


def _fold_undo(table: Table, entry: Entry) -> None:
    table.action_count -= 1
    table.move_to(table.undo_stack.pop(), entry)


def _fold_consent(table: Table, entry: Entry) -> None:
    to = entry.body["to"]
    if entry.body["yes"]:
        table.consents.setdefault(to, set()).add(entry.seat)
    else:
        table.consents.pop(to, None)


def _fold_paused(table: Table, entry: Entry) -> None:
    table.is_paused = True
    table.consents.clear()
    table.run_clocks(entry.at)


def _fold_continued(table: Table, entry: Entry) -> None:
    table.is_paused = False
    table.consents.clear()
    table.acts_since = entry.at
    table.run_clocks(entry.at)


def _fold_credited(table: Table, entry: Entry) -> None:
    """Give the time of an outage back to running clocks, or to the seal round."""
    began, ended = entry.body["began"], entry.body["ended"]
    table.credited_to = ended
    if table.seal_round is not None:
        since = table.seal_round.since
        table.seal_round = replace(table.seal_round, since=since + max(0, ended - max(began, since)))
        return
    assert table.clocks is not None
    table.clocks.credit_time(began, ended)
    table.acts_since = max(table.acts_since, ended)


def _fold_absent(table: Table, entry: Entry) -> None:
    table.seats[entry.seat].absent = True
    table.votes.pop(entry.seat, None)
    if table.seats[entry.seat].person == table.host:
        others = [seat.person for seat in table.seats if seat.person is not None and not seat.absent]
        table.host = others[0] if others else table.host


def _fold_voted(table: Table, entry: Entry) -> None:
    table.votes.setdefault(entry.body["about"], {})[entry.seat] = entry.body["choice"]


def _end_absence(table: Table, seat: Seat, number: int) -> None:
    seat.absent = False
    table.votes.pop(number, None)


def _fold_waited(table: Table, entry: Entry) -> None:
    number = entry.body["about"]
    _end_absence(table, table.seats[number], number)
    table.acts_since = entry.at


def _fold_takeover(table: Table, entry: Entry) -> None:
    number = entry.body["about"]
    seat = table.seats[number]
    _end_absence(table, seat, number)
    seat.bot = entry.body["level"]
    if table.is_rated:
        table.taken_over |= {number}
        if entry.body.get("why") == "clock":
            table.clock_played |= {number}
    table.undo_stack, table.is_undo_closed = [], True
    table.run_clocks(entry.at)


def _fold_returned(table: Table, entry: Entry) -> None:
    seat = table.seats[entry.seat]
    was_bot = seat.bot is not None
    seat.bot = None
    _end_absence(table, seat, entry.seat)
    table.acts_since = entry.at
    if was_bot:
        table.undo_stack, table.is_undo_closed = [], True
        if table.clocks is not None:
            table.clocks.refill(entry.seat)
        table.run_clocks(entry.at)


def _fold_aborted(table: Table, entry: Entry) -> None:
    """End the game because the players agreed to, or because every person has resigned (forfeit.py).

    The second has no kind of its own: a worker that does not know it still ends the game.
    """
    if entry.body.get("reason") == "resigned":
        places = table.rules.finishing_places_after_resignations(len(table.seats), table.resign_order)
        table.end_game("finished", entry, None, "resigned", places)
    else:
        table.end_game("aborted", entry, None, "aborted")


def _fold_rematch(table: Table, entry: Entry) -> None:
    table.next_game = entry.body["game"]
    table.next_commitment = entry.body["commitment"]
    table.rematch_seq = entry.seq


def _fold_hint(table: Table, entry: Entry) -> None:
    """Do nothing: a hint is only marked in the record."""


def _fold_chat_closed(table: Table, entry: Entry) -> None:
    table.chat_closed = entry.body["closed"]


def _fold_closed(table: Table, entry: Entry) -> None:
    if table.status == "open":
        table.status, table.is_over, table.seal_round = "closed", True, None
        why = entry.body.get("why")
        table.closed_why = "host" if entry.by == "person" else why if why == "empty" else "operator"
        table.ended_at = entry.at
    elif not table.is_over:
        table.end_game("aborted", entry, None, "aborted")


_FOLDS: dict[str, Callable[[Table, Entry], None]] = {
    "created": _fold_created,
    "seated": _fold_seated,
    "left": _fold_left,
    "colour": _fold_colour,
    "ready": _fold_ready,
    "host": _fold_host,
    **SEAL_ROUND_FOLDS,
    "started": _fold_started,
    "undo": _fold_undo,
    "consent": _fold_consent,
    "paused": _fold_paused,
    "continued": _fold_continued,
    "credited": _fold_credited,
    "absent": _fold_absent,
    "voted": _fold_voted,
    "waited": _fold_waited,
    "takeover": _fold_takeover,
    "returned": _fold_returned,
    "aborted": _fold_aborted,
    "rematch": _fold_rematch,
    "hint": _fold_hint,
    "chat_closed": _fold_chat_closed,
    "closed": _fold_closed,
}
