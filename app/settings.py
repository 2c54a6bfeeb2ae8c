"""Settings: every knob of the server, from flags and CARTAGENA_* variables, refused with a sentence."""

from __future__ import annotations

import argparse
import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, get_type_hints
from urllib.parse import urlsplit

PREFIX = "CARTAGENA_"
DEFAULT_SECRET = "not-a-secret-for-localhost-only"  # noqa: S105

_SCHEMES = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}


_SITE = re.compile(
    r"https?://(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::\d{1,5})?/?",
    re.IGNORECASE,
)


class BadSettings(ValueError):
    """One or more settings are wrong; the text says which and what to write instead."""


def _set(default: Any, sentence: str, *, low: float | None = None, secret: bool = False) -> Any:
    """A setting with its sentence for `--help` and docs/deploy.md; `low` is its least value."""
    return field(default=default, metadata={"sentence": sentence, "low": low, "secret": secret})


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one server; immutable, so that two apps in one process never share a change."""

    # Where it listens and what it stands on
    host: str = _set("127.0.0.1", "Address to listen on; 0.0.0.0 for every interface.")
    port: int = _set(8000, "Port to listen on; 0 lets the system choose one.", low=0)
    workers: int = _set(1, "Server processes; more than one needs PostgreSQL and Redis.", low=1)
    database: str = _set(
        "sqlite:///cartagena.db", "Database: sqlite:///file.db or postgresql://user:password@host/name."
    )
    redis: str = _set("", "Redis address for several processes, redis://host:6379/0; empty: in-process.")
    secret: str = _set(
        DEFAULT_SECRET, "Key that signs cookies and codes: at least 32 characters, kept private.", secret=True
    )
    public_url: str = _set("", "Address people type, https://play.example.org; https makes cookies Secure.")
    embed_sites: str = _set(
        "*",
        "Sites whose pages may show a table in a frame (/embed/): *, none, or addresses with spaces between.",
    )
    trusted_hops: int = _set(0, "Reverse proxies in front whose X-Forwarded-For entries are believed.", low=0)
    stop_seconds: float = _set(5.0, "Longest time a graceful stop waits for open requests.", low=0)
    bot_workers: int = _set(1, "Processes in which the bots of one server process think.", low=1)
    idle_seconds: float = _set(
        60.0, "Seconds after which a room that nobody uses is put away; the log brings it back.", low=0
    )
    new_tables: int = _set(
        2, "Version of new tables; 1 while older processes, which know no sealed seats, still serve.", low=1
    )
    # What it tells its operator
    log_level: str = _set("info", "debug, info, warning or error.")
    log_format: str = _set("text", "text for people, json for machines.")
    metrics_token: str = _set(
        "", "Bearer token that may read /metrics; empty: only as metrics_loopback says.", secret=True
    )
    metrics_loopback: bool = _set(
        True, "Whether a direct request from this machine may read /metrics without a token."
    )
    # Limits (requests and frames are counted in token buckets: a rate a second and a burst)
    requests_per_second: float = _set(
        30.0, "Requests a second that one address may make, averaged.", low=0.01
    )
    requests_burst: int = _set(
        600, "Requests one address may make at once (fifty people may share an address).", low=1
    )
    writes_per_second: float = _set(5.0, "Writes a second that one person may make, averaged.", low=0.01)
    writes_burst: int = _set(60, "Writes one person may make at once.", low=1)
    guests_per_hour: int = _set(120, "New guests an hour from one address.", low=1)
    logins_per_hour: int = _set(
        20,
        "Failed log-ins an hour for a name from one address (an IPv6 /56: twice, a /48: 4 times); any name: 6 times.",
        low=1,
    )
    codes_per_hour: int = _set(30, "Wrong resume or recovery codes an hour from one address.", low=1)
    lookups_per_hour: int = _set(
        600,
        "Locked or unknown tables an hour at which one address may knock in vain; a wrong password counts ten.",
        low=1,
    )
    sockets_per_address: int = _set(400, "Open sockets one address may hold.", low=1)
    sockets_per_person: int = _set(24, "Open sockets one person may hold.", low=1)
    frames_per_second: float = _set(
        10.0, "Frames a second one socket may send; a person 3 times, an address 50 times that.", low=0.01
    )
    frames_burst: int = _set(40, "Frames one socket may send at once.", low=1)
    frame_bytes: int = _set(4096, "Largest frame a socket may send.", low=256)
    body_bytes: int = _set(
        1_048_576, "Largest record file that may be sent; other request bodies have at most 16 KB.", low=1024
    )
    rooms_per_guest: int = _set(10, "Unfinished rooms one guest may have created.", low=1)
    rooms_per_account: int = _set(100, "Unfinished rooms one account may have created.", low=1)
    # People
    session_days: int = _set(180, "Days without a visit after which a device is logged out.", low=1)
    sessions_per_person: int = _set(
        30, "Devices one person may be logged in on; the one not seen for longest is logged out.", low=1
    )
    resume_minutes: int = _set(15, "Minutes a resume code is good for.", low=1)
    guest_days: int = _set(
        180,
        "Days without a visit after which a guest without unfinished games is forgotten; 0: never.",
        low=0,
    )
    dead_room_days: int = _set(
        14, "Days after which a room that never started or stands still is closed; 0: never.", low=0
    )
    chat_days: int = _set(90, "Days chat lines are kept; 0: for ever.", low=0)
    audit_days: int = _set(
        730, "Days the operator's audit log and settled reports are kept; 0: for ever.", low=0
    )
    sweep_seconds: float = _set(
        300.0, "Seconds between two rounds of forgetting what the settings say.", low=1
    )
    # Telling people that it is their turn
    smtp_host: str = _set("", "Mail server; empty: no e-mail is offered. Needs a public_url to link to.")
    smtp_port: int = _set(587, "Port of the mail server.", low=1)
    smtp_user: str = _set("", "User name for the mail server; empty: none.")
    smtp_password: str = _set("", "Password for the mail server.", secret=True)
    smtp_security: str = _set("starttls", "starttls, tls or none.")
    mail_from: str = _set("Cartagena <cartagena@localhost>", "Sender of the e-mails.")
    digest_minutes: float = _set(30.0, "Least minutes between two notifications to one person.", low=0)
    notify_seconds: float = _set(5.0, "Seconds between two claims of each queue of notices.", low=0.05)
    push: bool = _set(
        True, "Whether people may be told in their browsers (web push); its keys are made here."
    )
    webhooks: bool = _set(True, "Whether people may have webhooks called; only with a public_url to link to.")
    webhook_private: bool = _set(False, "Whether a webhook or a push service may be in a private network.")

    @property
    def database_url(self) -> str:
        """The database's address with the driver that this server uses."""
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
        """Host (and port) of the address people type; empty when that is not set."""
        return urlsplit(self.public_url).netloc

    @property
    def frame_ancestors(self) -> str:
        """Whose pages may show /embed/ in a frame, as the Content-Security-Policy says it."""
        sites = self.embed_sites.replace(",", " ").split()
        return "'none'" if sites == ["none"] else " ".join(site.rstrip("/") for site in sites)

    @property
    def is_https(self) -> bool:
        """Whether people reach it over TLS (the proxy's), so that cookies are Secure."""
        return self.public_url.startswith("https://")

    @property
    def calls_webhooks(self) -> bool:
        """Whether webhooks are called: what they tell leads to a table, so there must be an address to lead to."""
        return self.webhooks and bool(self.public_url)


def setting_names() -> tuple[Field[Any], ...]:
    """Every setting's field, in the order of the documentation; `metadata["sentence"]` explains it."""
    return fields(Settings)


def read_settings(environment: Mapping[str, str], flags: Mapping[str, object] | None = None) -> Settings:
    """Settings from the environment, overridden by the flags that are not None; raises BadSettings."""
    kinds = get_type_hints(Settings)
    given: dict[str, Any] = {}
    wrong: list[str] = []
    known = {PREFIX + each.name.upper() for each in setting_names()}
    strange = sorted(name for name in environment if name.startswith(PREFIX) and name not in known)
    wrong += [f"{name} is not a setting; docs/deploy.md lists them." for name in strange]
    for each in setting_names():
        flag = (flags or {}).get(each.name)
        text = environment.get(PREFIX + each.name.upper()) if flag is None else str(flag)
        if text is None:
            continue
        try:
            given[each.name] = _parsed(kinds[each.name], text.strip())
        except ValueError as problem:
            wrong.append(f"{PREFIX}{each.name.upper()} {problem}.")
    if wrong:
        raise BadSettings(" ".join(wrong))
    return _validated(Settings(**given))


def settings_from(arguments: argparse.Namespace) -> Settings:
    """Settings from this process's environment and its command line; raises BadSettings."""
    return read_settings(
        os.environ, {each.name: getattr(arguments, each.name, None) for each in setting_names()}
    )


def _parsed(kind: type, text: str) -> object:
    if kind is bool:
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        if text.lower() in ("0", "false", "no", "off", ""):
            return False
        raise ValueError(f"must be yes or no, not {text!r}")
    if kind is int:
        try:
            return int(text)
        except ValueError:
            raise ValueError(f"must be a whole number, not {text!r}") from None
    if kind is float:
        try:
            number = float(text)
        except ValueError:
            raise ValueError(f"must be a number, not {text!r}") from None
        if number != number or number in (float("inf"), float("-inf")):
            raise ValueError("must be a finite number")
        return number
    return text


def _validated(settings: Settings) -> Settings:
    wrong: list[str] = []

    def need(held: bool, name: str, sentence: str) -> None:
        if not held:
            wrong.append(f"{PREFIX}{name.upper()} {sentence}.")

    for each in setting_names():
        low = each.metadata["low"]
        if low is not None:
            need(getattr(settings, each.name) >= low, each.name, f"must be at least {low}")
    need(settings.port <= 65535, "port", "must be at most 65535")
    scheme = settings.database.split(":", 1)[0]
    need(
        scheme in _SCHEMES and "://" in settings.database,
        "database",
        "must start with sqlite:/// or postgresql://",
    )
    need(
        settings.redis == "" or urlsplit(settings.redis).scheme in ("redis", "rediss", "unix"),
        "redis",
        "must start with redis://, rediss:// or unix://, or be empty",
    )
    need(
        settings.log_level in ("debug", "info", "warning", "error"),
        "log_level",
        "must be debug, info, warning or error",
    )
    need(settings.new_tables <= 2, "new_tables", "must be 1 or 2")
    need(settings.log_format in ("text", "json"), "log_format", "must be text or json")
    need(
        settings.smtp_security in ("starttls", "tls", "none"),
        "smtp_security",
        "must be starttls, tls or none",
    )
    if settings.public_url:
        parts = urlsplit(settings.public_url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.path in ("", "/")
        need(whole and not parts.query, "public_url", "must look like https://play.example.org")
    need(
        settings.embed_sites in ("*", "none") or _are_sites(settings.embed_sites.replace(",", " ").split()),
        "embed_sites",
        "must be *, none, or addresses such as https://club.example.org https://*.example.com",
    )
    need(
        not settings.smtp_host or bool(settings.public_url),
        "public_url",
        "must be set when e-mails are sent (CARTAGENA_SMTP_HOST): their links would lead nowhere",
    )
    if settings.workers > 1:
        need(not scheme.startswith("sqlite"), "workers", "above 1 needs PostgreSQL (CARTAGENA_DATABASE)")
        need(settings.redis != "", "workers", "above 1 needs Redis (CARTAGENA_REDIS)")
    if not settings.is_local:
        need(
            settings.secret != DEFAULT_SECRET,
            "secret",
            "is the default, which everybody knows; set your own before others can reach this server",
        )
    if settings.secret != DEFAULT_SECRET:
        need(len(settings.secret) >= 32, "secret", "must have at least 32 characters")
    if wrong:
        raise BadSettings(" ".join(wrong))
    return settings


def _are_sites(sites: list[str]) -> bool:
    """Whether each can stand in a policy as it is: scheme and host (a star for what is below it), perhaps a port."""
    return bool(sites) and all(_SITE.fullmatch(site) for site in sites)


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
