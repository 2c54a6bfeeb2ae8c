"""The scenarios: how many rooms with how many players and spectators, and how much they play."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["SCENARIOS", "Scenario"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """`warm` and `actions` are per room; `rate` is actions a second of all rooms together, 0: no pause."""

    rooms: int
    players: int
    spectators: int = 0
    warm: int = 0
    actions: int = 0
    rate: float = 0.0

    @property
    def connections(self) -> int:
        return self.rooms * (self.players + self.spectators)

    def halved(self) -> Scenario:
        """For a server that would take minutes: a rate or a cost per action needs no more."""
        return replace(self, warm=max(1, self.warm // 2) if self.actions else 0, actions=self.actions // 2)


# `seat` measures how they all sit down, and what they take up in memory once they do.
SCENARIOS: dict[str, Scenario] = {
    "s50": Scenario(rooms=50, players=2, warm=60, actions=400),
    "s200": Scenario(rooms=200, players=4, warm=15, actions=75),
    "spec": Scenario(rooms=20, players=4, spectators=10, warm=20, actions=120),
    "paced": Scenario(rooms=200, players=4, warm=3, actions=12, rate=400.0),
    "seat": Scenario(rooms=500, players=2),
}
