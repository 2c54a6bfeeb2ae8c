"""Password hashing: argon2id, the same work for unknown names, a few at a time."""

from __future__ import annotations

import asyncio
import threading

import pytest
from argon2 import PasswordHasher
from argon2.low_level import Type

from app.notify.webhook import Webhooks
from app.web.auth.passwords import UNKNOWN_ACCOUNT_HASH, Passwords, new_code, normalise_code


async def test_a_password_is_stored_as_a_salted_argon2id_hash() -> None:
    passwords = Passwords()
    one, other = [await passwords.hash("plank, parrot", ("here",)) for _ in range(2)]
    assert one.startswith("$argon2id$")
    assert one != other
    assert await passwords.is_right("plank, parrot", one, ("here",))
    assert not await passwords.is_right("plank, Parrot", one, ("here",))
    assert not await passwords.is_right("plank, parrot", "not a hash", ("here",))
    passwords.close()


def test_the_hash_for_unknown_accounts_costs_as_much_as_a_real_one() -> None:
    hasher = PasswordHasher()
    assert hasher.type is Type.ID
    assert not hasher.check_needs_rehash(UNKNOWN_ACCOUNT_HASH)


async def test_an_unknown_name_is_verified_with_the_same_work(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords = Passwords()
    checked: list[str] = []

    def verify(stored: str, _password: str) -> bool:
        checked.append(stored)
        return True

    monkeypatch.setattr(passwords, "_verify", verify)
    assert not await passwords.is_right("anything", None, ("here",)), (
        "even if the hash for unknown names happens to match"
    )
    assert await passwords.is_right("anything", "$argon2id$real", ("here",))
    passwords.close()
    assert checked == [UNKNOWN_ACCOUNT_HASH, "$argon2id$real"]


async def test_at_most_two_passwords_are_hashed_concurrently(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords = Passwords()
    lock, at_once, most = threading.Lock(), 0, 0
    both = threading.Barrier(2)

    def verify(*_: str) -> bool:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        both.wait(20)
        with lock:
            at_once -= 1
        return False

    monkeypatch.setattr(passwords, "_verify", verify)
    await asyncio.gather(*(passwords.is_right("x", None, (f"address {n}",)) for n in range(10)))
    assert most == 2
    passwords.close()


async def test_a_hanging_name_server_delays_no_log_in() -> None:
    """Passwords have threads of their own; look-ups of webhook hosts use others."""
    loop = asyncio.get_running_loop()
    hanging = threading.Event()
    stuck = [loop.run_in_executor(None, hanging.wait, 60) for _ in range(64)]
    webhooks, passwords = Webhooks(allow_private=True), Passwords()
    webhooks.outbound._threads.submit(hanging.wait, 60)
    webhooks.outbound._threads.submit(hanging.wait, 60)
    try:
        stored = await asyncio.wait_for(passwords.hash("plank, parrot", ("here",)), 30)
        assert await asyncio.wait_for(passwords.is_right("plank, parrot", stored, ("here",)), 30)
    finally:
        hanging.set()
        await asyncio.gather(*stuck)
        webhooks.close()
        passwords.close()


def test_typed_codes_are_normalised() -> None:
    code = new_code(3)
    assert len(normalise_code(code)) == 12
    assert normalise_code(f" {code.lower().replace('-', ' ')} ") == normalise_code(code)
    assert not set(normalise_code("".join(new_code(3) for _ in range(300)))) & set("ILO01")
