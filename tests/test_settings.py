"""Settings: read from the environment, overridden by flags, refused with an explanation."""

from __future__ import annotations

from dataclasses import fields

import pytest

from app.settings import DEFAULT_SECRET, BadSettings, Settings, read_settings

VALID_SECRET = "s" * 32


def test_default_settings_serve_localhost_only() -> None:
    settings = read_settings({})
    assert settings == Settings()
    assert settings.is_local
    assert settings.database_url == "sqlite:///cartagena.db"


def test_flags_override_the_environment() -> None:
    settings = read_settings(
        {"CARTAGENA_PORT": "9000", "CARTAGENA_WEBHOOKS": "no", "PATH": "/bin"}, {"port": "9001", "host": None}
    )
    assert (settings.port, settings.webhooks, settings.host) == (9001, False, "127.0.0.1")


@pytest.mark.parametrize(
    ("given", "driver"),
    [
        ("postgresql://u:p@h/d", "postgresql+asyncpg://u:p@h/d"),
        ("postgres://h/d", "postgresql+asyncpg://h/d"),
        ("sqlite:////data/x.db", "sqlite:////data/x.db"),
    ],
)
def test_database_url_needs_no_driver(given: str, driver: str) -> None:
    assert read_settings({"CARTAGENA_DATABASE": given}).database_url == driver


@pytest.mark.parametrize(
    "reachable",
    [
        {"CARTAGENA_HOST": "0.0.0.0"},
        {"CARTAGENA_HOST": "::"},
        {"CARTAGENA_HOST": "192.168.1.4"},
        {"CARTAGENA_HOST": "table.example.org"},
        {"CARTAGENA_PUBLIC_URL": "https://play.example.org"},
    ],
)
def test_default_secret_is_refused_on_a_reachable_server(reachable: dict[str, str]) -> None:
    with pytest.raises(BadSettings, match="CARTAGENA_SECRET is the default"):
        read_settings(reachable)
    with pytest.raises(BadSettings, match="CARTAGENA_SECRET must have at least 32 characters"):
        read_settings({**reachable, "CARTAGENA_SECRET": "short"})
    assert not read_settings({**reachable, "CARTAGENA_SECRET": VALID_SECRET}).is_local


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.9.9.9"])
def test_default_secret_is_accepted_on_localhost(host: str) -> None:
    assert read_settings({"CARTAGENA_HOST": host}).secret == DEFAULT_SECRET


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("PORT", "eight", "must be a whole number"),
        ("PORT", "70000", "must be at most 65535"),
        ("PORT", "-1", "must be at least 0"),
        ("WORKERS", "0", "must be at least 1"),
        ("WORKERS", "2", "requires PostgreSQL"),
        ("DATABASE", "mysql://x/y", "must start with sqlite:/// or postgresql://"),
        ("DATABASE", "cartagena.db", "must start with sqlite:/// or postgresql://"),
        ("REDIS", "localhost:6379", "must start with redis://"),
        ("LOG_LEVEL", "loud", "must be debug, info, warning or error"),
        ("LOG_FORMAT", "xml", "must be text or json"),
        ("SMTP_SECURITY", "maybe", "must be starttls, tls or none"),
        ("PUBLIC_URL", "play.example.org", "must be an address such as https://play.example.org"),
        (
            "PUBLIC_URL",
            "https://play.example.org/games",
            "must be an address such as https://play.example.org",
        ),
        ("WEBHOOKS", "perhaps", "must be yes or no"),
        ("REQUESTS_PER_SECOND", "nan", "must be a finite number"),
        ("REQUESTS_PER_SECOND", "0", "must be at least 0.01"),
        ("DIGEST_MINUTES", "soon", "must be a number"),
        ("COLOUR", "red", "is not a setting"),
    ],
)
def test_invalid_setting_is_refused_with_its_name_and_expected_value(
    name: str, value: str, sentence: str
) -> None:
    with pytest.raises(BadSettings) as refusal:
        read_settings({f"CARTAGENA_{name}": value})
    assert f"CARTAGENA_{name} " in str(refusal.value)
    assert sentence in str(refusal.value)


def test_all_invalid_settings_are_reported_together() -> None:
    with pytest.raises(BadSettings) as refusal:
        read_settings({"CARTAGENA_PORT": "x", "CARTAGENA_LOG_LEVEL": "y", "CARTAGENA_TYPO": "z"})
    assert "CARTAGENA_PORT" in str(refusal.value)
    assert "CARTAGENA_TYPO" in str(refusal.value)


def test_error_messages_never_contain_a_secret() -> None:
    with pytest.raises(BadSettings) as refusal:
        read_settings({"CARTAGENA_HOST": "0.0.0.0", "CARTAGENA_SECRET": "my-little-secret"})
    assert "my-little-secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("DATABASE", "postgresql://cartagena:my@word@postgres/cartagena"),
        ("DATABASE", "postgres://cartagena:my@wo/rd@postgres/cartagena"),
        ("DATABASE", "postgresql://cartagena:@@postgres/cartagena"),
        ("REDIS", "redis://:my/word@redis:6379/0"),
        ("REDIS", "redis://:my#word@redis:6379/0"),
        ("REDIS", "redis://:my?word@redis:6379/0"),
        ("REDIS", "rediss://user:my@wo/rd@redis:6379"),
        ("REDIS", "rediss://user:my@wo?rd@redis:6379"),
    ],
)
def test_password_that_is_not_url_safe_is_refused_with_an_explanation(name: str, url: str) -> None:
    with pytest.raises(BadSettings) as refusal:
        read_settings({f"CARTAGENA_{name}": url})
    assert f"CARTAGENA_{name} has a password with characters that are not URL-safe" in str(refusal.value)
    assert "my" not in str(refusal.value), "the message must not show the password"


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("DATABASE", "postgresql://cartagena:my%40word@postgres/cartagena"),
        ("DATABASE", "postgresql://cartagena:a/b?c#d@postgres/cartagena"),  # SQLAlchemy can read these
        ("DATABASE", "postgresql://cartagena@postgres:5432/cartagena"),
        ("DATABASE", "postgresql://u:p@/d?host=/tmp/@socket"),
        ("DATABASE", "sqlite:////srv/me@home/cartagena.db"),
        ("REDIS", "redis://:my%2Fword@redis:6379/0"),
        ("REDIS", "redis://:my@word@redis:6379/0"),  # redis-py can read this
        ("REDIS", "rediss://:p@redis:6379?ssl_ca_certs=/etc/a@b.pem"),
        ("REDIS", "redis://redis:6379/0?password=a@b"),
        ("REDIS", "redis://redis:6379?password=a@b&db=1"),
        ("REDIS", "unix:///run/redis@home.sock"),
    ],
)
def test_password_that_its_driver_can_read_is_accepted(name: str, url: str) -> None:
    settings = read_settings({f"CARTAGENA_{name}": url})
    assert url in (settings.database, settings.redis)


def test_every_setting_has_a_description() -> None:
    for each in fields(Settings):
        assert each.metadata["sentence"].endswith(".")


def test_number_below_its_minimum_is_refused() -> None:
    with pytest.raises(BadSettings, match="CARTAGENA_PORT must be at least 0"):
        read_settings({"CARTAGENA_PORT": "-1"})


def test_mail_without_an_address_to_link_to_is_refused_and_webhooks_are_not_offered() -> None:
    with pytest.raises(BadSettings, match="CARTAGENA_PUBLIC_URL must be set for e-mails"):
        read_settings({"CARTAGENA_SMTP_HOST": "mail.example.org"})
    public = {"CARTAGENA_PUBLIC_URL": "http://localhost:8000"}
    assert read_settings({"CARTAGENA_SMTP_HOST": "mail.example.org", **public}).calls_webhooks
    assert not read_settings({}).calls_webhooks
    assert not read_settings({"CARTAGENA_WEBHOOKS": "no", **public}).calls_webhooks
