"""Password hashing: argon2id in two threads that accounts and networks share fairly. Unknown names cost the same."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.bots.fair_queue import QueueFull, Share
from app.play.fair_threads import FairThreads
from app.web.auth.names import skeleton
from app.web.errors import BadRequest, TooMany

T = TypeVar("T")

MIN_PASSWORD_LENGTH = 8
MAX_PASSWORD_LENGTH = 200  # argon2 accepts any length, but hashing must stay cheap
_THREADS = 2  # each hash takes 64 MiB and a core for some 50 ms
MAX_WAITING_HASHES = 32
_RETRY_SECONDS = 2

# The most common entries of published password lists.
_COMMON_PASSWORDS = frozenset(
    "12345678 123456789 1234567890 87654321 11111111 00000000 password password1 password123 passw0rd "
    "qwertyui qwertyuiop qwerty123 1q2w3e4r 1qaz2wsx abcdefgh abcd1234 abc12345 iloveyou sunshine princess "
    "football baseball superman trustno1 letmein1 welcome1 welcome123 starwars whatever computer internet "
    "cartagena blackbeard jackdaniels michael1 charlie1 changeme secret123 admin123 administrator".split()
)

# The hash of a discarded random text. Verified for unknown names, so that they take the same time.
UNKNOWN_ACCOUNT_HASH = (
    "$argon2id$v=19$m=65536,t=3,p=4$YxTan5CQMwLw5voP1hGCnA$xa4Egd66i4rxu56ibVK9xCHD9qw9LV4HZGf80qliVFo"
)

_CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # no I L O 0 1: codes are read aloud and typed


def validate_password(password: str, name: str) -> str:
    """Return the password. Raise BadRequest with the reason if it is not allowed."""
    if len(password) < MIN_PASSWORD_LENGTH:
        raise BadRequest("password_short", f"A password must have at least {MIN_PASSWORD_LENGTH} characters.")
    if len(password) > MAX_PASSWORD_LENGTH:
        raise BadRequest("password_long", f"A password may have at most {MAX_PASSWORD_LENGTH} characters.")
    if (
        password.lower() in _COMMON_PASSWORDS
        or len(set(password)) < 4
        or skeleton(password) == skeleton(name)
    ):
        raise BadRequest("password_common", "That password is one of the first anyone would try.")
    return password


def new_code(groups: int, letters: int = 4) -> str:
    """Return a random code in groups of unambiguous letters. Each letter carries almost 5 bits."""
    return "-".join("".join(secrets.choice(_CODE_LETTERS) for _ in range(letters)) for _ in range(groups))


def normalise_code(typed: str) -> str:
    """Return a typed code without dashes and spaces, in upper case."""
    return "".join(letter for letter in typed.upper() if letter.isalnum())[:40]


class Passwords:
    """Hashes and verifies passwords in threads of its own, so that slow look-ups in the default pool delay no log-in.

    `share` is the account with its device or session, or the networks of a stranger. Shares are served fairly.
    """

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self.threads = FairThreads(_THREADS, "password", _THREADS + MAX_WAITING_HASHES)

    async def hash(self, password: str, share: Share) -> str:
        """Return a salted argon2id hash. Raise TooMany if too many are waiting."""
        return await self._run(share, lambda: self._hasher.hash(password))

    async def is_right(self, password: str, stored: str | None, share: Share) -> bool:
        """Return whether the password is correct; False without an account, after the same work. Raise TooMany."""
        fits = await self._run(
            share, lambda: self._verify(stored or UNKNOWN_ACCOUNT_HASH, password[: MAX_PASSWORD_LENGTH + 1])
        )
        return fits and stored is not None

    def close(self) -> None:
        """Stop the threads."""
        self.threads.close()

    async def _run(self, share: Share, work: Callable[[], T]) -> T:
        try:
            return await self.threads.run(share, work)
        except QueueFull:
            raise TooMany(
                _RETRY_SECONDS, "Many passwords are being checked. Try again in a few seconds."
            ) from None

    def _verify(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False
