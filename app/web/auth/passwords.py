"""Passwords: argon2id in two threads that accounts and networks share fairly; unknown names cost the same."""

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

Found = TypeVar("Found")

SHORTEST = 8
LONGEST = 200  # argon2 reads anything, but nobody should make it read a novel
_THREADS = 2  # each hash takes 64 MiB and a core for some 50 ms
MAX_WAITING = 32
_RETRY_SECONDS = 2

# The first of every published list; a person who wants one of these wants no password.
_COMMON = frozenset(
    "12345678 123456789 1234567890 87654321 11111111 00000000 password password1 password123 passw0rd "
    "qwertyui qwertyuiop qwerty123 1q2w3e4r 1qaz2wsx abcdefgh abcd1234 abc12345 iloveyou sunshine princess "
    "football baseball superman trustno1 letmein1 welcome1 welcome123 starwars whatever computer internet "
    "cartagena blackbeard jackdaniels michael1 charlie1 changeme secret123 admin123 administrator".split()
)

# The hash of a random text that was thrown away. Checked for unknown names, so that they cost the same time.
UNKNOWN_ACCOUNT_HASH = (
    "$argon2id$v=19$m=65536,t=3,p=4$YxTan5CQMwLw5voP1hGCnA$xa4Egd66i4rxu56ibVK9xCHD9qw9LV4HZGf80qliVFo"
)

_CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # no I L O 0 1: read aloud and typed by hand


def checked_password(password: str, name: str) -> str:
    """The password, or BadRequest with what is wrong."""
    if len(password) < SHORTEST:
        raise BadRequest("password_short", f"A password has at least {SHORTEST} characters.")
    if len(password) > LONGEST:
        raise BadRequest("password_long", f"A password has at most {LONGEST} characters.")
    if password.lower() in _COMMON or len(set(password)) < 4 or skeleton(password) == skeleton(name):
        raise BadRequest("password_common", "That password is among the first anybody would try.")
    return password


def new_code(groups: int, letters: int = 4) -> str:
    """A random code for people: groups of letters that nobody mixes up; each letter carries almost 5 bits."""
    return "-".join("".join(secrets.choice(_CODE_LETTERS) for _ in range(letters)) for _ in range(groups))


def plain_code(typed: str) -> str:
    """A code as it was made, whatever dashes, spaces and case a person typed."""
    return "".join(letter for letter in typed.upper() if letter.isalnum())[:40]


class Passwords:
    """Hashing and checking, off the event loop in threads of its own: a look-up that hangs holds up no log-in.

    `share` says on whose behalf: an account with its device or session, or the networks of a stranger. They take turns.
    """

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self.threads = FairThreads(_THREADS, "password", _THREADS + MAX_WAITING)

    async def hash(self, password: str, share: Share) -> str:
        """Return an argon2id hash with its own salt; raises TooMany."""
        return await self._run(share, lambda: self._hasher.hash(password))

    async def is_right(self, password: str, stored: str | None, share: Share) -> bool:
        """Return whether the password fits; False without an account, after the same work. Raises TooMany."""
        fits = await self._run(
            share, lambda: self._verify(stored or UNKNOWN_ACCOUNT_HASH, password[: LONGEST + 1])
        )
        return fits and stored is not None

    def close(self) -> None:
        """Hash nothing more."""
        self.threads.close()

    async def _run(self, share: Share, work: Callable[[], Found]) -> Found:
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
