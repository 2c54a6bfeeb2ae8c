"""Accounts over the API: register, log in anywhere, recover, log out everywhere, programs' tokens.

An unknown name and a wrong password get the same answer after the same work. Failures are counted by name, address
and network, whether or not the name exists; known devices and sessions have allowances of their own.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request

from app.bots.fair_queue import Share
from app.store.people.players import LoginTaken, Player, hashed
from app.web.api.me import Name, free_name, with_csrf
from app.web.api.models import Body, responses
from app.web.api.profiles import share_a_table
from app.web.auth import names
from app.web.auth.identity import KnownPerson, MaybePerson, Person, credential_of
from app.web.auth.known_devices import forget_device, is_current, known_device, remember_device
from app.web.auth.passwords import checked_password, new_code, plain_code
from app.web.auth.sessions import came_from, forget_cookie, session_of, start_session
from app.web.errors import Conflict, NotAllowed, NotFound, Refused
from app.web.routing import Router
from app.web.site import Site, site_of

router = Router(
    prefix="/api/v1/account", tags=["accounts"], responses=responses(401, 403, 404, 409, 413, 422)
)

Password = Annotated[str, Field(max_length=1000)]
RECOVERY_CODES = 8
TOKENS = 10


class Register(Body):
    """A password for me; a new name if I want one."""

    name: Name | None = None
    password: Password


class LogIn(Body):
    """`claim`: whether the games I began here as a guest become the account's."""

    name: Name
    password: Password
    claim: bool = True


class Recover(Body):
    """A recovery code sets a new password."""

    name: Name
    code: Annotated[str, Field(max_length=100)]
    password: Password


class ChangePassword(Body):
    """The old password and the new one."""

    old: Password
    new: Password


class OnlyPassword(Body):
    """The password once more, for what cannot be undone."""

    password: Password


class NewToken(Body):
    """What a program is called, and the password once more: a token outlives the cookie it was made with."""

    label: Annotated[str, Field(min_length=1, max_length=80)]
    password: Password


class WrongLogin(Refused):
    """Unknown name or wrong password: one answer."""

    status = 401

    def __init__(self) -> None:
        super().__init__("wrong_login", "There is no account with this name and password.")


@router.post("/register")
async def register(request: Request, body: Register, person: MaybePerson) -> dict[str, Any]:
    """Makes me an account; my guest's games stay mine. The recovery codes are shown this once."""
    site = site_of(request)
    if person is not None and person.is_account:
        raise Conflict("has_account", "You have an account already.")
    if person is None:
        site.bans.check_newcomer(came_from(request))
        site.limits.take_guest(request)
    else:
        site.limits.take_write(person.id)
    wanted = body.name if body.name is not None else (person.name if person else "")
    name = await free_name(site, wanted, person.id if person else None)
    password = await site.passwords.hash(checked_password(body.password, name), _network_share(request))
    codes = _codes()
    try:
        player = await site.accounts.register(
            person.id if person else None, names.named(name), password, _plain(codes), site.now()
        )
    except LoginTaken:
        raise Conflict("name_taken", "An account has that name. Choose another.") from None
    new = await _log_in(request, site, player)
    await _remember_device(request, site, player)
    site.rename(*new.ids, name=name)
    return with_csrf(request, new, recovery_codes=codes)


@router.post("/login")
async def log_in(request: Request, body: LogIn, person: MaybePerson) -> dict[str, Any]:
    """Logs this device in; the session is a fresh one."""
    site = site_of(request)
    player = await _checked(request, site, body.name, body.password)
    is_guest = person is not None and not person.is_account and not person.is_bot
    if person is None or not is_guest or not body.claim:
        return with_csrf(request, await _log_in(request, site, player), claimed=0)
    owner, has_claimed = await _log_in_claiming(request, site, player, person)
    return with_csrf(request, owner, claimed=int(has_claimed))


@router.post("/recover")
async def recover(request: Request, body: Recover) -> dict[str, Any]:
    """Sets a new password with a recovery code; every other device is logged out, codes are fresh."""
    site = site_of(request)
    login = names.login(body.name)
    checked_password(body.password, body.name)
    # Not counted by name: strangers could use that up, and a code is too long to be guessed.
    with site.limits.code(site.limits.key_of(request)):
        account = await site.accounts.by_login(login)
        player = account.player if account else ""
        if not await site.accounts.has_recovery_code(player, plain_code(body.code)):
            raise _wrong_code()
        # The code is used up last: with too many before it in the queue of passwords it is still good.
        password = await site.passwords.hash(body.password, _network_share(request))
        if not await site.accounts.use_recovery_code(player, plain_code(body.code)):
            raise _wrong_code()
    codes = _codes()
    await site.accounts.set_password(player, password)
    await site.accounts.replace_recovery_codes(player, _plain(codes), site.now())
    await _remember_device(request, site, player)
    site.sign_out("person", player)
    return with_csrf(request, await _log_in(request, site, player), recovery_codes=codes)


@router.post("/password")
async def change_password(request: Request, body: ChangePassword, person: KnownPerson) -> dict[str, Any]:
    """A new password; every other device is logged out."""
    site = site_of(request)
    await check_password(request, site, person, body.old)
    checked_password(body.new, person.name)
    password = await site.passwords.hash(body.new, (person.id, _session_source(request)))
    await site.accounts.set_password(person.id, password)
    await _remember_device(request, site, person.id)
    site.sign_out("person", person.id)
    return with_csrf(request, await _log_in(request, site, person.id))


@router.post("/recovery-codes")
async def new_recovery_codes(request: Request, body: OnlyPassword, person: KnownPerson) -> dict[str, Any]:
    """Fresh recovery codes; the old ones are void."""
    site = site_of(request)
    await check_password(request, site, person, body.password)
    codes = _codes()
    await site.accounts.replace_recovery_codes(person.id, _plain(codes), site.now())
    return {"recovery_codes": codes}


@router.post("/logout")
async def log_out(request: Request, person: KnownPerson) -> dict[str, Any]:
    """This device is nobody's from now on; a guest who logs out is gone for good."""
    site = site_of(request)
    session = session_of(request)
    assert session is not None  # or nobody would be known
    await site.people.close_session(session)
    site.sign_out("session", hashed(session))
    forget_cookie(request)
    return {}


@router.post("/logout-everywhere")
async def log_out_everywhere(request: Request, person: KnownPerson) -> dict[str, Any]:
    """Every device is logged out, this one too, and open sockets are closed."""
    site = site_of(request)
    closed = await site.people.close_all_sessions(person.id)
    site.sign_out("person", person.id)
    forget_cookie(request)
    if person.is_account:
        forget_device(request)
    return {"closed": closed}


@router.get("/tokens")
async def tokens(request: Request, person: KnownPerson) -> dict[str, Any]:
    """The programs that may play for me."""
    rows = await site_of(request).accounts.tokens(person.id)
    return {"tokens": [{"id": row[0], "label": row[1], "seen_at": row[2] * 1000} for row in rows]}


@router.post("/tokens")
async def add_token(request: Request, body: NewToken, person: KnownPerson) -> dict[str, Any]:
    """A bearer token for a program; shown this once."""
    site = site_of(request)
    if not person.is_account:
        raise NotAllowed("account_needed", "Register an account first: a token outlives a guest's cookie.")
    site.limits.take_write(person.id)
    await check_password(request, site, person, body.password)
    label = "".join(letter for letter in body.label if letter.isprintable()).strip() or "program"
    token = await site.accounts.add_token(person.id, label, site.now(), TOKENS)
    if token is None:
        raise Conflict("too_many_tokens", f"You may have {TOKENS} tokens. Remove one first.")
    return {"token": token, "label": label}


@router.delete("/tokens/{token}")
async def remove_token(request: Request, token: str, person: KnownPerson) -> dict[str, Any]:
    """The token is void at once here, within seconds on every worker."""
    site = site_of(request)
    removed = await site.accounts.remove_token(person.id, token) if len(token) == 16 else []
    if not removed:
        raise NotFound
    site.sign_out("session", *removed)
    return {}


async def check_password(request: Request, site: Site, person: Person, password: str) -> None:
    """Check the password of a signed-in person once more; raises WrongLogin, NotAllowed for guests, TooMany."""
    if not person.is_account:
        raise NotAllowed("account_needed", "You have no account yet.")
    await _checked(request, site, person.name, password, person)


def _session_source(request: Request) -> str:
    """What a signed-in person's passwords are counted under: nobody else can use that allowance up."""
    return f"session {credential_of(request)}"


def _network_share(request: Request) -> Share:
    """Return the share of threads of those who are not known: that of their networks."""
    site = site_of(request)
    return site.shares.of(site.limits.address_of(request))


async def _checked(
    request: Request, site: Site, name: str, password: str, owner: Person | None = None
) -> str:
    """Return the player whose name and password these are; raises WrongLogin, TooMany.

    An `owner` who is signed in and known devices have allowances of their own, so that strangers who fail cannot lock
    them out. Everybody else shares those of the address, its networks and the name.
    """
    limits, login = site.limits, names.login(name)
    address = limits.address_of(request)
    device = None if owner else known_device(request, login)
    if owner is not None:
        source, right = _session_source(request), limits.known_right_login(f"person {owner.id}")
    elif device is not None:
        source = f"device {device.id}"
        right = limits.known_right_login(source)
    else:
        source, right = "", limits.right_login(login, limits.key_of(request))
    try:
        with ExitStack() as attempts:
            if owner is not None:
                attempts.enter_context(limits.repeated_login(source, owner.id))
            elif device is not None:
                attempts.enter_context(limits.known_login(source))
            else:
                attempts.enter_context(limits.login(login, address))
            account = await site.accounts.by_login(login)
            if device is not None and not is_current(site.settings, device, account):
                attempts.enter_context(limits.login(login, address))
                source = ""
            stored = account.password if account else None
            share = (account.player, source) if source and account is not None else _network_share(request)
            fits = await site.passwords.is_right(password, stored, share)
            if not fits or account is None:
                raise WrongLogin
    except Exception:
        right.give_back()
        raise
    remember_device(request, account)
    return account.player


async def _remember_device(request: Request, site: Site, player: str) -> None:
    """Make this browser a known device, after a password was set."""
    account = await site.accounts.of_player(player)
    if account is not None:
        remember_device(request, account)


async def _log_in(request: Request, site: Site, player: str) -> Person:
    found = await _admitted(site, player)
    await start_session(request, found)
    return Person.of(found)


async def _log_in_claiming(request: Request, site: Site, account: str, guest: Person) -> tuple[Person, bool]:
    """Log in and claim the guest of this browser, unless both sit at one unfinished table: they must stay two."""
    found = await _admitted(site, account)
    ids = (found.id, *found.aliases)
    has_claimed = await start_session(
        request, found, None if await share_a_table(site.games, guest.ids, ids) else guest.id
    )
    if has_claimed:
        site.rename(*guest.ids, *ids, name=found.name)
    return Person.of(found), has_claimed


async def _admitted(site: Site, player: str) -> Player:
    found = await site.people.player(player, site.now())
    if found is None:
        raise WrongLogin
    if found.is_banned:
        raise NotAllowed("banned", "You have been shut out of this server by its operator.")
    return found


def _codes() -> list[str]:
    return [new_code(3) for _ in range(RECOVERY_CODES)]


def _plain(codes: list[str]) -> list[str]:
    return [plain_code(code) for code in codes]


def _wrong_code() -> Refused:
    problem = Refused("wrong_code", "That code does not fit, or it was used already.")
    problem.status = 401
    return problem
