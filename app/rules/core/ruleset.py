"""Modules of the rules, and the ruleset that the active modules make of a table's options and boards.

A module declares what it adds: actions, events, pending choices, offers (functions that list legal actions), reactions
to dark cards, set-up and state in JSON. The engine walks these tables and names no module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from app.rules.core.action import ACTIONS, Action
from app.rules.core.action_cache import make_action_cache
from app.rules.core.cards import make_card_kinds
from app.rules.core.errors import Reason
from app.rules.core.event import EVENTS, Event
from app.rules.core.position import (
    ChoiceWriter,
    IllegalExplainer,
    ModuleState,
    Offer,
    Pending,
    Preview,
    Reaction,
    Resolver,
    Ruleset,
    SetUp,
)
from app.rules.core.route import Route, make_route
from app.rules.options import Options


@dataclass(frozen=True, slots=True)
class Rule:
    """How one type of action is resolved, previewed and refused."""

    resolve: Resolver
    preview: Preview = lambda position, seat, action, company: {"final": True}
    explain_illegal: IllegalExplainer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One part of the rules and the options that activate it."""

    name: str
    is_active: Callable[[Options], bool]
    absent_reason: Reason | None = None
    """Why its actions are refused while it is not active."""
    offers: Callable[[Options, Route], tuple[Offer, ...]] = lambda options, route: ()
    choice_writers: dict[Offer, ChoiceWriter] = field(default_factory=dict)
    actions: dict[type[Action], Rule] = field(default_factory=dict)
    pending_types: tuple[type[Pending], ...] = ()
    events: tuple[type[Event], ...] = ()
    reactions: tuple[Reaction, ...] = ()
    set_up: SetUp | None = None
    state: ModuleState | None = None
    dark_copies: int = 0
    """Number of cards of each symbol that it makes dark."""
    all_actions: Callable[[Ruleset], Iterable[Action]] = lambda ruleset: ()
    """all_actions(ruleset): yield every action of the module that can occur, so that callers can number them."""


MODULES: list[Module] = []
"""Registered modules, in the order in which they offer actions."""
PENDING_TYPES: dict[str, type[Pending]] = {}
"""Pending classes of all modules, by JSON kind."""


def register_modules(modules: Iterable[Module]) -> None:
    for module in modules:
        MODULES.append(module)
        ACTIONS.update({action.type: action for action in module.actions})
        EVENTS.update({event.type: event for event in module.events})
        PENDING_TYPES.update({pending.kind: pending for pending in module.pending_types})


def active_modules(options: Options) -> list[Module]:
    """Return the modules that the options activate."""
    return [module for module in MODULES if module.is_active(options)]


@lru_cache(maxsize=512)
def make_ruleset(options: Options, symbols: tuple[str, ...]) -> Ruleset:
    """Return the ruleset of a table with these options and symbols on its spaces."""
    passage_spaces = len(symbols) * options.passage_boards // options.boards if options.has_sloop else 0
    route = make_route(symbols, options.symbols, passage_spaces)
    tables = _merge_modules(options)
    offers = tuple(offer for module in active_modules(options) for offer in module.offers(options, route))
    kinds = make_card_kinds(options.symbols, options.copies, tables.dark_copies)
    return Ruleset(
        options=options,
        route=route,
        kinds=kinds,
        has_sloop=options.has_sloop,
        has_row=options.supply == "row",
        actions=options.actions,
        min_actions=options.min_actions,
        offers=offers,
        choice_writers=tuple((offer, tables.choice_writers.get(offer)) for offer in offers),
        resolvers=tables.resolvers,
        previews=tables.previews,
        illegal_explainers=tables.illegal_explainers,
        reactions=tables.reactions,
        set_ups=tables.set_ups,
        states=tables.states,
        cache=make_action_cache(kinds.names, kinds.symbol, route.names),
    )


@dataclass(frozen=True, slots=True)
class _ModuleTables:
    """Merged declarations of all active modules, independent of the boards."""

    choice_writers: dict[Offer, ChoiceWriter]
    resolvers: dict[type[Action], Resolver]
    previews: dict[type[Action], Preview]
    illegal_explainers: dict[type[Action], IllegalExplainer]
    reactions: tuple[Reaction, ...]
    set_ups: tuple[SetUp, ...]
    states: tuple[ModuleState, ...]
    dark_copies: int


@lru_cache(maxsize=64)
def _merge_modules(options: Options) -> _ModuleTables:
    """Return the merged tables, cached because games with the same options share them."""
    active = active_modules(options)
    rules = {action: rule for module in active for action, rule in module.actions.items()}
    return _ModuleTables(
        choice_writers={offer: write for module in active for offer, write in module.choice_writers.items()},
        resolvers={action: rule.resolve for action, rule in rules.items()},
        previews={action: rule.preview for action, rule in rules.items()},
        illegal_explainers={
            action: rule.explain_illegal for action, rule in rules.items() if rule.explain_illegal is not None
        },
        reactions=tuple(reaction for module in active for reaction in module.reactions),
        set_ups=tuple(module.set_up for module in active if module.set_up is not None),
        states=tuple(module.state for module in MODULES if module.state is not None),
        dark_copies=sum(module.dark_copies for module in active),
    )
