"""The terms of a table, chosen by its creator: visibility and password, clock, absences, bots, hints."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.play.log.clocks import ClockTerms
from app.play.refusals import Refusal

COLOURS = ("red", "blue", "yellow", "green", "violet")
BOT_LEVELS = ("cabin-boy", "sailor", "mate", "captain", "legend")
CHAT_PRESETS = ("hello", "good_luck", "good_move", "thanks", "sorry", "one_moment", "good_game", "rematch")
MAX_TITLE_CHARS = 60
MAX_PASSWORD_CHARS = 100

BotLevel = Literal["cabin-boy", "sailor", "mate", "captain", "legend"]
ZERO_WIDTH_JOINER = "\u200d"  # joins emoji


class Terms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The terms of one table. `password_hash` is salted and stored as `lock`."""

    title: str = ""
    visibility: Literal["open", "unlisted"] = "open"
    password_hash: str | None = msgspec.field(default=None, name="lock")
    spectators: bool = True
    clock: ClockTerms = ClockTerms()
    on_timeout: Literal["default", "bot"] = "default"
    absence: Annotated[int, Meta(ge=0, le=86_400)] = 120
    hints: bool = False
    pace: Annotated[int, Meta(ge=0, le=10_000)] = 800
    bot_level: BotLevel = "sailor"


def parse_terms(given: dict[str, Any]) -> tuple[Terms, str | None]:
    """Return the terms that the creator sent, and the password in clear text for `with_password_hash`.

    Raises Refusal `bad_options`.
    """
    fields = dict(given)
    password = fields.pop("password", None)
    if "lock" in fields:
        raise Refusal("bad_options", "You cannot set `lock`; send `password` instead.")
    if fields.get("visibility") == "password":
        fields["visibility"] = "open"
        if not password:
            raise Refusal("bad_options", "A table with visibility `password` needs a `password`.")
    try:
        terms = msgspec.convert(fields, Terms)
    except msgspec.ValidationError as problem:
        raise Refusal("bad_options", f"{problem}.") from None
    if len(terms.title) > MAX_TITLE_CHARS or (terms.title and not is_plain_text(terms.title)):
        raise Refusal("bad_options", f"A title has at most {MAX_TITLE_CHARS} characters of plain text.")
    terms.clock.clock_class.check_terms(terms.clock)
    if 0 < terms.absence < 10:
        raise Refusal("bad_options", "The time until absence must be at least 10 seconds, or 0 for never.")
    is_password = isinstance(password, str) and len(password) <= MAX_PASSWORD_CHARS and password.strip() != ""
    if password is not None and not is_password:
        raise Refusal("bad_options", f"A password must have 1 to {MAX_PASSWORD_CHARS} characters.")
    return msgspec.structs.replace(terms, title=terms.title.strip()), password


def with_password_hash(terms: Terms, password_hash: str) -> Terms:
    """Return these terms with a password."""
    return msgspec.structs.replace(terms, password_hash=password_hash)


def parse_stored_terms(stored: dict[str, Any]) -> Terms:
    """Return the terms stored with a game; equal terms are shared."""
    return _intern(msgspec.convert(stored, Terms))


@lru_cache(maxsize=256)
def _intern(terms: Terms) -> Terms:
    return terms


def is_plain_text(text: str) -> bool:
    """Return whether the text is visible and has no control, formatting or unassigned characters."""
    if not text.strip():
        return False
    return not any(
        unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn") and letter != ZERO_WIDTH_JOINER
        for letter in text
    )


# -- passwords of tables ---------------------------------------------------------------------------
# A table's password protects a game among friends and is checked on every connection, so a hash takes only about 5 ms.
# Where there is no table, a dummy hash is checked, so that the response time does not reveal which tables exist.
# Both functions block: call them through TablePasswords, off the event loop.

HASH_CHARGE_MS = 10.0  # what a client is charged for one hash
_SCRYPT_PARAMETERS = {"n": 2**12, "r": 8, "p": 1, "dklen": 32}
_DUMMY_HASH = "00" * 16 + "$" + "00" * 32


def hash_password(password: str) -> str:
    """Return the salted hash to store."""
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}${hashlib.scrypt(password.encode(), salt=salt, **_SCRYPT_PARAMETERS).hex()}"


def check_password(password_hash: str | None, password: str) -> bool:
    """Return whether the password matches; None (no such table) takes as long and never does."""
    salt, _, wanted = (password_hash or _DUMMY_HASH).partition("$")
    found = hashlib.scrypt(
        password[:MAX_PASSWORD_CHARS].encode(), salt=bytes.fromhex(salt), **_SCRYPT_PARAMETERS
    ).hex()
    return hmac.compare_digest(found, wanted) and password_hash is not None
