"""Verification of records: replay all positions, check the seed and the result, and rank the players."""

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
    """Yield the first position with no events, then each next position with its events. Raise BadRecord if illegal."""
    position = new_game(record.options, record.seed)
    yield position, ()
    for number, move_pirate in enumerate(record.moves, 1):
        try:
            position, events = apply(position, move_pirate.seat, move_pirate.action)
        except RuleError as refusal:
            sentence = f"Action {number} of the record cannot be played: {refusal.message}"
            raise BadRecord(sentence, RecordReason.record_unplayable, n=number) from refusal
        yield position, events


def verify(record: Record, *, scheme: int | None = None) -> Position:
    """Recompute commitment, seals, board, all cards and the result. Return the last position, or raise BadRecord.

    `scheme` is the scheme of the table if the caller knows it independently, from the room or from what its client has
    stored. Without it a record of scheme 1 is refused: nothing binds its nonces, so a record of scheme 2 whose seals
    were removed would look the same.
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
        return _verify_all_resigned(record, last)
    if last.winner is None:
        raise BadRecord("The record says that the game was won, but its actions do not finish it.")
    if last.winner != record.winner:
        raise BadRecord(
            f"The record names seat {record.winner} as the winner, but by its actions seat {last.winner} won."
        )
    reason = "goal" if _is_won_at_goal(last) else "resigned"
    if reason != record.reason:
        raise BadRecord(f"The record says the game ended by {record.reason}, but it ended by {reason}.")
    if record.places != tuple(finishing_places(last)):
        raise BadRecord("The places in the record do not fit the last position.")
    return last


def _check_scheme(record: Record, scheme: int | None) -> None:
    if scheme is None and record.scheme == 1:
        raise BadRecord(
            "Nothing in a record of scheme 1 shows where its nonces came from: a sealed game whose seals were "
            "taken out looks the same. If you know that the table was not sealed, pass --scheme 1."
        )
    if scheme not in (None, record.scheme):
        raise BadRecord(f"The table had scheme {scheme}, but the record has scheme {record.scheme}.")


def _verify_all_resigned(record: Record, last: Position) -> Position:
    """Verify a game that the server ended because all people had resigned and several bots were left."""
    is_person = [bot is None for _, bot in record.players]
    if last.winner is not None or not any(is_person):
        raise BadRecord("The record says that all people resigned, but its actions do not.")
    if not all(last.resigned[seat] for seat, is_human in enumerate(is_person) if is_human):
        raise BadRecord("The record says that all people resigned, but its actions do not.")
    order = [move_pirate.seat for move_pirate in record.moves if isinstance(move_pirate.action, Resign)]
    if record.places != tuple(finishing_places_after_resignations(len(is_person), order)):
        raise BadRecord("The places in the record do not fit the order in which people resigned.")
    return last


def _is_won_at_goal(position: Position) -> bool:
    return position.winner is not None and position.pirates[position.winner][0] == position.ruleset.route.goal


def spaces_reached(position: Position, seat: int) -> int:
    """Return the sum of the spaces that a seat's pirates have reached."""
    route = position.ruleset.route
    total = 0
    for place in position.pirates[seat]:
        name = route.names[place]
        if isinstance(name, int):
            total += name
        elif place == route.goal:
            total += len(route.symbols) + 1
        elif place == route.sloop:
            # The sloop counts as the last space of the passage.
            total += route.sloop - 1
    return total


def finishing_places(position: Position) -> list[int]:
    """Return the place in which each seat finished; the winner is first, and equal seats share a place."""
    route = position.ruleset.route

    def rank(seat: int) -> tuple[bool, int, int, int]:
        return (
            seat == position.winner,
            position.pirates[seat].count(route.goal),
            spaces_reached(position, seat),
            position.hand_sizes[seat],
        )

    ranks = [rank(seat) for seat in range(len(position.pirates))]
    return [1 + sum(other > own for other in ranks) for own in ranks]


def finishing_places_after_resignations(players: int, order: Sequence[int]) -> list[int]:
    """Return the places of a game that only bots were left in.

    The bots share first place. The people follow, the first to resign last; `order` lists their seats as they resigned.
    """
    return [players - order.index(seat) if seat in order else 1 for seat in range(players)]


def _check_nonces(record: Record) -> None:
    """Check where the nonces came from, as far as the scheme allows. Raise BadRecord if they do not fit."""
    if record.scheme == 3:
        return  # a deal of the day has no nonces
    is_bot = [bot is not None for _, bot in record.players]
    for seat, nonce in enumerate(record.nonces):
        # Otherwise a server that knows the people's nonces could choose its bots' nonces to get a favourable deck.
        if is_bot[seat] and nonce != bot_nonce(record.server_seed, seat):
            raise BadRecord(f"The nonce of the bot on seat {seat} does not follow from the server's seed.")
    if record.scheme == 1:
        return
    _check_seals(record, is_bot)
    for number, voided in enumerate(record.void_rounds, 1):
        _check_void_round(record.commitment, number, voided)
    void_seals = (seal for voided in record.void_rounds for seal in voided.seals)
    all_seals = [seal for seal in (*record.seals, *void_seals) if seal is not None]
    if len(all_seals) != len(set(all_seals)):
        raise BadRecord(
            "A seal was used twice. Every seat makes a new seal after a void round, so all seals must differ."
        )


def _check_seals(record: Record, is_bot: Sequence[bool]) -> None:
    """Check that each person's nonce fits the frozen seal and that bots have no seal. Raise BadRecord otherwise."""
    for seat, (seal, nonce, bot) in enumerate(zip(record.seals, record.nonces, is_bot, strict=True)):
        if bot:
            if seal is not None:
                raise BadRecord(f"Seat {seat} is a bot and must not have a seal.")
        elif seal is None or seal_of(record.commitment, nonce) != seal:
            raise BadRecord(
                f"The nonce of seat {seat} does not fit the seal that was frozen before the start."
            )


def _check_void_round(commitment: str, number: int, voided: VoidRound) -> None:
    """Check that opened nonces fit their seals and that the missing seats had a seal and did not open it."""
    what = f"Void round {number}"
    for seat, (seal, nonce) in enumerate(zip(voided.seals, voided.nonces, strict=True)):
        if nonce is not None and (seal is None or seal_of(commitment, nonce) != seal):
            raise BadRecord(f"{what}: the nonce of seat {seat} does not fit its seal.")
    if not voided.missing:
        raise BadRecord(f"{what} was void although no seat was missing.")
    for seat in voided.missing:
        if voided.seals[seat] is None:
            raise BadRecord(f"{what} lists seat {seat} as missing, but it had nothing to open.")
        if voided.nonces[seat] is not None:
            raise BadRecord(f"{what} lists seat {seat} as missing, but it opened its nonce.")
