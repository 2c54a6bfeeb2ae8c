"""Logs for the operator: one line per event, as text or JSON, without secrets and cards.

Callers pass fields explicitly (`extra={"fields": {...}}`). Of a request only method, route and status are logged, so
that codes in addresses, cookies, bodies and hands never reach a file.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from datetime import UTC, datetime

_HIDDEN_FIELD_WORDS = (
    "password",
    "secret",
    "token",
    "cookie",
    "code",
    "session",
    "seed",
    "hand",
    "deck",
    "cards",
    "email",
)


# uvicorn's messages about invalid requests and new connections. Peers must not be able to fill the log, and paths may
# contain secret room links.
_PEER_MESSAGE_PREFIXES = ("Invalid HTTP request", "Unsupported upgrade", '%s - "WebSocket', "connection ")


def _is_not_about_peer(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith(_PEER_MESSAGE_PREFIXES)


def _is_relevant(record: logging.LogRecord) -> bool:
    """Return False for the pool's report of a query cancelled while its dead connection was being closed. The caller
    has already logged that the store does not respond.
    """
    fault = record.exc_info[1] if record.exc_info else None
    return not (record.name.startswith("sqlalchemy.pool") and isinstance(fault, asyncio.CancelledError))


class _LineFormatter(logging.Formatter):
    def __init__(self, as_json: bool) -> None:
        super().__init__()
        self.as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        raw_fields = getattr(record, "fields", {})
        fields = {key: "hidden" if _must_hide(key) else value for key, value in raw_fields.items()}
        fault = self.formatException(record.exc_info) if record.exc_info else None
        if self.as_json:
            line = {
                "at": at,
                "level": record.levelname.lower(),
                "from": record.name,
                "event": record.getMessage(),
                **fields,
            }
            if fault:
                line["fault"] = fault
            return json.dumps(line, default=str, ensure_ascii=False)
        tail = "".join(f" {key}={value}" for key, value in fields.items())
        return f"{at} {record.levelname.lower():7} {record.getMessage()}{tail}" + (
            f"\n{fault}" if fault else ""
        )


def configure_logs(level: str, form: str) -> None:
    """Send this process's log to standard error. Called by the command line, never by an app."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LineFormatter(form == "json"))
    handler.addFilter(_is_relevant)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for noisy in ("sqlalchemy", "asyncio", "httpx", "httpcore", "uvicorn.access"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # At debug level these log every header and frame, including cookies and cards.
    for verbose in ("uvicorn.error", "websockets"):
        logging.getLogger(verbose).setLevel(max(root.level, logging.INFO))
    logging.getLogger("uvicorn.error").addFilter(_is_not_about_peer)


def _must_hide(key: str) -> bool:
    return any(word in key.lower() for word in _HIDDEN_FIELD_WORDS)
