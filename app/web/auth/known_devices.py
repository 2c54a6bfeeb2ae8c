"""Device cookies: a browser that has logged in before has its own allowance for failed log-ins.

The cookie contains a random id, a stamp of the account and a signature over both and the log-in name. Nothing is
stored. The stamp depends on the password's hash and on a counter of the account, so a new password and "log out
everywhere" make every device unknown again.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from app.settings import Settings
from app.store.people.accounts import Account
from app.web.auth.sessions import DEVICE_COOKIE, cookie_name, set_device_cookie
from app.web.site import site_of

COOKIE_SECONDS = 365 * 86_400
_MAX_COOKIE_LENGTH = 120


@dataclass(frozen=True, slots=True)
class KnownDevice:
    """A browser that was logged in to an account; `stamp` is the account's stamp at that time."""

    id: str
    stamp: str


def read_known_device(connection: HTTPConnection, login: str) -> KnownDevice | None:
    """Return the device in the cookie if it was signed for this log-in name. Its stamp may be outdated."""
    settings = site_of(connection).settings
    value = connection.cookies.get(cookie_name(settings, DEVICE_COOKIE), "")
    parts = value.split(".")
    if len(value) > _MAX_COOKIE_LENGTH or len(parts) != 3:
        return None
    device = KnownDevice(parts[0], parts[1])
    is_ours = hmac.compare_digest(parts[2].encode(), _signature(settings, login, device).encode())
    return device if is_ours else None


def is_current(settings: Settings, device: KnownDevice, account: Account | None) -> bool:
    """Return whether the password is unchanged and the account was not logged out everywhere since."""
    return account is not None and hmac.compare_digest(
        device.stamp.encode(), _stamp(settings, account).encode()
    )


def remember_device(request: HTTPConnection, account: Account) -> None:
    """Make this browser a known device of the account. A device that is already known keeps its id."""
    settings = site_of(request).settings
    former = read_known_device(request, account.login)
    device = KnownDevice(former.id if former else secrets.token_urlsafe(12), _stamp(settings, account))
    value = f"{device.id}.{device.stamp}.{_signature(settings, account.login, device)}"
    set_device_cookie(request, value, COOKIE_SECONDS)


def forget_device(request: HTTPConnection) -> None:
    """Delete this browser's device cookie, including one that this request was about to set."""
    set_device_cookie(request, "", 0)


def _stamp(settings: Settings, account: Account) -> str:
    return _keyed_digest(
        settings, "device stamp", account.player, account.password, str(account.device_epoch)
    )[:16]


def _signature(settings: Settings, login: str, device: KnownDevice) -> str:
    return _keyed_digest(settings, "device", login, device.id, device.stamp)[:32]


def _keyed_digest(settings: Settings, *parts: str) -> str:
    return hmac.digest(settings.secret.encode(), "\0".join(parts).encode(), "sha256").hex()
