"""Twins of a position: everything that one audience cannot see is permuted, everything it sees is the same.

A pin keeps a card in its place if the next action shows it to the audience. So the visible result of the action is the
same in the twin, and only hidden cards differ.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from app import rules
from app.rules.modules.black_magic.lantern import PendingStack, Stack
from app.rules.modules.black_magic.pistol import PendingSteal, Steal
from app.rules.modules.black_magic.rum import PendingShare, Share
from tests.rules.random_games import Audience, Step


@dataclass
class Pins:
    """Cards that must stay: in hands by seat, in the deck by depth from the top, in a pending choice, in chests."""

    hands: dict[int, Counter[str]] = field(default_factory=dict)
    deck: set[int] = field(default_factory=set)
    pending: Counter[str] = field(default_factory=Counter)
    chests: set[int] = field(default_factory=set)
    is_seed_kept: bool = False

    def keep(self, seat: int, *cards: str) -> None:
        self.hands.setdefault(seat, Counter()).update(cards)


def hidden_hands(position: rules.Position, audience: Audience) -> list[int]:
    if position.options.hands == "open":
        return []
    owed = position.pending
    looked_at = owed.victim if isinstance(owed, PendingSteal) and owed.seat == audience else None
    return [seat for seat in range(position.options.players) if seat not in (audience, looked_at)]


def hidden_choice(position: rules.Position, audience: Audience) -> PendingShare | PendingStack | None:
    owed = position.pending
    return owed if isinstance(owed, PendingShare | PendingStack) and owed.seat != audience else None


def make_twin(
    position: rules.Position, audience: Audience, chance: random.Random, pins: Pins | None = None
) -> rules.Position:
    pins = pins or Pins()
    twin = position.copy()
    twin.hands = [hand[:] for hand in twin.hands]
    names, numbers = position.ruleset.kinds.names, position.ruleset.kinds.by_name
    pool: list[int] = []
    free_hands: dict[int, int] = {}
    for seat in hidden_hands(position, audience):
        free = Counter(position.hand_names(seat)) - pins.hands.get(seat, Counter())
        free_hands[seat] = free.total()
        for card, count in free.items():
            pool += [numbers[card]] * count
            twin.hands[seat][numbers[card]] -= count
    last = len(position.deck) - 1
    free_deck = [last - depth for depth in range(len(position.deck)) if depth not in pins.deck]
    pool += [position.deck[index] for index in free_deck]
    owed = hidden_choice(position, audience)
    kept: list[int] = []
    if owed is not None:
        cards = Counter(names[kind] for kind in owed.cards)
        kept = [numbers[card] for card in (cards & pins.pending).elements()]
        pool += [numbers[card] for card in (cards - pins.pending).elements()]
    chance.shuffle(pool)
    for seat, count in free_hands.items():
        for _ in range(count):
            twin.hands[seat][pool.pop()] += 1
    deck = list(twin.deck)
    for index in free_deck:
        deck[index] = pool.pop()
    twin.deck = bytes(deck)
    if owed is not None:
        twin.pending = type(owed)(owed.seat, tuple(sorted([*kept, *pool])), owed.dark)
    if not pins.is_seed_kept:
        twin.seed = f"{chance.getrandbits(256):064x}"
    _move_tokens(twin, pins, chance)
    return twin


def _move_tokens(twin: rules.Position, pins: Pins, chance: random.Random) -> None:
    free = [place for place in twin.tokens if place not in pins.chests]
    tokens = [twin.tokens[place] for place in free] + list(twin.tokens_aside)
    chance.shuffle(tokens)
    twin.tokens = twin.tokens | dict(zip(free, tokens, strict=False))
    twin.tokens_aside = tuple(tokens[len(free) :])


def find_pins(step: Step, audience: Audience) -> Pins:
    """Return pins for everything that this step shows to the audience, found from its full events."""
    pins = Pins()
    is_open = step.before.options.hands == "open"
    events_json = [rules.event_to_json(event) for event in step.events]
    if any(event["type"] in ("deck_shuffled", "chests_laid") for event in events_json):
        pins.is_seed_kept = _shows_after_shuffle(events_json, audience, is_open)
    depth = 0
    is_shuffled = False
    for event in events_json:
        _pin_played(pins, event)
        kind, seat = event["type"], event.get("seat")
        if kind == "chest_opened":
            pins.chests.add(step.before.ruleset.route.places[event["from"]])
        elif kind == "pistol_aimed" and seat == audience:
            pins.keep(event["player"], *event["hand"])
        elif kind == "deck_shuffled":
            is_shuffled = True
        elif kind in ("cards_drawn", "row_laid", "choice_dealt") and event.get("source") != "row":
            count = len(event["cards"])
            is_dealt = kind == "choice_dealt"
            if not is_shuffled and (kind == "row_laid" or seat == audience or (is_open and not is_dealt)):
                pins.deck.update(range(depth, depth + count))
            depth += count
        elif kind == "cards_shared":
            seen = event["give"].items() if is_open else [(str(audience), event["give"].get(str(audience)))]
            pins.pending.update(card for _, card in seen if card)
            pins.pending.update(event["keep"] if is_open else [])
        elif kind == "cards_stacked" and is_open:
            pins.pending[event["keep"]] += 1
    if isinstance(step.action, rules.Resign):
        _pin_settled_cards(pins, step)
    return pins


def _shows_after_shuffle(events_json: list[dict[str, Any]], audience: Audience, is_open: bool) -> bool:
    shown = ("cards_drawn", "choice_dealt", "row_laid")
    return any(
        event["type"] in shown and (is_open or event["type"] == "row_laid" or event["seat"] == audience)
        for event in events_json
    )


def _pin_played(pins: Pins, event: dict[str, Any]) -> None:
    """Pin the cards that leave a hand for the discards, which are public."""
    match event["type"]:
        case "advanced" | "pistol_aimed" | "rum_poured" | "lantern_lit" | "chest_opened":
            pins.keep(event["seat"], event["card"])
        case "parrot_advanced" | "cards_discarded" | "resigned":
            pins.keep(event["seat"], *event["cards"])
        case "hook_advanced":
            pins.keep(event["seat"], event["card"], event["with"])


def _pin_settled_cards(pins: Pins, step: Step) -> None:
    """Pin the cards that a resigning seat settles, because they end up on the discards."""
    owed = step.before.pending
    names = step.before.ruleset.kinds.names
    if isinstance(owed, PendingShare | PendingStack) and owed.seat == step.seat:
        pins.pending.update(names[kind] for kind in owed.cards)
    if isinstance(owed, PendingSteal) and owed.seat == step.seat:
        pins.keep(owed.victim, *step.before.hand_names(owed.victim))


def twin_action(step: Step, twin: rules.Position, audience: Audience, chance: random.Random) -> rules.Action:
    """Return the same action for the twin, or another choice if the audience does not see the choice."""
    action = step.action
    is_open = step.before.options.hands == "open"
    if step.seat == audience or (is_open and not isinstance(action, Stack)):
        return action
    match action:
        case Steal() if twin.pending is not None and getattr(twin.pending, "victim", None) != audience:
            return chance.choice(rules.legal(twin, step.seat))
        case Stack(kept):
            stacks = [one for one in rules.legal(twin, step.seat) if isinstance(one, Stack)]
            return chance.choice([one for one in stacks if one.keep == kept or not is_open])
        case Share():
            mine = dict(action.give).get(-1 if audience is None else audience)
            listed = [one for one in rules.legal(twin, step.seat) if isinstance(one, Share)]
            return chance.choice(
                [one for one in listed if dict(one.give).get(-1 if audience is None else audience) == mine]
            )
        case _:
            return action
