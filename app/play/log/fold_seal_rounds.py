"""Folds of the entries of a start with sealed seats: sealed, frozen, opened, asked, voided."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from app.play.log.entries import Entry
from app.play.log.seal_rounds import MAX_MISSED_ROUNDS, SealRound, VoidedRound
from app.play.log.seats import Seat
from app.play.log.table import Table


def _fold_frozen(table: Table, entry: Entry) -> None:
    body = entry.body
    nothing = (None,) * len(body["order"])
    table.seal_round = SealRound(
        seq=entry.seq,
        order=tuple(body["order"]),
        options=body["options"],
        bots=tuple(body["bots"]),
        seals=tuple(body["seals"]),
        nonces=nothing,
        next_seals=nothing,
        since=entry.at,
    )


def _fold_opened(table: Table, entry: Entry) -> None:
    assert table.seal_round is not None
    number = table.seal_round.order.index(entry.seat)
    table.seal_round = table.seal_round.with_opened(number, entry.body["nonce"], entry.body["next_seal"])


def _fold_sealed(table: Table, entry: Entry) -> None:
    table.seats[entry.seat].seal = entry.body["seal"]


def _fold_asked(table: Table, entry: Entry) -> None:
    assert table.seal_round is not None
    table.seal_round = replace(table.seal_round, asked=True, since=entry.at, wait=entry.body.get("wait"))


def _fold_voided(table: Table, entry: Entry) -> None:
    void_round(table, entry.body["missing"], entry.body["why"])
    if entry.body["why"] == "lost":
        table.seats[entry.seat].seal = entry.body["next_seal"]
    for number in entry.body["missing"]:
        seat = table.seats[number]
        if entry.body["why"] == "late" or table.missed_rounds[seat.person or ""] >= MAX_MISSED_ROUNDS:
            was_host = seat.person == table.host
            table.seats[number] = Seat()
            if was_host:
                table.pass_host_on()


def void_round(table: Table, missing: Sequence[int], why: str) -> None:
    """Return the table to its state before the start, with the next seals. `missing` are seats of the table."""
    frozen = table.seal_round
    assert frozen is not None
    table.seal_round = None
    lost = tuple(new for new, old in enumerate(frozen.order) if old in missing)
    table.void_rounds = (*table.void_rounds, VoidedRound(frozen.seals, frozen.nonces, lost, why))
    for new, old in enumerate(frozen.order):
        table.seats[old].seal = frozen.next_seals[new]
    for number in missing:
        person = table.seats[number].person or ""
        table.missed_rounds = {**table.missed_rounds, person: table.missed_rounds.get(person, 0) + 1}


SEAL_ROUND_FOLDS: dict[str, Callable[[Table, Entry], None]] = {
    "frozen": _fold_frozen,
    "opened": _fold_opened,
    "sealed": _fold_sealed,
    "asked": _fold_asked,
    "voided": _fold_voided,
}
