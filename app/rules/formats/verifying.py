"""Replay a record to every position, verify its chance and its result, place its players."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from app.rules.core.action import Resign
from app.rules.core.chance import bot_nonce, commitment_of, seal_of
from app.rules.core.engine import apply, new_game
from app.rules.core.errors import BadRecord, RuleError
from app.rules.core.event import Event
from app.rules.core.position import Position
from app.rules.formats.record import Record, RecordReason, VoidRound


def replay(record: Record) -> Iterator[tuple[Position, tuple[Event, ...]]]:
    """The first position with no events, then each position with what led to it."""
    position = new_game(record.options, record.seed)
    yield position, ()
    for number, move in enumerate(record.moves, 1):
        try:
            position, events = apply(position, move.seat, move.action)
        except RuleError as refusal:
            sentence = f"Action {number} of the record cannot be played: {refusal.message}"
            raise BadRecord(sentence, RecordReason.record_unplayable, n=number) from refusal
        yield position, events


def verify(record: Record, *, scheme: int | None = None) -> Position:
    """Recompute commitment, seals, board, every card and the result; return the last position. Raises BadRecord.

    `scheme` is the scheme of the table, where the caller knows it from elsewhere: from the room, or from what its
    client has kept. Without it a record of scheme 1 is refused: nothing binds its nonces, so the record of a sealed
    game with its seals taken out would look the same.
    """
    _check_scheme(record, scheme)
    if commitment_of(record.server_seed) != record.commitment:
        raise BadRecord("The server's seed does not fit the commitment that was shown before the game.")
    _check_nonces(record)
    last, _ = deque(replay(record), maxlen=1)[0]
    if record.reason == "aborted":
        if record.winner is not None or record.places is not None or last.winner is not None:
            raise BadRecord("A game that was aborted has no winner and no places.")
        return last
    if record.reason == "resigned" and record.winner is None:
        return _given_up(record, last)
    if last.winner is None:
        raise BadRecord("The record says that the game was won, but its actions do not end it.")
    if last.winner != record.winner:
        raise BadRecord(f"The record names winner {record.winner}, but its actions lead to {last.winner}.")
    reason = "goal" if _is_home(last) else "resigned"
    if reason != record.reason:
        raise BadRecord(f"The record says the game ended by {record.reason}, but it ended by {reason}.")
    if record.places != tuple(places(last)):
        raise BadRecord("The places in the record are not those of the last position.")
    return last


def _check_scheme(record: Record, scheme: int | None) -> None:
    if scheme is None and record.scheme == 1:
        raise BadRecord(
            "Nothing in a record of scheme 1 shows where its nonces came from: a sealed game whose seals were "
            "taken out looks the same. If you know that its table was not sealed, say so (--scheme 1)."
        )
    if scheme not in (None, record.scheme):
        raise BadRecord(f"The table had scheme {scheme}, but the record has scheme {record.scheme}.")


def _given_up(record: Record, last: Position) -> Position:
    """Every person has resigned and several bots were left: the server has ended the game."""
    is_person = [bot is None for _, bot in record.players]
    if last.winner is not None or not any(is_person):
        raise BadRecord("The record says that every person gave up, but its actions do not.")
    if not all(last.resigned[seat] for seat, is_somebody in enumerate(is_person) if is_somebody):
        raise BadRecord("The record says that every person gave up, but its actions do not.")
    order = [move.seat for move in record.moves if isinstance(move.action, Resign)]
    if record.places != tuple(places_of_resigned(len(is_person), order)):
        raise BadRecord("The places in the record are not those of the order in which people gave up.")
    return last


def _is_home(position: Position) -> bool:
    return position.winner is not None and position.pirates[position.winner][0] == position.ruleset.route.goal


def spaces_reached(position: Position, seat: int) -> int:
    """How far the pirates of a seat have come, all together."""
    route = position.ruleset.route
    total = 0
    for place in position.pirates[seat]:
        name = route.names[place]
        if isinstance(name, int):
            total += name
        elif place == route.goal:
            total += len(route.symbols) + 1
        elif place == route.sloop:
            # Aboard counts as the last space of the passage.
            total += route.sloop - 1
    return total


def places(position: Position) -> list[int]:
    """Of each seat its place, the winner first; equal ones share one."""
    route = position.ruleset.route

    def rank(seat: int) -> tuple[bool, int, int, int]:
        return (
            seat == position.winner,
            position.pirates[seat].count(route.goal),
            spaces_reached(position, seat),
            position.held[seat],
        )

    ranks = [rank(seat) for seat in range(len(position.pirates))]
    return [1 + sum(other > own for other in ranks) for own in ranks]


def places_of_resigned(players: int, order: Sequence[int]) -> list[int]:
    """Places where only bots are left in: they share the first; who gave up follows, who was first to is last.

    `order` is that of giving up.
    """
    return [players - order.index(seat) if seat in order else 1 for seat in range(players)]


def _check_nonces(record: Record) -> None:
    """All that can be known of where the seed came from; raises BadRecord."""
    if record.scheme == 3:
        return  # it follows from the secret and the day alone
    is_bot = [bot is not None for _, bot in record.players]
    for seat, nonce in enumerate(record.nonces):
        # Else a server could try nonces for its bots, once it knows the people's, until a deck pleases it.
        if is_bot[seat] and nonce != bot_nonce(record.server_seed, seat):
            raise BadRecord(f"The nonce of the bot on seat {seat} does not follow from the server's seed.")
    if record.scheme == 1:
        return
    _check_seals(record, is_bot)
    for number, voided in enumerate(record.void_rounds, 1):
        _check_void_round(record.commitment, number, voided)
    of_rounds = (seal for voided in record.void_rounds for seal in voided.seals)
    shown = [seal for seal in (*record.seals, *of_rounds) if seal is not None]
    if len(shown) != len(set(shown)):
        raise BadRecord(
            "A seal was used twice. Every seat seals anew after a void round, so all seals differ."
        )


def _check_seals(record: Record, is_bot: Sequence[bool]) -> None:
    """Each person's nonce fits the seal that was frozen for it; bots have none."""
    for seat, (seal, nonce, bot) in enumerate(zip(record.seals, record.nonces, is_bot, strict=True)):
        if bot:
            if seal is not None:
                raise BadRecord(f"Seat {seat} is a bot's: it has no seal.")
        elif seal is None or seal_of(record.commitment, nonce) != seal:
            raise BadRecord(
                f"The nonce of seat {seat} does not fit the seal that was frozen before the start."
            )


def _check_void_round(commitment: str, number: int, voided: VoidRound) -> None:
    """Each nonce that was opened fits its seal, and each seat that is blamed had a seal and did not open it."""
    what = f"Void round {number}"
    for seat, (seal, nonce) in enumerate(zip(voided.seals, voided.nonces, strict=True)):
        if nonce is not None and (seal is None or seal_of(commitment, nonce) != seal):
            raise BadRecord(f"{what}: the nonce of seat {seat} does not fit its seal.")
    if not voided.missing:
        raise BadRecord(f"{what} was void although nobody was missing.")
    for seat in voided.missing:
        if voided.seals[seat] is None:
            raise BadRecord(f"{what} blames seat {seat}, which had nothing to open.")
        if voided.nonces[seat] is not None:
            raise BadRecord(f"{what} blames seat {seat}, which opened.")
