"""The ruleset of one table: its options and boards, turned into tables and the modules that play.

A module says what it adds: offers (new actions), resolvers (what an action does), answers (what may be
done while something is owed), settlers (how a resigning seat's debt is paid) and reactions (what follows
a dark card). The engine only walks these tables and so knows no module by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from app.rules.core.action_cache import Stock, make_stock
from app.rules.core.actions import Action
from app.rules.core.cards import CardKinds, card_kinds
from app.rules.core.event import Event
from app.rules.core.position import Position
from app.rules.core.route import Route, make_route
from app.rules.options import Options

__all__ = [
    "Answers",
    "Events",
    "Module",
    "Offer",
    "Reaction",
    "Resolver",
    "Ruleset",
    "Settler",
    "make_ruleset",
]

Events = list[Event] | None
"""Where events are told; None on the path a search uses."""

Offer = Callable[[Position, int, list[Action]], None]
"""offer(position, seat, out): appends what the seat may do."""

Resolver = Callable[[Position, int, Any, Events], bool]
"""resolve(position, seat, action, events): moves the position on in place; the action is known to be legal.
True when with it a dark card's action is wholly done."""

Answers = Callable[[Position, int], list[Action]]
"""answers(position, seat): what the seat may do while the module's kind of debt stands."""

Settler = Callable[[Position, int, Events], bool]
"""settle(position, resigning seat, events): pays or drops the debts of that seat; answers as a Resolver."""

Reaction = Callable[[Position, int, Events], None]
"""react(position, seat that played a dark card, events)."""


@dataclass(frozen=True, slots=True)
class Module:
    """One part of the rules and when it plays."""

    name: str
    is_on: Callable[[Options], bool]
    offers: Callable[[Options], tuple[Offer, ...]] = lambda options: ()
    resolvers: dict[type, Resolver] = field(default_factory=dict)
    answers: dict[type, Answers] = field(default_factory=dict)
    settlers: dict[type, Settler] = field(default_factory=dict)
    reactions: tuple[Reaction, ...] = ()


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Everything about a table that does not change while a game runs."""

    options: Options
    route: Route
    kinds: CardKinds
    has_sloop: bool
    has_row: bool
    actions: int
    min_actions: int
    offers: tuple[Offer, ...]
    resolvers: dict[type, Resolver]
    answers: dict[type, Answers]
    settlers: dict[type, Settler]
    reactions: tuple[Reaction, ...]
    stock: Stock


@lru_cache(maxsize=512)
def make_ruleset(options: Options, symbols: tuple[str, ...]) -> Ruleset:
    has_sloop = options.scenario == "complete"
    passage_spaces = len(symbols) * options.passage_boards // options.boards if has_sloop else 0
    route = make_route(symbols, options.symbols, passage_spaces)
    kinds = card_kinds(options.symbols, options.copies, options.scoundrels)
    played = _played(options)
    return Ruleset(
        options=options,
        route=route,
        kinds=kinds,
        has_sloop=has_sloop,
        has_row=options.supply == "row",
        actions=options.actions,
        min_actions=options.min_actions,
        offers=played.offers(options),
        resolvers=played.resolvers,
        answers=played.answers,
        settlers=played.settlers,
        reactions=played.reactions,
        stock=make_stock(kinds.names, kinds.symbol, route.names, options.players),
    )


@lru_cache(maxsize=64)
def _played(options: Options) -> Module:
    """All modules that play, as one; tables with the same options share it."""
    from app.rules.modules import MODULES  # the modules need this file's types

    active = [module for module in MODULES if module.is_on(options)]
    offers = tuple(offer for module in active for offer in module.offers(options))
    return Module(
        name="+".join(module.name for module in active),
        is_on=lambda _: True,
        offers=lambda _: offers,
        resolvers={kind: resolve for module in active for kind, resolve in module.resolvers.items()},
        answers={kind: answer for module in active for kind, answer in module.answers.items()},
        settlers={kind: settle for module in active for kind, settle in module.settlers.items()},
        reactions=tuple(reaction for module in active for reaction in module.reactions),
    )
