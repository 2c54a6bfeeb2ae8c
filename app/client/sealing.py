"""What a client keeps of one table's chance: the commitment it was shown, its nonces, what was frozen.

A client that keeps this, and compares it with the record afterwards, knows that nobody chose the deck.
"""

from __future__ import annotations

import secrets

from app import rules
from app.client.errors import NotKept
from app.rules import Json

_FROZEN = ("order", "options", "bots", "seals")


class Keeper:
    """Of one seat at one table."""

    def __init__(self) -> None:
        self.commitment = ""
        self.scheme: int | None = None
        """The scheme of the table; None before the server has shown it."""
        self.rounds: dict[int, Json] = {}
        """What each start froze, by its entry: the last one became the game, the others are void."""
        self.nonces: dict[str, str] = {}
        """The nonce under each seal of ours; where seats are not sealed it stands under itself."""
        self._has_sealed_anew = False
        self._answered: object = None  # what the last answer was to

    def sit(self, shown: Json) -> Json:
        """What goes with `sit`; `shown` is anything that has the table's `commitment` and `scheme`."""
        self.commitment, self.scheme = shown["commitment"], shown.get("scheme", 1)
        if self.scheme == 2:
            return {"seal": self._seal()}
        nonce = secrets.token_hex(16)
        self.nonces[nonce] = nonce
        return {"nonce": nonce}

    def again(self) -> None:
        """The connection broke: what was answered may not have arrived."""
        self._answered = None

    def answer(self, table: Json, seat: int | None) -> Json | None:
        """The command the table wants from this seat's client now, without its id; None: nothing, or said."""
        if seat is None or table["status"] != "open" or table.get("scheme", 1) != 2:
            return None
        opening = table["opening"]
        if opening is None:
            return self._seal_anew(table, seat)
        number = opening["order"].index(seat)
        asked = (opening["seq"], opening["asked"])
        if opening["nonces"][number] is not None or self._answered == asked:
            return None
        self._answered = asked
        self.rounds[opening["seq"]] = {name: opening[name] for name in _FROZEN}
        self._note_commitment(table)
        nonce = self.nonces.get(opening["seals"][number])
        if nonce is None:
            return {"do": "void", "next_seal": self._seal()}
        return {"do": "open", "nonce": nonce, "next_seal": self._seal()}

    def _seal_anew(self, table: Json, seat: int) -> Json | None:
        """A seal we do not know is another device's: replaced once, or two of them would go on for ever."""
        seal = table["seals"][seat]
        asked = ("seal", table["void_rounds"])
        if seal in self.nonces or (seal is not None and self._has_sealed_anew) or self._answered == asked:
            return None
        self._has_sealed_anew, self._answered = True, asked
        self._note_commitment(table)
        return {"do": "seal", "seal": self._seal()}

    def _note_commitment(self, table: Json) -> None:
        """A program that takes a seat up again sees it here for the first time; it never changes."""
        if self.commitment not in ("", table["commitment"]):
            raise NotKept("The server shows another commitment than when we sat down.")
        self.commitment, self.scheme = table["commitment"], table.get("scheme", 1)

    def _seal(self) -> str:
        nonce = secrets.token_hex(16)
        seal = rules.seal_of(self.commitment, nonce)
        self.nonces[seal] = nonce
        return seal

    def check(self, record: Json) -> None:
        """Whether the record is that of our table: raises NotKept. What it says of itself `rules.verify` checks."""
        if record["commitment"] != self.commitment:
            raise NotKept("The record has another commitment than was shown when we sat down.")
        if not set(record["nonces"]) & set(self.nonces.values()):
            raise NotKept("The record has none of the nonces that we made.")
        scheme = record.get("scheme", 1)
        if self.scheme not in (None, scheme):
            raise NotKept(f"The table had scheme {self.scheme}, but the record has scheme {scheme}.")
        if scheme != 2:
            return
        game = (record["seals"], record["options"], [player["bot"] for player in record["players"]])
        void = [voided["seals"] for voided in record["void_rounds"]]
        frozen = [(each["seals"], each["options"], each["bots"]) for each in self.rounds.values()]
        if game not in frozen:
            raise NotKept("The record's seals, options or bots are not those that the start froze.")
        if any(each != game and each[0] not in void for each in frozen):
            raise NotKept("The record leaves out a round that came to nothing.")
