"""What a seat knows from events about cards it does not see: other hands, the top of the deck, chest tokens.

The history is read once. Where several things may have happened (an unseen theft, an unseen share), one of them is
drawn at random. So each reading gives one hypothesis that fits everything the seat has seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from app.rules import Json
from app.rules.core.event import cards_played


class Contradiction(Exception):
    """Raised when the random draws so far do not fit a later event, so that the caller draws again."""


class Hypothesis:
    """Assumed locations of some cards; the other cards are unknown."""

    __slots__ = ("deck_top", "held", "is_certain", "known", "offered", "opened", "rng")

    def __init__(self, held: list[int], rng: Random) -> None:
        self.held = held
        self.known: list[Counter[str]] = [Counter() for _ in held]
        self.deck_top: list[str | None] = []
        """Cards from the top down; None for an unknown card."""
        self.offered: list[str | None] = []
        """Cards of the pending share or stack."""
        self.opened: list[str] = []
        """Chest tokens opened since they were last laid."""
        self.is_certain = True
        """Whether nothing was drawn at random."""
        self.rng = rng

    def lose(self, seat: int, card: str) -> None:
        """Remove a card from a hand. Raise Contradiction if the hand cannot contain it."""
        known = self.known[seat]
        if known[card] > 0:
            known[card] -= 1
        elif self.held[seat] <= known.total():
            raise Contradiction
        self.held[seat] -= 1

    def gain(self, seat: int, card: str | None) -> None:
        """Add a card to a hand; None is an unknown card."""
        self.held[seat] += 1
        if card is not None:
            self.known[seat][card] += 1

    def take_top(self, count: int) -> list[str | None]:
        """Remove cards from the top of the deck and return them; None is an unknown card."""
        taken = self.deck_top[:count]
        del self.deck_top[:count]
        return taken + [None] * (count - len(taken))

    def draw_from(self, cards: list[str | None], card: str | None) -> None:
        """Remove a card, or else an unknown card, from the list. Raise Contradiction if the list has neither."""
        if card in cards:
            cards.remove(card)
        elif None in cards:
            cards.remove(None)
        else:
            raise Contradiction


def make_hypothesis(view: Json, history: Sequence[Json], rng: Random) -> Hypothesis:
    """Return a hypothesis that fits the events. Raise Contradiction if the random draws do not fit."""
    held = [int(player["cards"]) for player in view["players"]]
    for event in history:
        for seat, change in _changes(event):
            held[seat] -= change
    if min(held) < 0:
        raise Contradiction
    hypothesis = Hypothesis(held, rng)
    for event in history:
        for card in cards_played(event):
            hypothesis.lose(event["seat"], card)
            hypothesis.offered = []
        update = _UPDATES.get(event["type"])
        if update is not None:
            update(hypothesis, event)
    for known, count in zip(hypothesis.known, hypothesis.held, strict=True):
        if known.total() > count:
            raise Contradiction
    return hypothesis


def _changes(event: Json) -> list[tuple[int, int]]:
    """Return (seat, cards gained) pairs of an event, from which the first hand sizes follow."""
    match event["type"]:
        case "cards_drawn":
            return [(event["seat"], event["count"])]
        case "card_stolen":
            return [(event["seat"], 1), (event["from"], -1)]
        case "cards_shared":
            return [(event["seat"], event["kept"]), *((int(seat), 1) for seat in event["give"])]
        case "cards_stacked":
            return [(event["seat"], 1)]
        case "cards_discarded" | "resigned":
            return [(event["seat"], -len(event["cards"]))]
        case _:
            return [(event["seat"], -len(played))] if (played := cards_played(event)) else []


def _cards_drawn(hypothesis: Hypothesis, event: Json) -> None:
    cards: list[str | None] = [None] * event["count"]
    if event["source"] == "deck":
        cards = hypothesis.take_top(event["count"])
    if event["cards"] is not None:
        cards = event["cards"]
    for card in cards:
        hypothesis.gain(event["seat"], card)


def _row_laid(hypothesis: Hypothesis, event: Json) -> None:
    hypothesis.take_top(len(event["cards"]))


def _deck_shuffled(hypothesis: Hypothesis, event: Json) -> None:
    hypothesis.deck_top = []


def _pistol_aimed(hypothesis: Hypothesis, event: Json) -> None:
    if event["hand"] is not None:
        hypothesis.known[event["player"]] = Counter(event["hand"])


def _card_stolen(hypothesis: Hypothesis, event: Json) -> None:
    thief, victim, card = event["seat"], event["from"], event["card"]
    if card is None:
        card = _guess_stolen(hypothesis, victim)
    if card is None:
        hypothesis.held[victim] -= 1
    else:
        hypothesis.lose(victim, card)
    hypothesis.gain(thief, card)


def _guess_stolen(hypothesis: Hypothesis, victim: int) -> str | None:
    """Return the stolen card, drawn from the victim's known and unknown cards; None for an unknown one."""
    known = sorted(hypothesis.known[victim].elements())
    if not known:
        return None
    hypothesis.is_certain = False
    which = hypothesis.rng.randrange(max(hypothesis.held[victim], 1))
    return known[which] if which < len(known) else None


def _choice_dealt(hypothesis: Hypothesis, event: Json) -> None:
    cards = hypothesis.take_top(event["count"])
    hypothesis.offered += cards if event["cards"] is None else event["cards"]


def _cards_shared(hypothesis: Hypothesis, event: Json) -> None:
    left = list(hypothesis.offered)
    seen: list[tuple[int, str]] = [
        (int(seat), card) for seat, card in event["give"].items() if card is not None
    ]
    seen += [(event["seat"], card) for card in event["keep"] or ()]
    unseen = [int(seat) for seat, card in event["give"].items() if card is None]
    unseen += [event["seat"]] * (event["kept"] if event["keep"] is None else 0)
    for seat, card in seen:
        hypothesis.draw_from(left, card)
        hypothesis.gain(seat, card)
    if any(card is not None for card in left) and len(unseen) > 1:
        hypothesis.is_certain = False
        hypothesis.rng.shuffle(left)
    if len(left) != len(unseen):
        raise Contradiction
    for seat, unknown in zip(unseen, left, strict=True):
        hypothesis.gain(seat, unknown)
    hypothesis.offered = []


def _cards_stacked(hypothesis: Hypothesis, event: Json) -> None:
    left = list(hypothesis.offered)
    hypothesis.offered = []
    if event["back"] is not None:
        hypothesis.gain(event["seat"], event["keep"])
        hypothesis.deck_top[:0] = event["back"]
        return
    if any(card is not None for card in left):
        hypothesis.is_certain = False
        hypothesis.rng.shuffle(left)
    if len(left) != event["count"] + 1:
        raise Contradiction
    kept = event["keep"]
    if kept is None:
        kept = left.pop()
    else:
        hypothesis.draw_from(left, kept)
    hypothesis.gain(event["seat"], kept)
    hypothesis.deck_top[:0] = left


def _chest_opened(hypothesis: Hypothesis, event: Json) -> None:
    hypothesis.opened.append(event["token"])


def _chests_laid(hypothesis: Hypothesis, event: Json) -> None:
    hypothesis.opened = []


def _resigned(hypothesis: Hypothesis, event: Json) -> None:
    hypothesis.known[event["seat"]] = Counter()
    hypothesis.held[event["seat"]] = 0


def _cards_discarded(hypothesis: Hypothesis, event: Json) -> None:
    for card in event["cards"]:
        hypothesis.lose(event["seat"], card)


_UPDATES: dict[str, Callable[[Hypothesis, Json], None]] = {
    "cards_drawn": _cards_drawn,
    "row_laid": _row_laid,
    "deck_shuffled": _deck_shuffled,
    "pistol_aimed": _pistol_aimed,
    "card_stolen": _card_stolen,
    "choice_dealt": _choice_dealt,
    "cards_shared": _cards_shared,
    "cards_stacked": _cards_stacked,
    "chest_opened": _chest_opened,
    "chests_laid": _chests_laid,
    "resigned": _resigned,
    "cards_discarded": _cards_discarded,
}
