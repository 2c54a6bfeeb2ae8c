"""What notifying needs from outside: the book of who wants to hear what, and words in their language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Waiting:
    """A correspondence game that waits for somebody; the deadline tells this turn from the next."""

    game: str
    title: str
    deadline: int  # milliseconds since 1970
    is_opening: bool = False  # it wants to begin, and waits for this person's browser to open what it sealed

    @property
    def key(self) -> str:
        """What is remembered once they were told."""
        return f"{self.game}:{self.deadline}"


@dataclass(frozen=True, slots=True)
class Recipient:
    """Somebody who wants to hear; `told_of` are the turns they know of, `told_at` when they last heard."""

    player: str
    name: str
    language: str
    email: str | None
    stop_token: str
    webhook: str | None
    webhook_key: str | None
    told_at: int
    told_of: tuple[str, ...]
    waiting: tuple[Waiting, ...]


class NoticeBook(Protocol):
    """Who wants to hear, kept by the store."""

    async def recipients(self, told_before: int) -> Sequence[Recipient]:
        """Everybody who wants to hear, last heard before then, and for whom some game waits."""

    async def claim(self, player: str, told_at: int, now: int) -> bool:
        """True for the one worker that may tell this player now."""

    async def told(self, player: str, keys: Sequence[str]) -> None:
        """They know of these turns, and of no others."""

    async def webhook_answered(self, player: str, well: bool) -> None:
        """Counts failures in a row; after too many the webhook rests until its owner sets it again."""


class Words(Protocol):
    """A sentence in a language, its {holes} filled."""

    def __call__(self, language: str, source: str, /, **values: object) -> str: ...
