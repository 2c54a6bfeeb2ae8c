"""E-mail over SMTP: plain text with an HTML alternative, one message at a time, with headers for automatic mail."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid, parseaddr

from app.settings import Settings

_TIMEOUT_SECONDS = 20.0  # per SMTP operation
_LOCAL_PART = re.compile(
    r"[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*", re.ASCII
)  # RFC 5322: a dot-atom


class MailFailed(Exception):
    """The mail server did not accept the message."""


class BadAddress(ValueError):
    """Not an e-mail address."""


def validate_address(text: str) -> str:
    """Return the normalised e-mail address; raise BadAddress. The real test is the code that is sent to it."""
    address = text.strip()
    local, at, domain = address.rpartition("@")
    if not at or len(address) > 254 or not address.isascii() or not _LOCAL_PART.fullmatch(local):
        raise BadAddress(text)
    if "." not in domain.strip(".") and domain != "localhost":
        raise BadAddress(text)
    if not all(part and part.replace("-", "").isalnum() for part in domain.split(".")):
        raise BadAddress(text)
    return f"{local}@{domain.lower()}"


class Mailer:
    """Sends through the mail server in the settings, if there is one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def is_configured(self) -> bool:
        """Return whether the settings name a mail server."""
        return bool(self._settings.smtp_host)

    async def send(self, to: str, subject: str, text: str, html: str, stop_url: str | None = None) -> None:
        """Send one message, whose `html` says the same as its `text`. Raise MailFailed."""
        import aiosmtplib  # imported late for a faster start: most servers send no mail

        settings = self._settings
        name, sender = parseaddr(settings.mail_from)
        local, _, domain = sender.partition("@")
        message = EmailMessage()
        message["From"] = Address(name, local, domain or "localhost")
        message["To"] = Address(addr_spec=to)
        message["Subject"] = " ".join(subject.split())
        message["Date"] = format_datetime(datetime.now(UTC))
        message["Message-ID"] = make_msgid(domain=domain or "localhost")
        message["Auto-Submitted"] = "auto-generated"
        if stop_url is not None:
            message["List-Unsubscribe"] = f"<{stop_url}>"
            message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        message.set_content(text)
        message.add_alternative(html, subtype="html")
        try:
            await aiosmtplib.send(
                message,
                hostname=settings.smtp_host,
                port=settings.smtp_port,
                username=settings.smtp_user or None,
                password=settings.smtp_password or None,
                use_tls=settings.smtp_security == "tls",
                start_tls=settings.smtp_security == "starttls",
                timeout=_TIMEOUT_SECONDS,
            )
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as problem:
            raise MailFailed(type(problem).__name__) from problem
