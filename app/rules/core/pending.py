"""What is owed before anything else may happen: the common ground of all debts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

__all__ = ["Pending"]

Json = dict[str, Any]


class Pending(ABC):
    """A choice that one or several seats owe."""

    __slots__ = ()
    kind: ClassVar[str]

    @property
    @abstractmethod
    def seats(self) -> tuple[int, ...]:
        """Who may answer now."""

    @property
    def choice_cards(self) -> tuple[int, ...]:
        """The kinds of the cards that lie before the chooser, and so in no hand."""
        return ()

    def shows_hand(self, viewer: int | None, owner: int) -> bool:
        """Whether the viewer sees the owner's hand because of it."""
        return False

    @abstractmethod
    def to_json(self, names: Sequence[str], viewer: int | None, is_full: bool) -> Json:
        """As one audience sees it; `names` are those of the kinds of cards."""
