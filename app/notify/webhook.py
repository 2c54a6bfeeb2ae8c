"""Webhooks: signed POST requests to URLs that people choose (outbound.py keeps them out of the private network)."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Any

from app.notify import outbound
from app.notify import words as texts
from app.notify.outbound import Outbound, Unreachable
from app.notify.words import Translate
from app.store.people.notice_values import PendingNotice, Recipient

_MAX_URL_LENGTH = 500
_MARKUP_ESCAPES = str.maketrans({letter: "\\" + letter for letter in "\\*_~`|>[]()#<@:"})


class WebhookFailed(Exception):
    """The receiver could not be reached or did not accept the call."""


def validate_url(text: str, *, allow_private: bool) -> str:
    """Return the URL of a webhook without surrounding spaces; raise BadUrl."""
    return outbound.validate_url(
        text, allow_private=allow_private, max_length=_MAX_URL_LENGTH, what="A webhook"
    )


def sign(key: str, at: int, body: bytes) -> str:
    """Return the signature header: t=<seconds>,v1=<HMAC-SHA256 of "<seconds>." + body>."""
    code = hmac.new(key.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={code}"


class Webhooks:
    """Calls webhooks. `allow_private` permits private addresses, for tests and servers at home."""

    def __init__(self, *, allow_private: bool) -> None:
        self.outbound = Outbound(allow_private=allow_private)  # shared with pushes, as is the limit per owner

    def close(self) -> None:
        """Cancel queued look-ups."""
        self.outbound.close()

    async def call(
        self, url: str, key: str, content: Mapping[str, Any], now: int, *, owner: str = ""
    ) -> None:
        """Send one signed POST request on behalf of the webhook's owner.

        Raise WebhookFailed with a reason that contains no address, or Congested.
        """
        body = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "cartagena-webhook",
            "X-Cartagena-Signature": sign(key, now, body),
        }
        try:
            response = await self.outbound.post(url, body, headers, owner=owner)
        except Unreachable as problem:
            raise WebhookFailed(str(problem)) from problem
        if not 200 <= response.status < 300:
            raise WebhookFailed(f"answered {response.status}")  # shown by the API


def make_body(
    translate: Translate, base_url: str, recipient: Recipient, items: Sequence[PendingNotice], now: int
) -> dict[str, Any]:
    """Return the content of a webhook call: games, opponents, links and deadlines, but nothing about the positions.

    `text` is the notice in the recipient's language and time zone, for programs that only forward it. `more` counts the
    games that are not listed.
    """
    return {
        "event": "your_turn" if any(map(_is_turn, items)) else items[0].event,
        "at": now * 1000,
        "player": recipient.player,
        "games": [
            {
                "id": item.game,
                "title": item.title,
                "url": f"{base_url}/g/{item.game}",
                "deadline": item.deadline,
                "preset": item.preset,
                "opponents": list(item.opponents),
                "text": texts.compose_line(translate, recipient, item),
                "waits_for": "opening"
                if item.is_opening
                else "move"
                if item.event in ("turn", "time")
                else None,
                **({} if _is_turn(item) else {"event": item.event}),
            }
            for item in items[: texts.MAX_LISTED_NOTICES]
        ],
        "more": max(0, len(items) - texts.MAX_LISTED_NOTICES),
    }


def _is_turn(item: PendingNotice) -> bool:
    return item.event == "turn" or item.is_opening


def make_discord_body(
    translate: Translate, base_url: str, recipient: Recipient, items: Sequence[PendingNotice]
) -> dict[str, Any]:
    """Return the content of a call to a Discord channel, one line per game. Names and titles are escaped.

    A deadline is a timestamp that Discord shows to each reader in their own time zone and language.
    """
    language, zone = recipient.language, recipient.wishes.zone
    player, lines = _escape(recipient.name), []
    for item in items[:10]:
        table = f"[{_escape(item.title) or 'Cartagena'}](<{base_url}/g/{item.game}>)"
        when = None if item.deadline is None else f"<t:{item.deadline // 1000}:f>"
        if details := texts.compose_details(translate, language, item, zone, when):
            table = f"{table} — {details}"
        if item.event not in ("turn", "time"):
            headline = texts.compose_headline(translate, language, item, _escape)
            lines.append(f"{player}: {headline}: {table}")
        elif names := texts.compose_names(translate, language, item, _escape):
            values = {"name": player, "names": names, "table": table}
            lines.append(translate(language, texts.THEIR_TURN_AGAINST, **values))
        else:
            lines.append(translate(language, texts.THEIR_TURN, name=player, table=table))
    return {"content": "\n".join(lines)[:2000], "allowed_mentions": {"parse": []}}


def _escape(text: str) -> str:
    return " ".join(text.split()).translate(_MARKUP_ESCAPES)
