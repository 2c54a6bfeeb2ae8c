"""Device cookies: a browser in which somebody has logged in before has its own allowance for wrong log-ins there.

The cookie holds a random id, a stamp of the account and a signature over both and the log-in name. Nothing is stored.
The stamp depends on the password's hash and on a counter of the account, so that a new password and "log out
everywhere" make every device unknown again.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from app.settings import Settings
from app.store.people.accounts import Account
from app.web.auth.sessions import DEVICE_COOKIE, cookie_flags, set_device_cookie
from app.web.site import site_of

MAX_AGE_SECONDS = 365 * 86_400
_MAX_COOKIE_LENGTH = 120


@dataclass(frozen=True, slots=True)
class KnownDevice:
    """A browser that was once logged in to an account; `stamp` is the account's at that time."""

    id: str
    stamp: str


def known_device(connection: HTTPConnection, login: str) -> KnownDevice | None:
    """Return the device in the cookie, if it was signed for this log-in name; its stamp may be out of date."""
    settings = site_of(connection).settings
    value = connection.cookies.get(device_cookie_name(settings), "")
    parts = value.split(".")
    if len(value) > _MAX_COOKIE_LENGTH or len(parts) != 3:
        return None
    device = KnownDevice(parts[0], parts[1])
    return (
        device
        if hmac.compare_digest(parts[2].encode(), _signature(settings, login, device).encode())
        else None
    )


def is_current(settings: Settings, device: KnownDevice, account: Account | None) -> bool:
    """Return whether the account has the same password, and was not logged out everywhere, since then."""
    return account is not None and hmac.compare_digest(
        device.stamp.encode(), _stamp(settings, account).encode()
    )


def remember_device(request: HTTPConnection, account: Account) -> None:
    """Make this browser a known device of the account; one that is known already keeps its id."""
    settings = site_of(request).settings
    former = known_device(request, account.login)
    device = KnownDevice(former.id if former else secrets.token_urlsafe(12), _stamp(settings, account))
    value = f"{device.id}.{device.stamp}.{_signature(settings, account.login, device)}"
    set_device_cookie(
        request, f"{device_cookie_name(settings)}={value}; Max-Age={MAX_AGE_SECONDS}{cookie_flags(settings)}"
    )


def forget_device(request: HTTPConnection) -> None:
    """Delete this browser's cookie, also one that this request was about to set."""
    settings = site_of(request).settings
    set_device_cookie(request, f"{device_cookie_name(settings)}=; Max-Age=0{cookie_flags(settings)}")


def device_cookie_name(settings: Settings) -> str:
    return f"__Host-{DEVICE_COOKIE}" if settings.is_https else DEVICE_COOKIE


def _stamp(settings: Settings, account: Account) -> str:
    return _keyed(settings, "device stamp", account.player, account.password, str(account.device_epoch))[:16]


def _signature(settings: Settings, login: str, device: KnownDevice) -> str:
    return _keyed(settings, "device", login, device.id, device.stamp)[:32]


def _keyed(settings: Settings, *parts: str) -> str:
    return hmac.digest(settings.secret.encode(), "\0".join(parts).encode(), "sha256").hex()
