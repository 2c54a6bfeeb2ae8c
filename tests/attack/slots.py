"""Tracks which cards an audience has not seen up to a horizon, slot by slot through the actual events.

A slot is the position of a card at the start: one of a hand's six, or a place in the deck. A slot is pinned when the
audience legitimately sees its card, when the card is shown to all, or when a command names it (the same commands must
be possible in both worlds). All other slots may exchange their cards without that audience noticing. The rules' own
views are not used, because they are under test.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from app import rules

Audience = int | None
Move = tuple[int, dict[str, Any]]


@dataclass
class Tracker:
    """Tracks the current place of each slot's card."""

    audience: Audience
    is_open: bool
    cards: list[str] = field(default_factory=list)
    hands: list[list[int]] = field(default_factory=list)
    deck: list[int] = field(default_factory=list)
    pending: list[int] = field(default_factory=list)
    pinned: set[int] = field(default_factory=set)
    opened: set[str] = field(default_factory=set)
    is_laid_anew: bool = False

    def slot(self, card: str, pinned: bool = False) -> int:
        self.cards.append(card)
        if pinned:
            self.pinned.add(len(self.cards) - 1)
        return len(self.cards) - 1

    def drawn(self, cards: list[str]) -> list[int]:
        """Draw from the top of the deck. Cards reshuffled from the discard pile have been seen by all."""
        taken = [self.deck.pop(0) if self.deck else self.slot(card, pinned=True) for card in cards]
        assert [self.cards[slot] for slot in taken] == cards
        return taken

    def lose(self, held: list[int], *cards: str) -> list[int]:
        """Remove named or shown cards from a hand; seen ones first, so that few slots are pinned."""
        gone = []
        for card in cards:
            slot = min(
                (slot for slot in held if self.cards[slot] == card), key=lambda one: one not in self.pinned
            )
            held.remove(slot)
            self.pinned.add(slot)
            gone.append(slot)
        return gone

    def follow(self, event: dict[str, Any]) -> None:
        seat = event.get("seat")
        own = self.is_open or (seat is not None and seat == self.audience)
        match event["type"]:
            case "advanced" | "rum_poured" | "lantern_lit":
                self.lose(self.hands[event["seat"]], event["card"])
            case "chest_opened":
                self.lose(self.hands[event["seat"]], event["card"])
                if not self.is_laid_anew:
                    self.opened.add(str(event["from"]))
            case "chests_laid":
                self.is_laid_anew = True
            case "parrot_advanced" | "cards_discarded" | "resigned":
                self.lose(self.hands[event["seat"]], *event["cards"])
            case "hook_advanced":
                self.lose(self.hands[event["seat"]], event["card"], event["with"])
            case "pistol_aimed":
                self.lose(self.hands[event["seat"]], event["card"])
                if own:
                    self.pinned.update(self.hands[event["player"]])
            case "card_stolen":
                self.hands[event["seat"]] += self.lose(self.hands[event["from"]], event["card"])
            case "cards_drawn" if event["source"] == "row":
                self.hands[event["seat"]] += [self.slot(card, pinned=True) for card in event["cards"]]
            case "cards_drawn":
                self._take(self.hands[event["seat"]], event["cards"], own)
            case "row_laid":
                self.pinned.update(self.drawn(event["cards"]))
            case "choice_dealt":
                self._take(self.pending, event["cards"], seat == self.audience)
            case "cards_shared":
                self.hands[event["seat"]] += self.lose(self.pending, *event["keep"])
                for to, card in event["give"].items():
                    self.hands[int(to)] += self.lose(self.pending, card)
            case "cards_stacked":
                self.hands[event["seat"]] += self.lose(self.pending, event["keep"])
                self.deck[:0] = self.lose(self.pending, *event["back"])

    def _take(self, into: list[int], cards: list[str], is_seen: bool) -> None:
        taken = self.drawn(cards)
        into += taken
        if is_seen:
            self.pinned.update(taken)


def laid(position: rules.Position, audience: Audience) -> Tracker:
    """Return the slots of a new table."""
    whole = rules.position_to_json(position)
    tracker = Tracker(audience, position.options.hands == "open")
    for seat, player in enumerate(whole["players"]):
        seen = tracker.is_open or seat == audience
        tracker.hands.append([tracker.slot(card, seen) for card in player["hand"]])
    tracker.deck = [tracker.slot(card) for card in whole["deck"]]
    return tracker


def twin(position: rules.Position, moves: list[Move], audience: Audience, chance: random.Random) -> Any:
    """Return the same table with all cards shuffled that this audience does not see during these moves."""
    tracker = laid(position, audience)
    slots = len(tracker.cards)
    hands = [list(hand) for hand in tracker.hands]
    deck = list(tracker.deck)
    now = position
    for seat, action in moves:
        now, events = rules.apply(now, seat, rules.action_from_json(action))
        for event in events:
            tracker.follow(rules.event_to_json(event))
    cards = tracker.cards[:slots]
    free = [slot for slot in range(slots) if slot not in tracker.pinned]
    mixed = [cards[slot] for slot in free]
    chance.shuffle(mixed)
    for slot, card in zip(free, mixed, strict=True):
        cards[slot] = card
    whole = rules.position_to_json(position)
    for player, hand in zip(whole["players"], hands, strict=True):
        player["hand"] = sorted(cards[slot] for slot in hand)
    whole["deck"] = [cards[slot] for slot in deck]
    unopened = [place for place in whole["chests"] if place not in tracker.opened]
    tokens = [whole["chests"][place] for place in unopened] + whole["chests_aside"]
    chance.shuffle(tokens)
    whole["chests"] |= dict(zip(unopened, tokens, strict=False))
    whole["chests_aside"] = tokens[len(unopened) :]
    return rules.position_from_json(whole)


def some_moves(position: rules.Position, count: int, chance: random.Random) -> list[Move]:
    """Choose moves that are possible with any other cards in the hands: no forced or empty passes."""
    moves: list[Move] = []
    while len(moves) < count:
        seat = rules.seats_to_act(position)[0]
        listed = [rules.action_to_json(action) for action in rules.legal(position, seat)]
        taken = rules.position_to_json(position)["turn"]["taken"]
        enough = taken >= max(1, position.options.min_actions)
        fit = [one for one in listed if one["type"] != "resign" and (one["type"] != "end" or enough)]
        if not fit:
            break
        kinds = sorted({one["type"] for one in fit})
        if "end" in kinds and len(kinds) > 1 and chance.random() < 0.8:
            kinds.remove("end")
        kind = chance.choice(kinds)
        action = chance.choice([one for one in fit if one["type"] == kind])
        if kind == "discard":
            hand = list(position.hand_names(seat))
            action = {"type": "discard", "cards": sorted(chance.sample(hand, action["count"]))}
        after, _ = rules.apply(position, seat, rules.action_from_json(action))
        if after.winner is not None:
            break
        moves.append((seat, action))
        position = after
    return moves
