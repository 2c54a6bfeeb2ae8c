"""Webhooks: a signed POST to an address its owner chose (outbound.py keeps it out of our network)."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

from app.notify import outbound
from app.notify.outbound import BadUrl, NotReached, Outbound

_LONGEST = 500

BadWebhook = BadUrl


class WebhookFailed(Exception):
    """The receiver did not take it."""


def checked_url(text: str, *, private: bool) -> str:
    """The address as it is kept; raises BadWebhook."""
    return outbound.checked_url(text, private=private, longest=_LONGEST, what="A webhook")


def signature(key: str, at: int, body: bytes) -> str:
    """What the receiver computes too: t=<seconds>,v1=<HMAC-SHA256 of "<seconds>." + body>."""
    code = hmac.new(key.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={code}"


class Webhooks:
    """Calls webhooks; `private` allows addresses inside our own network (tests, a site at home)."""

    def __init__(self, *, private: bool) -> None:
        self._outbound = Outbound(private=private)

    def close(self) -> None:
        """Nobody waits for a name any longer."""
        self._outbound.close()

    async def call(self, url: str, key: str, told: Mapping[str, Any], now: int) -> None:
        """One signed POST; raises WebhookFailed with a reason that names no address."""
        body = json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "cartagena-webhook",
            "X-Cartagena-Signature": signature(key, now, body),
        }
        try:
            answer = await self._outbound.post(url, body, headers)
        except NotReached as problem:
            raise WebhookFailed(str(problem)) from problem
        if not 200 <= answer.status < 300:
            raise WebhookFailed(f"answered {answer.status}")
