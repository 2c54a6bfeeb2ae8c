"""What a client keeps to verify the cards of a game: the commitment, its nonces, and what each start froze.

A client that compares these with the record afterwards knows that the deck was not chosen by anyone.
"""

from __future__ import annotations

import secrets

from app import rules
from app.client.errors import RecordMismatch
from app.rules import Json

_FROZEN_FIELDS = ("order", "options", "bots", "seals")


class SealKeeper:
    """The seals and nonces of one seat at one table."""

    def __init__(self) -> None:
        self.commitment = ""
        self.scheme: int | None = None
        """The table's scheme; None until the server has sent it."""
        self.rounds: dict[int, Json] = {}
        """What each start froze, by the start's seq. The last round became the game; the others are void."""
        self.nonces: dict[str, str] = {}
        """Our nonces by seal."""
        self._has_replaced_seal = False
        self._answered_request: object = None  # the server's request that we answered last

    def sit_fields(self, shown: Json) -> Json:
        """Return the fields of a `sit` command. `shown` is any object with the table's `commitment` and `scheme`."""
        self.commitment, self.scheme = shown["commitment"], shown["scheme"]
        return {"seal": self._new_seal()}

    def on_reconnect(self) -> None:
        """Forget what was answered: the answer may have been lost with the connection."""
        self._answered_request = None

    def next_command(self, table: Json, seat: int | None) -> Json | None:
        """Return the command that the table expects from this seat now, without its id; None if none or answered."""
        if seat is None or table["status"] != "open" or table["scheme"] != 2:
            return None
        opening = table["opening"]
        if opening is None:
            return self._replace_seal(table, seat)
        number = opening["order"].index(seat)
        request = (opening["seq"], opening["asked"])
        if opening["nonces"][number] is not None or self._answered_request == request:
            return None
        self._answered_request = request
        self.rounds[opening["seq"]] = {name: opening[name] for name in _FROZEN_FIELDS}
        self._note_commitment(table)
        nonce = self.nonces.get(opening["seals"][number])
        if nonce is None:
            return {"do": "void", "next_seal": self._new_seal()}
        return {"do": "open", "nonce": nonce, "next_seal": self._new_seal()}

    def _replace_seal(self, table: Json, seat: int) -> Json | None:
        """Replace a seal made by another device. Done only once, or two devices would replace each other's forever."""
        seal = table["seals"][seat]
        request = ("seal", table["void_rounds"])
        if (
            seal in self.nonces
            or (seal is not None and self._has_replaced_seal)
            or self._answered_request == request
        ):
            return None
        self._has_replaced_seal, self._answered_request = True, request
        self._note_commitment(table)
        return {"do": "seal", "seal": self._new_seal()}

    def _note_commitment(self, table: Json) -> None:
        """Store the commitment, which never changes. A program that resumes a seat first sees it here."""
        if self.commitment not in ("", table["commitment"]):
            raise RecordMismatch("The server now shows another commitment than when we sat down.")
        self.commitment, self.scheme = table["commitment"], table["scheme"]

    def _new_seal(self) -> str:
        nonce = secrets.token_hex(16)
        seal = rules.seal_of(self.commitment, nonce)
        self.nonces[seal] = nonce
        return seal

    def check(self, record: Json) -> None:
        """Raise RecordMismatch if the record is not that of our table. `rules.verify` checks the record itself."""
        if record["commitment"] != self.commitment:
            raise RecordMismatch("The record has another commitment than the table when we sat down.")
        if not set(record["nonces"]) & set(self.nonces.values()):
            raise RecordMismatch("The record contains none of our nonces.")
        scheme = record.get("scheme", 1)
        if self.scheme not in (None, scheme):
            raise RecordMismatch(f"The table had scheme {self.scheme}, but the record has scheme {scheme}.")
        if scheme != 2:
            return
        game = (record["seals"], record["options"], [player["bot"] for player in record["players"]])
        void = [voided["seals"] for voided in record["void_rounds"]]
        frozen = [(round_["seals"], round_["options"], round_["bots"]) for round_ in self.rounds.values()]
        if game not in frozen:
            raise RecordMismatch("The record's seals, options or bots differ from those frozen at the start.")
        if any(round_ != game and round_[0] not in void for round_ in frozen):
            raise RecordMismatch("The record omits a void round.")
