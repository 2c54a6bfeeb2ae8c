"""Settings of the server, from command-line flags and CARTAGENA_* environment variables."""

from __future__ import annotations

import argparse
import ipaddress
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, get_type_hints
from urllib.parse import urlsplit

ENVIRONMENT_PREFIX = "CARTAGENA_"
DEFAULT_SECRET = "not-a-secret-for-localhost-only"  # noqa: S105

_SCHEMES = {
    "sqlite": "sqlite",
    "sqlite+aiosqlite": "sqlite",  # accepted for configurations of older releases
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}


_EMBED_SITE = re.compile(
    r"https?://(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::\d{1,5})?/?",
    re.IGNORECASE,
)


class BadSettings(ValueError):
    """One or more settings are invalid; the message says which, and what is allowed."""


def _setting(default: Any, sentence: str, *, low: float | None = None, secret: bool = False) -> Any:
    """Define a setting: its default, its description for `--help` and docs/deploy.md, and its minimum `low`."""
    return field(default=default, metadata={"sentence": sentence, "low": low, "secret": secret})


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one server. Immutable, so that two apps in one process cannot affect each other."""

    # Addresses, processes, database
    host: str = _setting("127.0.0.1", "Address to listen on; 0.0.0.0 for all interfaces.")
    port: int = _setting(8000, "Port to listen on; 0 picks a free one.", low=0)
    workers: int = _setting(
        1, "Number of server processes; more than one requires PostgreSQL and Redis.", low=1
    )
    database: str = _setting(
        "sqlite:///cartagena.db", "Database URL: sqlite:///file.db or postgresql://user:password@host/name."
    )
    redis: str = _setting(
        "", "Redis URL for several processes, such as redis://host:6379/0; empty: in-process."
    )
    secret: str = _setting(
        DEFAULT_SECRET, "Secret key that signs cookies and codes; at least 32 characters.", secret=True
    )
    public_url: str = _setting(
        "", "Public address of the site, such as https://play.example.org; with https, cookies are Secure."
    )
    embed_sites: str = _setting(
        "*",
        "Sites that may embed tables in a frame (/embed/): *, none, or addresses separated by spaces.",
    )
    trusted_hops: int = _setting(
        0, "Number of trusted reverse proxies, whose X-Forwarded-For entries are used.", low=0
    )
    stop_seconds: float = _setting(5.0, "Seconds that a graceful shutdown waits for open requests.", low=0)
    bot_workers: int = _setting(1, "Bot processes per server process.", low=1)
    idle_seconds: float = _setting(
        60.0, "Seconds after which an unused room is unloaded; it is reloaded from its log on demand.", low=0
    )
    new_tables: int = _setting(
        4,
        "Version of new tables: 4, or 2 during a rolling update from a release that does not know 4.",
        low=2,
    )
    # Logs and metrics
    log_level: str = _setting("info", "Log level: debug, info, warning or error.")
    log_format: str = _setting("text", "Log format: text or json.")
    metrics_token: str = _setting(
        "", "Bearer token for /metrics; empty: access only as metrics_loopback allows.", secret=True
    )
    metrics_loopback: bool = _setting(
        True, "Whether direct requests from this machine may read /metrics without a token."
    )
    # Limits (token buckets: a rate per second and a burst)
    requests_per_second: float = _setting(30.0, "Average requests per second from one address.", low=0.01)
    requests_burst: int = _setting(
        600, "Burst of requests from one address (fifty people may share an address).", low=1
    )
    writes_per_second: float = _setting(5.0, "Average writes per second by one person.", low=0.01)
    writes_burst: int = _setting(60, "Burst of writes by one person.", low=1)
    guests_per_hour: int = _setting(120, "New guests per hour from one address.", low=1)
    logins_per_hour: int = _setting(
        20,
        "Failed log-ins per hour to one name from one address (IPv6: /56 twice, /48 4 times); to all names 6 times.",
        low=1,
    )
    codes_per_hour: int = _setting(30, "Wrong resume or recovery codes per hour from one address.", low=1)
    lookups_per_hour: int = _setting(
        600,
        "Failed look-ups of locked or unknown tables per hour from one address; a wrong password counts as ten.",
        low=1,
    )
    sockets_per_address: int = _setting(400, "Open sockets from one address.", low=1)
    sockets_per_person: int = _setting(24, "Open sockets of one person.", low=1)
    frames_per_second: float = _setting(
        10.0,
        "Average frames per second from one socket; 3 times as many per person, 50 times per address.",
        low=0.01,
    )
    frames_burst: int = _setting(40, "Burst of frames from one socket.", low=1)
    frame_bytes: int = _setting(4096, "Largest frame from a socket, in bytes.", low=256)
    body_bytes: int = _setting(
        1_048_576,
        "Largest uploaded record file, in bytes; other request bodies are limited to 16 KB.",
        low=1024,
    )
    rooms_per_guest: int = _setting(10, "Unfinished rooms created by one guest.", low=1)
    rooms_per_account: int = _setting(100, "Unfinished rooms created by one account.", low=1)
    # People
    session_days: int = _setting(180, "Days without a visit after which a device is logged out.", low=1)
    sessions_per_person: int = _setting(
        30,
        "Devices one person may be logged in on; beyond that, the least recently seen is logged out.",
        low=1,
    )
    resume_minutes: int = _setting(15, "Minutes for which a resume code is valid.", low=1)
    guest_days: int = _setting(
        180,
        "Days without a visit after which a guest without unfinished games is erased; 0: never.",
        low=0,
    )
    dead_room_days: int = _setting(
        14, "Days without activity after which an unfinished room is closed; 0: never.", low=0
    )
    chat_days: int = _setting(90, "Days for which chat lines are kept; 0: forever.", low=0)
    audit_days: int = _setting(
        730, "Days for which the audit log and settled reports are kept; 0: forever.", low=0
    )
    sweep_seconds: float = _setting(300.0, "Seconds between two deletions of expired data.", low=1)
    # Notices
    smtp_host: str = _setting("", "Mail server; empty: no e-mail is offered. Requires public_url, for links.")
    smtp_port: int = _setting(587, "Port of the mail server.", low=1)
    smtp_user: str = _setting("", "User name for the mail server; empty: no authentication.")
    smtp_password: str = _setting("", "Password for the mail server.", secret=True)
    smtp_security: str = _setting("starttls", "Encryption to the mail server: starttls, tls or none.")
    mail_from: str = _setting("Cartagena <cartagena@localhost>", "Sender of e-mails.")
    digest_minutes: float = _setting(30.0, "Minimum minutes between two notices to one person.", low=0)
    notify_seconds: float = _setting(5.0, "Seconds between two polls of each notice queue.", low=0.05)
    push: bool = _setting(True, "Whether web push is offered; the server creates its keys.")
    webhooks: bool = _setting(True, "Whether webhooks are offered; requires public_url, for links.")
    webhook_private: bool = _setting(False, "Whether webhooks and push services may be in private networks.")

    @property
    def database_url(self) -> str:
        """The database URL with the driver that this server uses."""
        scheme, rest = self.database.split(":", 1)
        return f"{_SCHEMES[scheme]}:{rest}"

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.public_url and not _is_loopback(urlsplit(self.public_url).hostname or ""):
            return False
        return _is_loopback(self.host)

    @property
    def public_host(self) -> str:
        """Host and port of `public_url`; empty if it is not set."""
        return urlsplit(self.public_url).netloc

    @property
    def frame_ancestors(self) -> str:
        """The sites that may frame /embed/, in the syntax of Content-Security-Policy."""
        sites = self.embed_sites.replace(",", " ").split()
        return "'none'" if sites == ["none"] else " ".join(site.rstrip("/") for site in sites)

    @property
    def is_https(self) -> bool:
        """Whether people reach the site over TLS (usually through a proxy), so that cookies are Secure."""
        return self.public_url.startswith("https://")

    @property
    def calls_webhooks(self) -> bool:
        """Whether webhooks are called. Their messages link to a table, so a public address is required."""
        return self.webhooks and bool(self.public_url)


def read_settings(environment: Mapping[str, str], flags: Mapping[str, object] | None = None) -> Settings:
    """Return the settings from the environment, overridden by flags that are not None. Raise BadSettings."""
    types = get_type_hints(Settings)
    values: dict[str, Any] = {}
    problems: list[str] = []
    known = {ENVIRONMENT_PREFIX + setting.name.upper() for setting in fields(Settings)}
    unknown = sorted(
        name for name in environment if name.startswith(ENVIRONMENT_PREFIX) and name not in known
    )
    problems += [f"{name} is not a setting; docs/deploy.md lists them." for name in unknown]
    for setting in fields(Settings):
        variable = ENVIRONMENT_PREFIX + setting.name.upper()
        flag = (flags or {}).get(setting.name)
        text = environment.get(variable) if flag is None else str(flag)
        if text is None:
            continue
        try:
            values[setting.name] = _parse_value(types[setting.name], text.strip())
        except ValueError as problem:
            problems.append(f"{variable} {problem}.")
    if problems:
        raise BadSettings(" ".join(problems))
    return _validate(Settings(**values))


def settings_from(arguments: argparse.Namespace) -> Settings:
    """Return the settings from this process's environment and command line. Raise BadSettings."""
    return read_settings(
        os.environ, {setting.name: getattr(arguments, setting.name, None) for setting in fields(Settings)}
    )


def _parse_value(value_type: type, text: str) -> object:
    if value_type is bool:
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        if text.lower() in ("0", "false", "no", "off", ""):
            return False
        raise ValueError(f"must be yes or no, not {text!r}")
    if value_type is str:
        return text
    try:
        number = value_type(text)
    except ValueError:
        raise ValueError(f"must be a {'whole ' if value_type is int else ''}number, not {text!r}") from None
    if value_type is float and not math.isfinite(number):
        raise ValueError("must be a finite number")
    return number


def _validate(settings: Settings) -> Settings:
    problems: list[str] = []

    def require(is_valid: bool, name: str, sentence: str) -> None:
        if not is_valid:
            problems.append(f"{ENVIRONMENT_PREFIX}{name.upper()} {sentence}.")

    for setting in fields(Settings):
        low = setting.metadata["low"]
        if low is not None:
            require(getattr(settings, setting.name) >= low, setting.name, f"must be at least {low}")
    require(settings.port <= 65535, "port", "must be at most 65535")
    scheme = settings.database.split(":", 1)[0]
    require(
        scheme in _SCHEMES and "://" in settings.database,
        "database",
        "must start with sqlite:/// or postgresql://",
    )
    require(
        settings.redis == "" or urlsplit(settings.redis).scheme in ("redis", "rediss", "unix"),
        "redis",
        "must start with redis://, rediss:// or unix://, or be empty",
    )
    for name, is_broken in (
        ("database", not scheme.startswith("sqlite") and _has_broken_database_password(settings.database)),
        ("redis", not settings.redis.startswith("unix") and _has_broken_redis_password(settings.redis)),
    ):
        require(
            not is_broken,
            name,
            "has a password with characters that are not URL-safe, such as @ / ? #; "
            "use letters and digits only, or percent-encode them (@ is %40)",
        )
    require(
        settings.log_level in ("debug", "info", "warning", "error"),
        "log_level",
        "must be debug, info, warning or error",
    )
    require(settings.new_tables in (2, 4), "new_tables", "must be 2 or 4")
    require(settings.log_format in ("text", "json"), "log_format", "must be text or json")
    require(
        settings.smtp_security in ("starttls", "tls", "none"),
        "smtp_security",
        "must be starttls, tls or none",
    )
    if settings.public_url:
        parts = urlsplit(settings.public_url)
        is_base_url = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.path in ("", "/")
        require(
            is_base_url and not parts.query,
            "public_url",
            "must be an address such as https://play.example.org",
        )
    require(
        settings.embed_sites in ("*", "none") or _are_sites(settings.embed_sites.replace(",", " ").split()),
        "embed_sites",
        "must be *, none, or addresses such as https://club.example.org https://*.example.com",
    )
    require(
        not settings.smtp_host or bool(settings.public_url),
        "public_url",
        "must be set for e-mails (CARTAGENA_SMTP_HOST): they contain links",
    )
    if settings.workers > 1:
        require(
            not scheme.startswith("sqlite"), "workers", "above 1 requires PostgreSQL (CARTAGENA_DATABASE)"
        )
        require(settings.redis != "", "workers", "above 1 requires Redis (CARTAGENA_REDIS)")
    if not settings.is_local:
        require(
            settings.secret != DEFAULT_SECRET,
            "secret",
            "is the default, which is public; set your own before others can reach this server",
        )
    if settings.secret != DEFAULT_SECRET:
        require(len(settings.secret) >= 32, "secret", "must have at least 32 characters")
    if problems:
        raise BadSettings(" ".join(problems))
    return settings


def _are_sites(sites: list[str]) -> bool:
    """Return whether each site is a valid CSP source: scheme, host (possibly a wildcard), optional port."""
    return bool(sites) and all(_EMBED_SITE.fullmatch(site) for site in sites)


def _has_broken_database_password(url: str) -> bool:
    """Return whether the password ends early: SQLAlchemy reads it up to the first @."""
    rest = url.partition("://")[2]
    credentials = re.match(r"[^:/]*(?::[^@]*)?@", rest)
    return credentials is not None and "@" in rest[credentials.end() :].partition("?")[0]


def _has_broken_redis_password(url: str) -> bool:
    """Return whether the password ends early: redis-py reads the authority up to the first / ? or #.

    Options such as ?password=a@b may contain an @.
    """
    rest = url.partition("://")[2]
    path, _, query = rest[len(re.split("[/?#]", rest, maxsplit=1)[0]) :].partition("?")
    return "@" in path or ("@" in query and not re.match(r"\w+=", query))


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
