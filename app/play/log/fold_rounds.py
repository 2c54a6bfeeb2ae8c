"""What the entries of a start with sealed seats make of a table: frozen, opened, asked, voided."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from app.play.log.entries import Entry
from app.play.log.rounds import MOST_MISSED, Round, VoidedRound
from app.play.log.seats import Seat
from app.play.log.table import Table


def _frozen(table: Table, entry: Entry) -> None:
    body = entry.body
    nothing = (None,) * len(body["order"])
    table.round = Round(
        seq=entry.seq,
        order=tuple(body["order"]),
        options=body["options"],
        bots=tuple(body["bots"]),
        seals=tuple(body["seals"]),
        nonces=nothing,
        next_seals=nothing,
        since=entry.at,
    )


def _opened(table: Table, entry: Entry) -> None:
    assert table.round is not None
    number = table.round.order.index(entry.seat)
    table.round = table.round.with_opened(number, entry.body["nonce"], entry.body["next_seal"])


def _sealed(table: Table, entry: Entry) -> None:
    table.seats[entry.seat].seal = entry.body["seal"]


def _asked(table: Table, entry: Entry) -> None:
    assert table.round is not None
    table.round = replace(table.round, asked=True, since=entry.at, wait=entry.body.get("wait"))


def _voided(table: Table, entry: Entry) -> None:
    void_round(table, entry.body["missing"], entry.body["why"])
    if entry.body["why"] == "lost":
        table.seats[entry.seat].seal = entry.body["next_seal"]
    for number in entry.body["missing"]:
        seat = table.seats[number]
        if entry.body["why"] == "late" or table.missed[seat.person or ""] >= MOST_MISSED:
            was_host = seat.person == table.host
            table.seats[number] = Seat()
            if was_host:
                table.next_host()


def void_round(table: Table, missing: Sequence[int], why: str) -> None:
    """The table is open again, as it was before the start, but for the seals: `missing` are its seats."""
    frozen = table.round
    assert frozen is not None
    table.round = None
    lost = tuple(new for new, old in enumerate(frozen.order) if old in missing)
    table.void_rounds = (*table.void_rounds, VoidedRound(frozen.seals, frozen.nonces, lost, why))
    for new, old in enumerate(frozen.order):
        table.seats[old].seal = frozen.next_seals[new]
    for number in missing:
        person = table.seats[number].person or ""
        table.missed = {**table.missed, person: table.missed.get(person, 0) + 1}


ROUND_FOLDS: dict[str, Callable[[Table, Entry], None]] = {
    "frozen": _frozen,
    "opened": _opened,
    "sealed": _sealed,
    "asked": _asked,
    "voided": _voided,
}
