"""Webhooks: a signed POST to an address its owner chose (outbound.py keeps it out of our network)."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Any

from app.notify import outbound
from app.notify import words as texts
from app.notify.outbound import BadUrl, NotReached, Outbound
from app.notify.ports import Recipient, Waiting, Words

_LONGEST = 500
_MARKUP = str.maketrans({letter: "\\" + letter for letter in "\\*_~`|>[]()#<@:"})

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
        self.outbound = Outbound(private=private)  # pushes share it: a person has one share of the look-ups

    def close(self) -> None:
        """Nobody waits for a name any longer."""
        self.outbound.close()

    async def call(self, url: str, key: str, told: Mapping[str, Any], now: int, *, owner: str = "") -> None:
        """Post once, signed, for the webhook's owner.

        Raise WebhookFailed with a reason that names no address, or Congested.
        """
        body = json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "cartagena-webhook",
            "X-Cartagena-Signature": signature(key, now, body),
        }
        try:
            answer = await self.outbound.post(url, body, headers, owner=owner)
        except NotReached as problem:
            raise WebhookFailed(str(problem)) from problem
        if not 200 <= answer.status < 300:
            raise WebhookFailed(f"answered {answer.status}")


def body(base: str, recipient: Recipient, items: Sequence[Waiting], now: int) -> dict[str, Any]:
    """Return what a webhook is sent: which games, where, until when; nothing of what is in them."""
    turns = [item for item in items if item.event == "turn" or item.is_opening]
    return {
        "event": "your_turn" if turns else items[0].event,
        "at": now * 1000,
        "player": recipient.player,
        "games": [
            {
                "id": item.game,
                "title": item.title,
                "url": f"{base}/g/{item.game}",
                "deadline": item.deadline,
                "waits_for": "opening"
                if item.is_opening
                else "move"
                if item.event in ("turn", "time")
                else None,
                **({} if item in turns else {"event": item.event}),
            }
            for item in items
        ],
    }


def channel_body(words: Words, base: str, recipient: Recipient, items: Sequence[Waiting]) -> dict[str, Any]:
    """Return the same as lines in a club's channel, as Discord takes them. Names and titles are no markup."""

    def say(source: str, **values: object) -> str:
        return words(recipient.language, source, **values)

    lines = []
    for item in items[:10]:
        table = f"[{_escape(item.title) or 'Cartagena'}](<{base}/g/{item.game}>)"
        if item.event in ("turn", "time"):
            lines.append(say(texts.THEIR_TURN, name=_escape(recipient.name), table=table))
        else:
            lines.append(f"{_escape(recipient.name)}: {say(texts.headline(item))}: {table}")
    return {"content": "\n".join(lines)[:2000], "allowed_mentions": {"parse": []}}


def _escape(text: str) -> str:
    return " ".join(text.split()).translate(_MARKUP)
