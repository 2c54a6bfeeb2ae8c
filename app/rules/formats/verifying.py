"""Replay a record to every position, verify its chance and its result, place its players."""

from __future__ import annotations

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


def verify(record: Record) -> Position:
    """Recompute commitment, board, every card and the result; the last position if all of it holds."""
    if commitment_of(record.server_seed) != record.commitment:
        raise BadRecord("The server's seed does not fit the commitment that was shown before the game.")
    _check_nonces(record)
    last = None
    for position, _ in replay(record):
        last = position
    assert last is not None
    if record.reason == "aborted":
        if record.winner is not None or last.winner is not None:
            raise BadRecord("A game that was aborted has no winner.")
        return last
    if record.reason == "resigned" and record.winner is None:
        return _given_up(record, last)
    if last.winner != record.winner:
        raise BadRecord(f"The record names winner {record.winner}, but its actions lead to {last.winner}.")
    reason = "goal" if _is_home(last) else "resigned"
    if last.winner is not None and reason != record.reason:
        raise BadRecord(f"The record says the game ended by {record.reason}, but it ended by {reason}.")
    if last.winner is not None and record.places != tuple(places(last)):
        raise BadRecord("The places in the record are not those of the last position.")
    return last


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
    _check_seals(record.commitment, record.seals, record.nonces, is_bot)
    used, seals = [*record.nonces], [*record.seals]
    for number, voided in reversed([*enumerate(record.void_rounds, 1)]):
        _check_void_round(record.commitment, number, voided, used, seals)
        used += [nonce for nonce in voided.nonces if nonce is not None]
        seals += voided.seals


def _check_seals(
    commitment: str, seals: Sequence[str | None], nonces: Sequence[str | None], is_bot: Sequence[bool]
) -> None:
    """Every person's nonce fits the seal that was frozen for it; bots have none."""
    for seat, (seal, nonce, bot) in enumerate(zip(seals, nonces, is_bot, strict=True)):
        if bot:
            if seal is not None:
                raise BadRecord(f"Seat {seat} is a bot's: it has no seal.")
        elif seal is None or nonce is None or seal_of(commitment, nonce) != seal:
            raise BadRecord(
                f"The nonce of seat {seat} does not fit the seal that was frozen before the start."
            )


def _check_void_round(
    commitment: str, number: int, voided: VoidRound, used: Sequence[str], seals: Sequence[str | None]
) -> None:
    """What was opened fits its seal, somebody was missing, and nothing of it was used again.

    `used` and `seals` are those of the game, and of later rounds.
    """
    what = f"Void round {number}"
    for seat, (seal, nonce) in enumerate(zip(voided.seals, voided.nonces, strict=True)):
        if nonce is not None and (seal is None or seal_of(commitment, nonce) != seal):
            raise BadRecord(f"{what}: the nonce of seat {seat} does not fit its seal.")
        if nonce is not None and (nonce in used or seal in seals):
            raise BadRecord(f"{what}: the nonce of seat {seat} was known, and was used again.")
    is_whole = all(nonce is not None for seal, nonce in zip(voided.seals, voided.nonces, strict=True) if seal)
    if is_whole or not voided.missing or any(voided.seals[seat] is None for seat in voided.missing):
        raise BadRecord(f"{what} was void although nobody was missing.")
