"""The pistol: look into another hand and take a card out of it; whoever was robbed draws one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import BadPosition, Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.explain import no_such_seat
from app.rules.core.fields import CARD, SEAT
from app.rules.core.movement import lose_card
from app.rules.core.position import Events, Position, Ruleset
from app.rules.core.ruleset import Rule
from app.rules.core.supply import gain, take
from app.rules.core.view_patch import gain_cards, lose_cards, play_cards
from app.rules.modules.black_magic.power import (
    Owed,
    Power,
    check_owed,
    close_choice,
    held_kinds,
    pay,
    wrong_card,
)


class Why(Reason):
    """Why a pistol cannot be aimed."""

    pistol_at_self = "Aim the pistol at another player."
    player_resigned = "That player has resigned."
    player_without_cards = "That player holds no card."


@dataclass(frozen=True, slots=True)
class Pistol(Action):
    type = "pistol"
    form = (("card", CARD), ("player", SEAT))
    text = "{card}! {player}"
    symbol = "pistol"
    played = ("card",)
    card: str
    player: int


@dataclass(frozen=True, slots=True)
class Steal(Action):
    type = "steal"
    form = (("card", CARD),)
    text = "steal {card}"
    is_answer = True
    is_secret = True
    card: str


@dataclass(frozen=True, slots=True)
class OwedSteal(Owed):
    """A pistol was played: one card of the victim's hand is to be chosen."""

    kind = "steal"
    fields = frozenset(("kind", "seat", "from", "dark"))
    seat: int
    victim: int
    dark: bool

    def shows_hand(self, viewer: int | None, owner: int) -> bool:
        return self.seat == viewer and self.victim == owner

    def to_json(self, names: Sequence[str], viewer: int | None, is_full: bool) -> Json:
        return {"kind": "steal", "seat": self.seat, "from": self.victim, "dark": self.dark}

    @classmethod
    def from_json(cls, value: Json, position: Position) -> OwedSteal:
        check_owed(value, position)
        victim = value["from"]
        if type(victim) is not int or not 0 <= victim < position.options.players or victim == position.seat:
            raise BadPosition("A card is stolen from another seat of the table.")
        if position.resigned[victim] or not position.held[victim]:
            raise BadPosition("A card is stolen from a seat that is still in and holds one.")
        return cls(value["seat"], victim, value["dark"])

    def answers(self, position: Position, seat: int) -> list[Action]:
        if seat != self.seat:
            return []
        names = position.ruleset.kinds.names
        return [Steal(names[kind]) for kind, count in enumerate(position.hands[self.victim]) if count]

    def lowest(self, position: Position, seat: int) -> Action | None:
        """None where all of the victim's cards are unknown."""
        cards = position.hand_names(self.victim)
        return Steal(cards[0]) if cards else None

    def settle(self, position: Position, seat: int, events: Events) -> bool:
        """The thief resigns: it takes the lowest card. The victim resigns: the steal lapses."""
        if seat != self.victim:
            return super(OwedSteal, self).settle(position, seat, events)
        if events is not None:
            events.append(StealLapsed(self.seat, self.victim))
        return close_choice(position)


def _hide_again(view: Json, victim: int, viewer: int | None) -> None:
    if view["options"]["hands"] == "hidden" and viewer != victim:
        view["players"][victim]["hand"] = None


@dataclass(slots=True)
class PistolAimed(Event):
    type = "pistol_aimed"
    played = ("card",)
    is_final = True
    is_secret = True
    seat: int
    card: str
    player: int
    hand: tuple[str, ...]

    def insiders(self, is_open: bool) -> tuple[int, ...]:
        return () if is_open else (self.seat,)

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        is_seen = is_open or viewer == self.seat
        return {
            "type": "pistol_aimed",
            "seat": self.seat,
            "card": self.card,
            "player": self.player,
            "hand": list(self.hand) if is_seen else None,
        }

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        play_cards(view, event["seat"], event["card"])
        view["pending"] = {
            "kind": "steal",
            "seat": event["seat"],
            "from": event["player"],
            "dark": event["card"].endswith("*"),
        }
        if event["hand"] is not None:
            view["players"][event["player"]]["hand"] = list(event["hand"])


@dataclass(slots=True)
class CardStolen(Event):
    type = "card_stolen"
    is_final = True
    is_secret = True
    seat: int
    victim: int
    card: str

    def insiders(self, is_open: bool) -> tuple[int, ...]:
        return () if is_open else (self.seat, self.victim)

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        is_seen = is_open or viewer in (self.seat, self.victim)
        return {
            "type": "card_stolen",
            "seat": self.seat,
            "from": self.victim,
            "card": self.card if is_seen else None,
        }

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        cards = None if event["card"] is None else [event["card"]]
        lose_cards(view, event["from"], 1, cards)
        gain_cards(view, event["seat"], 1, cards)
        _hide_again(view, event["from"], viewer)
        view["pending"] = None
        view["forced_passes"] = 0


@dataclass(slots=True)
class StealLapsed(Event):
    type = "steal_lapsed"
    form = ("seat", "from")
    is_final = True
    seat: int
    victim: int

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        _hide_again(view, event["from"], viewer)
        view["pending"] = None


def _offer(position: Position, seat: int, out: list[Action]) -> None:
    names = position.ruleset.kinds.names
    for kind in held_kinds(position, seat, "pistol"):
        for player, held in enumerate(position.held):
            if player != seat and held and not position.resigned[player]:
                out.append(Pistol(names[kind], player))


def _aim(position: Position, seat: int, action: Pistol, events: Events) -> bool:
    position.pending = OwedSteal(seat, action.player, pay(position, seat, action.card))
    if events is not None:
        events.append(PistolAimed(seat, action.card, action.player, position.hand_names(action.player)))
    return False


def _why_not(position: Position, seat: int, action: Pistol) -> Illegal:
    wrong = wrong_card(action.card, "pistol") or no_such_seat(position, action.player)
    if wrong is not None:
        return wrong
    if action.player == seat:
        return Illegal(Why.pistol_at_self)
    return Illegal(Why.player_resigned if position.resigned[action.player] else Why.player_without_cards)


def _steal(position: Position, seat: int, action: Steal, events: Events) -> bool:
    assert isinstance(position.pending, OwedSteal)
    victim = position.pending.victim
    kind = position.ruleset.kinds.numbers[action.card]
    lose_card(position, victim, kind)
    gain(position, seat, kind)
    dark = close_choice(position)
    if events is not None:
        events.append(CardStolen(seat, victim, action.card))
    take(position, victim, 1, events)
    return dark


def _every_action(ruleset: Ruleset) -> Iterator[Action]:
    kinds = ruleset.kinds
    for kind in kinds.of_name["pistol"]:
        yield from (Pistol(kinds.names[kind], seat) for seat in range(ruleset.options.players))
    yield from map(Steal, kinds.names)


PISTOL = Power(
    symbol="pistol",
    offer=_offer,
    actions={Pistol: Rule(_aim, why_not=_why_not), Steal: Rule(_steal)},
    events=(PistolAimed, CardStolen, StealLapsed),
    every_action=_every_action,
    debts=(OwedSteal,),
)
