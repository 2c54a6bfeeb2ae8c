"""E-mail over SMTP: plain text, one message at a time, with the headers that keep it polite."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid, parseaddr

from app.settings import Settings

_PATIENCE = 20.0  # seconds for the whole talk with the mail server
_LOCAL = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*", re.ASCII)  # RFC 5322: a dot-atom


class MailFailed(Exception):
    """The mail server did not take the message."""


class BadAddress(ValueError):
    """Not an e-mail address."""


def checked_address(text: str) -> str:
    """An e-mail address as it is kept; raises BadAddress. The code that is sent to it is the real test."""
    address = text.strip()
    local, at, domain = address.rpartition("@")
    if not at or len(address) > 254 or not address.isascii() or not _LOCAL.fullmatch(local):
        raise BadAddress(text)
    if "." not in domain.strip(".") and domain != "localhost":
        raise BadAddress(text)
    if not all(part and part.replace("-", "").isalnum() for part in domain.split(".")):
        raise BadAddress(text)
    return f"{local}@{domain.lower()}"


class Mailer:
    """Sends through the mail server of the settings; `is_open` tells whether there is one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def is_open(self) -> bool:
        """Whether e-mail can be offered."""
        return bool(self._settings.smtp_host)

    async def send(self, to: str, subject: str, text: str, stop_url: str | None = None) -> None:
        """One message to one person; raises MailFailed."""
        import aiosmtplib  # most servers never send any, and all start sooner without it

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
        try:
            await aiosmtplib.send(
                message,
                hostname=settings.smtp_host,
                port=settings.smtp_port,
                username=settings.smtp_user or None,
                password=settings.smtp_password or None,
                use_tls=settings.smtp_security == "tls",
                start_tls=settings.smtp_security == "starttls",
                timeout=_PATIENCE,
            )
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as problem:
            raise MailFailed(type(problem).__name__) from problem
