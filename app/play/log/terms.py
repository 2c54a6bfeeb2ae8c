"""The terms of a table: who may come in, how time runs, what bots do; chosen at creation."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.play.refusals import Refusal

COLOURS = ("red", "blue", "yellow", "green", "violet")
LEVELS = ("cabin-boy", "sailor", "mate", "captain", "legend")
CHAT_PRESETS = ("hello", "good_luck", "good_move", "thanks", "sorry", "one_moment", "good_game", "rematch")
LONGEST_TITLE = 60
LONGEST_PASSWORD = 100

Level = Literal["cabin-boy", "sailor", "mate", "captain", "legend"]
DAY = 86_400
ZERO_WIDTH_JOINER = "\u200d"  # holds emoji together


class ClockTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How much time a seat has: none, so much a turn, a bank with an increment a turn, days a turn."""

    kind: Literal["none", "turn", "bank", "days"] = "none"
    seconds: Annotated[int, Meta(ge=0, le=86_400)] = 0
    increment: Annotated[int, Meta(ge=0, le=3_600)] = 0
    days: Annotated[int, Meta(ge=0, le=30)] = 0

    @property
    def full(self) -> int:
        """Milliseconds a seat begins with."""
        return 1000 * (self.days * DAY if self.kind == "days" else self.seconds)

    def as_json(self) -> dict[str, Any]:
        """Only the fields this kind has."""
        fields: dict[str, tuple[str, ...]] = {
            "none": (),
            "turn": ("seconds",),
            "bank": ("seconds", "increment"),
            "days": ("days",),
        }
        return {"kind": self.kind} | {name: getattr(self, name) for name in fields[self.kind]}


class Terms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The terms of one table; `password_hash` is salted, and stored as `lock`."""

    title: str = ""
    visibility: Literal["open", "unlisted"] = "open"
    password_hash: str | None = msgspec.field(default=None, name="lock")
    spectators: bool = True
    clock: ClockTerms = ClockTerms()
    on_timeout: Literal["default", "bot"] = "default"
    absence: Annotated[int, Meta(ge=0, le=86_400)] = 120
    hints: bool = False
    pace: Annotated[int, Meta(ge=0, le=10_000)] = 800
    bot_level: Level = "sailor"


def parse_terms(given: dict[str, Any]) -> tuple[Terms, str | None]:
    """Return the terms that the creator sent and the password in clear, which is yet to be hashed (`locked_with`).

    Raises Refusal `bad_options`.
    """
    fields = dict(given)
    password = fields.pop("password", None)
    if "lock" in fields:
        raise Refusal("bad_options", "A lock is not given; send `password`.")
    if fields.get("visibility") == "password":
        fields["visibility"] = "open"
        if not password:
            raise Refusal("bad_options", "A password table needs a password.")
    try:
        terms = msgspec.convert(fields, Terms)
    except msgspec.ValidationError as problem:
        raise Refusal("bad_options", f"{problem}.") from None
    if len(terms.title) > LONGEST_TITLE or (terms.title and not is_plain(terms.title)):
        raise Refusal("bad_options", f"A title has at most {LONGEST_TITLE} characters of plain text.")
    clock = terms.clock
    if clock.kind in ("turn", "bank") and clock.seconds < 5:
        raise Refusal("bad_options", "A clock needs at least 5 seconds.")
    if clock.kind == "days" and clock.days < 1:
        raise Refusal("bad_options", "A correspondence clock needs at least one day.")
    if 0 < terms.absence < 10:
        raise Refusal("bad_options", "Absence counts from 10 seconds on, or 0 for never.")
    is_password = isinstance(password, str) and 1 <= len(password) <= LONGEST_PASSWORD
    if password is not None and not is_password:
        raise Refusal("bad_options", f"A password has 1 to {LONGEST_PASSWORD} characters.")
    return msgspec.structs.replace(terms, title=terms.title.strip()), password


def locked_with(terms: Terms, password_hash: str) -> Terms:
    """Return these terms with a password."""
    return msgspec.structs.replace(terms, password_hash=password_hash)


def parse_stored(stored: dict[str, Any]) -> Terms:
    """Terms as they were kept with a game; tables with equal terms share them."""
    return _shared(msgspec.convert(stored, Terms))


@lru_cache(maxsize=256)
def _shared(terms: Terms) -> Terms:
    return terms


def is_plain(text: str) -> bool:
    """Text without control, bidi-override or unassigned characters; something must be visible."""
    if not text.strip():
        return False
    return not any(
        unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn") and letter != ZERO_WIDTH_JOINER
        for letter in text
    )


# -- passwords of tables ---------------------------------------------------------------------------
# A table's password guards a game among friends and is asked for on every connection, so the cost is
# held at about 5 ms; the same work is done where there is no table, so that the two take equally long.
# Both functions block: call them through TablePasswords, off the event loop.

HASH_MS = 10.0  # what one hash is charged with
_COST = {"n": 2**12, "r": 8, "p": 1, "dklen": 32}
_NO_HASH = "00" * 16 + "$" + "00" * 32


def hash_of(password: str) -> str:
    """The salted hash that is stored."""
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}${hashlib.scrypt(password.encode(), salt=salt, **_COST).hex()}"


def check_password(password_hash: str | None, password: str) -> bool:
    """Whether this is the password; None (no such table) takes as long and is never right."""
    salt, _, wanted = (password_hash or _NO_HASH).partition("$")
    found = hashlib.scrypt(password[:LONGEST_PASSWORD].encode(), salt=bytes.fromhex(salt), **_COST).hex()
    return hmac.compare_digest(found, wanted) and password_hash is not None
