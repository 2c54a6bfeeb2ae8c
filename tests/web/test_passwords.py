"""Passwords: argon2id, the same work for nobody, a few at a time."""

from __future__ import annotations

import asyncio

import pytest
from argon2 import PasswordHasher
from argon2.low_level import Type

from app.web.passwords import NOBODY, Passwords, new_code, plain_code


async def test_a_password_is_kept_as_argon2id_with_a_salt_of_its_own() -> None:
    passwords = Passwords()
    one, other = await passwords.hash("plank, parrot"), await passwords.hash("plank, parrot")
    assert one.startswith("$argon2id$")
    assert one != other
    assert await passwords.is_right("plank, parrot", one)
    assert not await passwords.is_right("plank, Parrot", one)
    assert not await passwords.is_right("plank, parrot", "not a hash")


def test_the_hash_for_nobody_costs_exactly_what_a_real_one_does() -> None:
    hasher = PasswordHasher()
    assert hasher.type is Type.ID
    assert not hasher.check_needs_rehash(NOBODY)


async def test_a_name_that_does_not_exist_is_checked_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords = Passwords()
    checked: list[str] = []

    def verify(stored: str, _password: str) -> bool:
        checked.append(stored)
        return True

    monkeypatch.setattr(passwords, "_verify", verify)
    assert not await passwords.is_right("anything", None), "even when the hash for nobody happens to fit"
    assert await passwords.is_right("anything", "$argon2id$real")
    assert checked == [NOBODY, "$argon2id$real"]


async def test_only_a_few_are_hashed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords = Passwords()
    at_once = most = 0

    async def to_thread(*_: object) -> bool:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.01)
        at_once -= 1
        return False

    monkeypatch.setattr("app.web.passwords.asyncio.to_thread", to_thread)
    await asyncio.gather(*(passwords.is_right("x", None) for _ in range(20)))
    assert most == 2


def test_codes_are_read_back_however_they_are_typed() -> None:
    code = new_code(3)
    assert len(plain_code(code)) == 12
    assert plain_code(f" {code.lower().replace('-', ' ')} ") == plain_code(code)
    assert not set(plain_code("".join(new_code(3) for _ in range(300)))) & set("ILO01")
