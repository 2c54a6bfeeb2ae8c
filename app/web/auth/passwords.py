"""Passwords: argon2id in a thread, a few at a time, and the same work for a name that does not exist."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.web.auth.names import skeleton
from app.web.errors import BadRequest, TooMany

T = TypeVar("T")

SHORTEST = 8
LONGEST = 200  # argon2 reads anything, but nobody should make it read a novel
_AT_ONCE = 2  # each takes 64 MiB and a core for some 50 ms
_WAITING = 8
_OF_ONE_ADDRESS = 4
_BACK_SECONDS = 2

# The first of every published list; a person who wants one of these wants no password.
_COMMON = frozenset(
    "12345678 123456789 1234567890 87654321 11111111 00000000 password password1 password123 passw0rd "
    "qwertyui qwertyuiop qwerty123 1q2w3e4r 1qaz2wsx abcdefgh abcd1234 abc12345 iloveyou sunshine princess "
    "football baseball superman trustno1 letmein1 welcome1 welcome123 starwars whatever computer internet "
    "cartagena blackbeard jackdaniels michael1 charlie1 changeme secret123 admin123 administrator".split()
)

# The hash of a random text that was thrown away: what is checked for a name that does not exist.
NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$YxTan5CQMwLw5voP1hGCnA$xa4Egd66i4rxu56ibVK9xCHD9qw9LV4HZGf80qliVFo"

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

    A few at once and a few that wait; whoever comes then is told to come back, so that nobody waits for long.
    Of those one address has only some: however often it logs in, others get their turn.
    """

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._threads = ThreadPoolExecutor(_AT_ONCE, "password")
        self._by_address: Counter[str] = Counter()  # at work or waiting

    async def hash(self, password: str, address: str) -> str:
        """An argon2id hash with its own salt; raises TooMany."""
        return await self._turn(address, self._hasher.hash, password)

    async def is_right(self, password: str, stored: str | None, address: str) -> bool:
        """Whether the password fits; without an account the same work is done and the answer is no. Raises TooMany."""
        fits = await self._turn(address, self._verify, stored or NOBODY, password[: LONGEST + 1])
        return fits and stored is not None

    def close(self) -> None:
        """Nothing more is hashed."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _turn(self, address: str, work: Callable[..., T], *given: str) -> T:
        if self._by_address.total() >= _AT_ONCE + _WAITING or self._by_address[address] >= _OF_ONE_ADDRESS:
            raise TooMany(_BACK_SECONDS, "Many passwords are being checked. Try again in a few seconds.")
        self._by_address[address] += 1
        turn = asyncio.get_running_loop().run_in_executor(self._threads, work, *given)
        turn.add_done_callback(lambda _: self._done(address))
        # Whoever goes away leaves their work behind: it keeps its place until it is done.
        return await asyncio.shield(turn)

    def _done(self, address: str) -> None:
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]

    def _verify(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False
