"""A PettingZoo environment (AEC) for all presets and modules. Observations contain only what the seat sees."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from app import rules
from app.research.action_table import ActionTable
from app.rules.core.position import Position
from app.rules.modules.scoundrels import Discard, DiscardPlaceholder

_MAX_ROW_SIZE = 20
_PENDING_KINDS = ("steal", "share", "stack", "discard")
_MAX_ACTIONS = 3_000


def env(**options: Any) -> Any:
    """Return the environment with PettingZoo's usual wrapper, for example env(preset="jamaica", players=3)."""
    return wrappers.OrderEnforcingWrapper(CartagenaEnv(**options))


class CartagenaEnv(AECEnv):  # type: ignore[misc]
    """One table. The rewards are +1 for the winner and −1 for all others at the end of the game."""

    metadata = {"name": "cartagena_v1", "render_modes": [], "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.render_mode = None
        self._options = rules.parse_options({"preset": "jamaica", "players": 2, **options})
        self._rng = random.Random()
        self._position = self._deal()
        self._table = ActionTable(self._position)
        self._chosen: list[str] = []
        self._action_count = 0
        self.possible_agents = [f"seat_{seat}" for seat in range(self._options.players)]
        self.agents: list[str] = []
        length = len(self._observe(0))
        space = spaces.Dict(
            {
                "observation": spaces.Box(-1, 255, (length,), np.int16),
                "action_mask": spaces.Box(0, 1, (self._table.size,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(self._table.size) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def _deal(self) -> Position:
        return rules.new_game(self._options, f"{self._rng.getrandbits(256):064x}")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self._rng = random.Random(seed)
        self._position = self._deal()
        self._chosen = []
        self._action_count = 0
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._next_agent()

    def _next_agent(self) -> str:
        acting = rules.seats_to_act(self._position)
        return self.possible_agents[acting[0] if acting else self._position.turn_seat]

    def observe(self, agent: str) -> dict[str, Any]:
        seat = self.possible_agents.index(agent)
        mask: Any = np.zeros(self._table.size, np.int8)
        if agent == self.agent_selection and self._position.winner is None:
            mask[list(self._table.legal(self._position, seat, self._chosen))] = 1
        return {"observation": np.array(self._observe(seat), np.int16), "action_mask": mask}

    def _observe(self, seat: int) -> list[int]:
        """Return the seat's view (docs/interchange.md) as numbers, with its own pirates and cards first."""
        ruleset = self._position.ruleset
        view = rules.view(self._position, seat)
        numbers, places = ruleset.kinds.by_name, ruleset.route.places
        players = view["players"]
        order = [(seat + n) % len(players) for n in range(len(players))]
        seen = list(ruleset.route.symbol)
        for other in order:
            spots = [0] * len(places)
            for place in players[other]["pirates"]:
                spots[places[place]] += 1
            hand = [-1] * len(numbers)
            if players[other]["hand"] is not None:
                hand = [players[other]["hand"].count(card) for card in numbers]
            held = players[other].get("cards", sum(hand))
            seen += [*spots, *hand, held, int(players[other]["resigned"])]
        seen += [view["discard"].count(card) for card in numbers]
        row = [numbers[card] for card in view["row"]]
        seen += row + [-1] * (_MAX_ROW_SIZE - len(row))
        chests = {str(space) for space in view["chests"]}
        seen += [int(str(name) in chests) for name in ruleset.route.names]
        pending = view["pending"]
        offered = (pending or {}).get("cards") or ()
        seen += [offered.count(card) if offered else 0 for card in numbers]
        # Only the seat that is discarding sees the cards it has chosen so far.
        chosen = self._chosen if rules.seats_to_act(self._position)[:1] == (seat,) else []
        seen += [chosen.count(card) for card in numbers]
        deck = view["deck"] if isinstance(view["deck"], int) else len(view["deck"])
        return [
            *seen,
            min(deck, 255),
            order.index(view["turn"]["seat"]),
            view["turn"]["taken"],
            int(view["turn"]["captain_used"]),
            (None, "cartagena", "tortuga").index(view["sloop"]),
            -1 if pending is None else _PENDING_KINDS.index(pending["kind"]),
        ]

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat = self.possible_agents.index(agent)
        listed = self._table.legal(self._position, seat, self._chosen)
        if action is None or int(action) not in listed:
            raise ValueError(f"action {action} is not legal for {agent}; the mask says which are")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        chosen = listed[int(action)]
        if isinstance(chosen, str):
            self._chosen.append(chosen)
            discard = rules.legal(self._position, seat)[0]
            assert isinstance(discard, DiscardPlaceholder)
            if len(self._chosen) < discard.count:
                return
            chosen, self._chosen = Discard(tuple(sorted(self._chosen))), []
        self._position, _ = rules.apply(self._position, seat, chosen)
        self._action_count += 1
        if self._position.winner is not None:
            for index, name in enumerate(self.possible_agents):
                self.rewards[name] = 1.0 if index == self._position.winner else -1.0
            self.terminations = dict.fromkeys(self.agents, True)
        elif self._action_count >= _MAX_ACTIONS:
            self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self.agent_selection = self._next_agent()

    def render(self) -> None:
        """Do nothing. `cartagena picture` draws positions."""

    def close(self) -> None:
        """Do nothing; there are no resources to release."""
