"""The ruleset of one table: its options and boards, turned into tables by the modules that play.

A module says what it adds: actions, events and debts, offers (what may be done now), reactions (what follows a
dark card), what it sets up, its state in JSON. The engine only walks these tables and knows no module by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from app.rules.core.action import ACTIONS, Action
from app.rules.core.action_cache import make_action_cache
from app.rules.core.cards import card_kinds
from app.rules.core.errors import Reason
from app.rules.core.event import EVENTS, Event
from app.rules.core.position import (
    Choice,
    Offer,
    Pending,
    Reaction,
    Resolver,
    Ruleset,
    SetUp,
    State,
    Teller,
    WhyNot,
)
from app.rules.core.route import Route, make_route
from app.rules.options import Options


@dataclass(frozen=True, slots=True)
class Rule:
    """How one kind of action is played."""

    resolve: Resolver
    choice: Choice = lambda position, seat, action, company: {"final": True}
    why_not: WhyNot | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One part of the rules and when it plays."""

    name: str
    is_on: Callable[[Options], bool]
    absent: Reason | None = None
    """Why its actions are refused where it does not play."""
    offers: Callable[[Options, Route], tuple[Offer, ...]] = lambda options, route: ()
    tellers: dict[Offer, Teller] = field(default_factory=dict)
    actions: dict[type[Action], Rule] = field(default_factory=dict)
    debts: tuple[type[Pending], ...] = ()
    events: tuple[type[Event], ...] = ()
    reactions: tuple[Reaction, ...] = ()
    set_up: SetUp | None = None
    state: State | None = None
    dark_copies: int = 0
    """How many cards of each symbol it makes dark."""
    every_action: Callable[[Ruleset], Iterable[Action]] = lambda ruleset: ()
    """All actions of its own that a table can ever know, for whoever numbers them."""


MODULES: list[Module] = []
"""In the order in which they offer actions."""
DEBTS: dict[str, type[Pending]] = {}
"""Of all modules, by their kinds in JSON."""


def add_modules(modules: Iterable[Module]) -> None:
    for module in modules:
        MODULES.append(module)
        ACTIONS.update({action.type: action for action in module.actions})
        EVENTS.update({event.type: event for event in module.events})
        DEBTS.update({debt.kind: debt for debt in module.debts})


def modules_on(options: Options) -> list[Module]:
    return [module for module in MODULES if module.is_on(options)]


@lru_cache(maxsize=512)
def make_ruleset(options: Options, symbols: tuple[str, ...]) -> Ruleset:
    passage_spaces = len(symbols) * options.passage_boards // options.boards if options.has_sloop else 0
    route = make_route(symbols, options.symbols, passage_spaces)
    played = _tables(options)
    offers = tuple(offer for module in modules_on(options) for offer in module.offers(options, route))
    kinds = card_kinds(options.symbols, options.copies, played.dark_copies)
    return Ruleset(
        options=options,
        route=route,
        kinds=kinds,
        has_sloop=options.has_sloop,
        has_row=options.supply == "row",
        actions=options.actions,
        min_actions=options.min_actions,
        offers=offers,
        tellers=tuple((offer, played.tellers.get(offer)) for offer in offers),
        resolvers=played.resolvers,
        choices=played.choices,
        why_nots=played.why_nots,
        reactions=played.reactions,
        set_ups=played.set_ups,
        states=played.states,
        cache=make_action_cache(kinds.names, kinds.symbol, route.names),
    )


@dataclass(frozen=True, slots=True)
class _Tables:
    """What all modules that play add up to, whatever the boards."""

    tellers: dict[Offer, Teller]
    resolvers: dict[type[Action], Resolver]
    choices: dict[type[Action], Choice]
    why_nots: dict[type[Action], WhyNot]
    reactions: tuple[Reaction, ...]
    set_ups: tuple[SetUp, ...]
    states: tuple[State, ...]
    dark_copies: int


@lru_cache(maxsize=64)
def _tables(options: Options) -> _Tables:
    """Games with the same options share them."""
    active = modules_on(options)
    rules = {action: rule for module in active for action, rule in module.actions.items()}
    return _Tables(
        tellers={offer: tell for module in active for offer, tell in module.tellers.items()},
        resolvers={action: rule.resolve for action, rule in rules.items()},
        choices={action: rule.choice for action, rule in rules.items()},
        why_nots={action: rule.why_not for action, rule in rules.items() if rule.why_not is not None},
        reactions=tuple(reaction for module in active for reaction in module.reactions),
        set_ups=tuple(module.set_up for module in active if module.set_up is not None),
        states=tuple(module.state for module in MODULES if module.state is not None),
        dark_copies=sum(module.dark_copies for module in active),
    )
