"""Logs for the operator: one line an event, text or JSON; secrets never, cards never.

Fields are named by the caller (`extra={"fields": {...}}`); nothing of a request but method, route and
status is logged, so codes in an address, cookies, bodies and hands have no way into a file.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from datetime import UTC, datetime

_HIDDEN = (
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


# What uvicorn says of a peer that sends nonsense or merely comes in: nobody may fill the operator's log
# with tracebacks, and an address (a room's link) is nothing to write down.
_OF_PEERS = ("Invalid HTTP request", "Unsupported upgrade", '%s - "WebSocket', "connection ")


def _is_ours(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith(_OF_PEERS)


def _is_news(record: logging.LogRecord) -> bool:
    """All but the pool's word for a query that was given up while its dead connection was being closed: whoever
    asked has said that the store does not answer, and the connection is gone either way.
    """
    fault = record.exc_info[1] if record.exc_info else None
    return not (record.name.startswith("sqlalchemy.pool") and isinstance(fault, asyncio.CancelledError))


class _Lines(logging.Formatter):
    def __init__(self, as_json: bool) -> None:
        super().__init__()
        self.as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        given = getattr(record, "fields", {})
        fields = {key: "hidden" if _is_hidden(key) else value for key, value in given.items()}
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
    """Sends this process's log to its error stream; called by the command line, never by an app."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines(form == "json"))
    handler.addFilter(_is_news)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for noisy in ("sqlalchemy", "aiosqlite", "asyncio", "httpx", "httpcore", "uvicorn.access"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # At debug these write down every header and frame: cookies, cards and all.
    for talkative in ("uvicorn.error", "websockets"):
        logging.getLogger(talkative).setLevel(max(root.level, logging.INFO))
    logging.getLogger("uvicorn.error").addFilter(_is_ours)


def _is_hidden(key: str) -> bool:
    return any(word in key.lower() for word in _HIDDEN)
