"""API routes for accounts: registration, log-in, recovery, log-out, and tokens for programs.

An unknown name and a wrong password get the same answer after the same work. Failures count by name, address and
network, whether or not the name exists. Known devices and sessions have allowances of their own.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request

from app.bots.fair_queue import Share
from app.store.people.players import LoginTaken, Player, hash_secret
from app.web.api.me import Name, identity_json, validate_free_name
from app.web.api.models import Body, error_responses
from app.web.api.profiles import are_at_same_table
from app.web.auth import names
from app.web.auth.identity import KnownPerson, MaybePerson, check_not_banned, credential_of
from app.web.auth.known_devices import forget_device, is_current, read_known_device, remember_device
from app.web.auth.passwords import new_code, normalise_code, validate_password
from app.web.auth.sessions import clear_session_cookie, network_digest, session_of, start_session
from app.web.errors import Conflict, NotAllowed, NotFound, Refused
from app.web.routing import Router
from app.web.site import Site, site_of

router = Router(
    prefix="/api/v1/account", tags=["accounts"], responses=error_responses(401, 403, 404, 409, 413, 422)
)

Password = Annotated[str, Field(max_length=1000)]
RECOVERY_CODE_COUNT = 8
MAX_TOKENS = 10


class Registration(Body):
    """The password, and optionally a new name."""

    name: Name | None = None
    password: Password


class Credentials(Body):
    """Name and password. With `claim`, this browser's guest and its games become the account's."""

    name: Name
    password: Password
    claim: bool = True


class Recovery(Body):
    """A recovery code and the new password."""

    name: Name
    code: Annotated[str, Field(max_length=100)]
    password: Password


class PasswordChange(Body):
    """The old and the new password."""

    old: Password
    new: Password


class PasswordConfirmation(Body):
    """The password again, to confirm."""

    password: Password


class NewToken(Body):
    """The program's label, and the password again, because a token outlives the session that created it."""

    label: Annotated[str, Field(min_length=1, max_length=80)]
    password: Password


class WrongLogin(Refused):
    """The name is unknown or the password is wrong; the answer is the same."""

    status, code, message = 401, "wrong_login", "There is no account with this name and password."


class WrongOwnPassword(WrongLogin):
    """The password of the signed-in person is wrong."""

    message = "That password is wrong."


class WrongRecoveryCode(Refused):
    """The name is unknown, or the code is unknown or used; the answer is the same."""

    status, code, message = 401, "wrong_code", "That code is wrong or has already been used."


@router.post("/register")
async def register(request: Request, body: Registration, person: MaybePerson) -> dict[str, Any]:
    """Create an account. The current guest's games are kept. The recovery codes are shown only once."""
    site = site_of(request)
    if person is not None and person.is_account:
        raise Conflict("has_account", "You already have an account.")
    if person is None:
        site.bans.check_newcomer(network_digest(request))
        site.limits.take_guest(request)
    else:
        site.limits.take_write(person.id)
    requested = body.name if body.name is not None else (person.name if person else "")
    name = await validate_free_name(site, requested, person.id if person else None)
    password = await site.passwords.hash(validate_password(body.password, name), _network_share(request))
    codes = _new_recovery_codes()
    try:
        player = await site.accounts.register(
            person.id if person else None,
            names.make_name(name),
            password,
            _normalise_codes(codes),
            site.now(),
        )
    except LoginTaken:
        raise Conflict("name_taken", "Another account has that name. Choose another.") from None
    new = await _log_in(request, site, player)
    await _remember_device(request, site, player)
    site.rename(*new.ids, name=name)
    return identity_json(request, new, recovery_codes=codes)


@router.post("/login")
async def log_in(request: Request, body: Credentials, person: MaybePerson) -> dict[str, Any]:
    """Log this device in, with a new session."""
    site = site_of(request)
    player = await _verify_password(request, site, body.name, body.password)
    is_guest = person is not None and not person.is_account and not person.is_bot
    if person is None or not is_guest or not body.claim:
        return identity_json(request, await _log_in(request, site, player), claimed=0)
    owner, has_claimed = await _log_in_claiming(request, site, player, person)
    return identity_json(request, owner, claimed=int(has_claimed))


@router.post("/recover")
async def recover(request: Request, body: Recovery) -> dict[str, Any]:
    """Set a new password with a recovery code. All other devices are logged out and all recovery codes replaced."""
    site = site_of(request)
    login = names.login_key(body.name)
    validate_password(body.password, body.name)
    # Not counted by name: strangers could use up that allowance, and codes are too long to guess.
    with site.limits.take_code(site.limits.key_of(request)):
        account = await site.accounts.find_by_login(login)
        player = account.player if account else ""
        if not await site.accounts.has_recovery_code(player, normalise_code(body.code)):
            raise WrongRecoveryCode
        # The code is consumed last, so that it stays valid if the password queue is full.
        password = await site.passwords.hash(body.password, _network_share(request))
        if not await site.accounts.use_recovery_code(player, normalise_code(body.code)):
            raise WrongRecoveryCode
    codes = _new_recovery_codes()
    await site.accounts.set_password(player, password)
    await site.accounts.replace_recovery_codes(player, _normalise_codes(codes), site.now())
    await _remember_device(request, site, player)
    site.sign_out("person", player)
    return identity_json(request, await _log_in(request, site, player), recovery_codes=codes)


@router.post("/password")
async def change_password(request: Request, body: PasswordChange, person: KnownPerson) -> dict[str, Any]:
    """Set a new password. All other devices are logged out."""
    site = site_of(request)
    await check_password(request, site, person, body.old)
    validate_password(body.new, person.name)
    password = await site.passwords.hash(body.new, (person.id, _session_source(request)))
    await site.accounts.set_password(person.id, password)
    await _remember_device(request, site, person.id)
    site.sign_out("person", person.id)
    return identity_json(request, await _log_in(request, site, person.id))


@router.post("/recovery-codes")
async def new_recovery_codes(
    request: Request, body: PasswordConfirmation, person: KnownPerson
) -> dict[str, Any]:
    """Create new recovery codes. The old ones become invalid."""
    site = site_of(request)
    await check_password(request, site, person, body.password)
    codes = _new_recovery_codes()
    await site.accounts.replace_recovery_codes(person.id, _normalise_codes(codes), site.now())
    return {"recovery_codes": codes}


@router.post("/logout")
async def log_out(request: Request, person: KnownPerson) -> dict[str, Any]:
    """Log this device out. A guest who logs out cannot return."""
    site = site_of(request)
    session = session_of(request)
    assert session is not None  # KnownPerson requires one
    await site.people.close_session(session)
    site.sign_out("session", hash_secret(session))
    clear_session_cookie(request)
    return {}


@router.post("/logout-everywhere")
async def log_out_everywhere(request: Request, person: KnownPerson) -> dict[str, Any]:
    """Log out all devices, including this one, and close their sockets."""
    site = site_of(request)
    closed = await site.people.close_all_sessions(person.id)
    site.sign_out("person", person.id)
    clear_session_cookie(request)
    if person.is_account:
        forget_device(request)
    return {"closed": closed}


@router.get("/tokens")
async def tokens(request: Request, person: KnownPerson) -> dict[str, Any]:
    """List the tokens of programs that may play for this account."""
    rows = await site_of(request).accounts.list_tokens(person.id)
    return {"tokens": [{"id": row[0], "label": row[1], "seen_at": row[2] * 1000} for row in rows]}


@router.post("/tokens")
async def add_token(request: Request, body: NewToken, person: KnownPerson) -> dict[str, Any]:
    """Create a bearer token for a program. It is shown only once."""
    site = site_of(request)
    if not person.is_account:
        raise NotAllowed("account_needed", "Register an account first: a token outlives a guest's cookie.")
    site.limits.take_write(person.id)
    await check_password(request, site, person, body.password)
    label = "".join(letter for letter in body.label if letter.isprintable()).strip() or "program"
    token = await site.accounts.add_token(person.id, label, site.now(), MAX_TOKENS)
    if token is None:
        raise Conflict("too_many_tokens", f"You may have {MAX_TOKENS} tokens. Remove one first.")
    return {"token": token, "label": label}


@router.delete("/tokens/{token}")
async def remove_token(request: Request, token: str, person: KnownPerson) -> dict[str, Any]:
    """Delete a token. It becomes invalid at once on this worker and within seconds on all others."""
    site = site_of(request)
    removed = await site.accounts.remove_token(person.id, token) if len(token) == 16 else []
    if not removed:
        raise NotFound
    site.sign_out("session", *removed)
    return {}


async def check_password(request: Request, site: Site, person: Player, password: str) -> None:
    """Verify the password of a signed-in person. Raise WrongLogin, TooMany, or NotAllowed for a guest."""
    if not person.is_account:
        raise NotAllowed("account_needed", "You do not have an account yet.")
    await _verify_password(request, site, person.name, password, person)


def _session_source(request: Request) -> str:
    """Return the key under which a session's password attempts count. Strangers cannot use up this allowance."""
    return f"session {credential_of(request)}"


def _network_share(request: Request) -> Share:
    """Return the fair-queue share of an anonymous client: that of its network."""
    site = site_of(request)
    return site.shares.share_of(site.limits.address_of(request))


async def _verify_password(
    request: Request, site: Site, name: str, password: str, owner: Player | None = None
) -> str:
    """Return the player with this name and password. Raise WrongLogin or TooMany.

    A signed-in `owner` and known devices have allowances of their own, so that strangers' failures cannot lock them
    out. All other clients share those of the address, its networks and the name.
    """
    limits, login = site.limits, names.login_key(name)
    address = limits.address_of(request)
    device = None if owner else read_known_device(request, login)
    if owner is not None:
        source, success_charge = (
            _session_source(request),
            limits.take_successful_known_login(f"person {owner.id}"),
        )
    elif device is not None:
        source = f"device {device.id}"
        success_charge = limits.take_successful_known_login(source)
    else:
        source, success_charge = "", limits.take_successful_login(login, limits.key_of(request))
    try:
        with ExitStack() as attempts:
            if owner is not None:
                attempts.enter_context(limits.take_failed_session_login(source, owner.id))
            elif device is not None:
                attempts.enter_context(limits.take_failed_device_login(source))
            else:
                attempts.enter_context(limits.take_failed_login(login, address))
            account = await site.accounts.find_by_login(login)
            if device is not None and not is_current(site.settings, device, account):
                attempts.enter_context(limits.take_failed_login(login, address))
                source = ""
            stored = account.password if account else None
            share = (account.player, source) if source and account is not None else _network_share(request)
            is_correct = await site.passwords.is_right(password, stored, share)
            if not is_correct or account is None:
                raise WrongOwnPassword if owner else WrongLogin
    except Exception:
        success_charge.give_back()
        raise
    remember_device(request, account)
    return account.player


async def _remember_device(request: Request, site: Site, player: str) -> None:
    """Make this browser a known device, after a password was set."""
    account = await site.accounts.find_by_player(player)
    if account is not None:
        remember_device(request, account)


async def _log_in(request: Request, site: Site, player: str) -> Player:
    found = await _find_admitted_player(site, player)
    await start_session(request, found)
    return found


async def _log_in_claiming(request: Request, site: Site, account: str, guest: Player) -> tuple[Player, bool]:
    """Log in and merge this browser's guest into the account, unless both sit at the same unfinished table."""
    found = await _find_admitted_player(site, account)
    must_stay_two = await are_at_same_table(site.games, guest.ids, found.ids)
    has_claimed = await start_session(request, found, None if must_stay_two else guest.id)
    if has_claimed:
        site.rename(*guest.ids, *found.ids, name=found.name)
    return found, has_claimed


async def _find_admitted_player(site: Site, player: str) -> Player:
    found = await site.people.find_player(player, site.now())
    if found is None:
        raise WrongLogin
    check_not_banned(found)
    return found


def _new_recovery_codes() -> list[str]:
    return [new_code(3) for _ in range(RECOVERY_CODE_COUNT)]


def _normalise_codes(codes: list[str]) -> list[str]:
    return [normalise_code(code) for code in codes]
