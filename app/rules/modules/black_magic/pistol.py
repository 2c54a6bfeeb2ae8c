"""The pistol: look at another seat's hand and steal a card from it; that seat then draws one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import BadPosition, Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.fields import CARD_FIELD, SEAT_FIELD
from app.rules.core.illegal_reasons import explain_unknown_seat
from app.rules.core.movement import remove_card
from app.rules.core.position import Events, Position, Ruleset
from app.rules.core.ruleset import Rule
from app.rules.core.supply import add_card, draw_cards
from app.rules.core.view_patch import gain_cards, lose_cards, play_cards
from app.rules.modules.black_magic.power import (
    PendingPower,
    Power,
    check_pending_power,
    close_pending,
    explain_wrong_card,
    held_kinds,
    play_power_cards,
)


class IllegalPistolReason(Reason):
    """Reasons why a pistol cannot be aimed."""

    pistol_at_self = "Aim the pistol at another player."
    player_resigned = "That player has resigned."
    player_without_cards = "That player has no cards."


@dataclass(frozen=True, slots=True)
class AimPistol(Action):
    """Play a pistol to look at another seat's hand."""

    type = "pistol"
    json_fields = (("card", CARD_FIELD), ("player", SEAT_FIELD))
    notation = "{card}! {player}"
    symbol = "pistol"
    played_card_fields = ("card",)
    card: str
    player: int


@dataclass(frozen=True, slots=True)
class Steal(Action):
    """Answer a pistol: take a card from the victim's hand."""

    type = "steal"
    json_fields = (("card", CARD_FIELD),)
    notation = "steal {card}"
    is_answer = True
    is_secret = True
    card: str


@dataclass(frozen=True, slots=True)
class PendingSteal(PendingPower):
    """After a pistol: the seat chooses a card from the victim's hand."""

    kind = "steal"
    json_fields = frozenset(("kind", "seat", "from", "dark"))
    seat: int
    victim: int
    dark: bool

    def reveals_hand(self, viewer: int | None, owner: int) -> bool:
        return self.seat == viewer and self.victim == owner

    def to_json(self, names: Sequence[str], viewer: int | None, is_full: bool) -> Json:
        return {"kind": "steal", "seat": self.seat, "from": self.victim, "dark": self.dark}

    @classmethod
    def from_json(cls, value: Json, position: Position) -> PendingSteal:
        check_pending_power(value, position)
        victim = value["from"]
        if (
            type(victim) is not int
            or not 0 <= victim < position.options.players
            or victim == position.turn_seat
        ):
            raise BadPosition("A steal must be from another seat of the table.")
        if position.resigned[victim] or not position.hand_sizes[victim]:
            raise BadPosition("A steal must be from a seat that is still in and holds a card.")
        return cls(value["seat"], victim, value["dark"])

    def answers(self, position: Position, seat: int) -> list[Action]:
        if seat != self.seat:
            return []
        names = position.ruleset.kinds.names
        return [Steal(names[kind]) for kind, count in enumerate(position.hands[self.victim]) if count]

    def lowest_answer(self, position: Position, seat: int) -> Action | None:
        """Return the steal of the lowest card, or None if a search knows none of the victim's cards."""
        cards = position.hand_names(self.victim)
        return Steal(cards[0]) if cards else None

    def settle_on_resign(self, position: Position, seat: int, events: Events) -> bool:
        """Steal the lowest card if the thief resigns; cancel the steal if the victim resigns."""
        if seat != self.victim:
            return super(PendingSteal, self).settle_on_resign(position, seat, events)
        if events is not None:
            events.append(StealLapsed(self.seat, self.victim))
        return close_pending(position)


def _hide_again(view: Json, victim: int, viewer: int | None) -> None:
    if view["options"]["hands"] == "hidden" and viewer != victim:
        view["players"][victim]["hand"] = None


@dataclass(slots=True)
class PistolAimed(Event):
    type = "pistol_aimed"
    played_card_fields = ("card",)
    is_final = True
    is_secret = True
    seat: int
    card: str
    player: int
    hand: tuple[str, ...]

    def privileged_seats(self, has_open_hands: bool) -> tuple[int, ...]:
        return () if has_open_hands else (self.seat,)

    def to_json_for(self, viewer: int, has_open_hands: bool) -> Json:
        is_seen = has_open_hands or viewer == self.seat
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

    def privileged_seats(self, has_open_hands: bool) -> tuple[int, ...]:
        return () if has_open_hands else (self.seat, self.victim)

    def to_json_for(self, viewer: int, has_open_hands: bool) -> Json:
        is_seen = has_open_hands or viewer in (self.seat, self.victim)
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
    json_fields = ("seat", "from")
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
        for player, held in enumerate(position.hand_sizes):
            if player != seat and held and not position.resigned[player]:
                out.append(AimPistol(names[kind], player))


def _aim(position: Position, seat: int, action: AimPistol, events: Events) -> bool:
    position.pending = PendingSteal(seat, action.player, play_power_cards(position, seat, action.card))
    if events is not None:
        events.append(PistolAimed(seat, action.card, action.player, position.hand_names(action.player)))
    return False


def _explain_illegal(position: Position, seat: int, action: AimPistol) -> Illegal:
    wrong = explain_wrong_card(action.card, "pistol") or explain_unknown_seat(position, action.player)
    if wrong is not None:
        return wrong
    if action.player == seat:
        return Illegal(IllegalPistolReason.pistol_at_self)
    return Illegal(
        IllegalPistolReason.player_resigned
        if position.resigned[action.player]
        else IllegalPistolReason.player_without_cards
    )


def _steal(position: Position, seat: int, action: Steal, events: Events) -> bool:
    assert isinstance(position.pending, PendingSteal)
    victim = position.pending.victim
    kind = position.ruleset.kinds.by_name[action.card]
    remove_card(position, victim, kind)
    add_card(position, seat, kind)
    is_dark = close_pending(position)
    if events is not None:
        events.append(CardStolen(seat, victim, action.card))
    draw_cards(position, victim, 1, events)
    return is_dark


def _all_actions(ruleset: Ruleset) -> Iterator[Action]:
    kinds = ruleset.kinds
    for kind in kinds.by_symbol_name["pistol"]:
        yield from (AimPistol(kinds.names[kind], seat) for seat in range(ruleset.options.players))
    yield from map(Steal, kinds.names)


PISTOL_POWER = Power(
    symbol="pistol",
    offer=_offer,
    actions={AimPistol: Rule(_aim, explain_illegal=_explain_illegal), Steal: Rule(_steal)},
    events=(PistolAimed, CardStolen, StealLapsed),
    all_actions=_all_actions,
    pending_types=(PendingSteal,),
)
