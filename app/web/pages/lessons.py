"""Lessons and examples: small positions on the real board, each with what there is to do on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from app import rules
from app.rules.core.chance import shuffle

Json = dict[str, Any]

SEED = "c0ffee" * 10 + "c0ff"

# Four boards, fixed, so that every text below can name what stands where.
SHORT_ROUTE = (
    "key hat skull dagger bottle pistol "
    "skull key pistol hat dagger bottle "
    "dagger bottle key skull pistol hat "
    "hat pistol bottle dagger key skull"
).split()
SHORT: Json = {
    "preset": "jamaica",
    "players": 2,
    "passage_boards": 4,
    "board": "random",
    "pirates": 4,
    "first": 0,
}
CROSSING: Json = {"preset": "complete", "players": 2, "pirates": 4, "first": 0}
# Its board and its chests are those of SEED: chests of 1, 2 and 3 cards on 5, 12 and 16, the snake on 20.
MAGIC: Json = {**SHORT, "preset": "dungeon", "black_magic": True}


@dataclass(frozen=True)
class Stage:
    """A position to act on: where red and blue stand and what red holds."""

    name: str
    red: tuple[int | str, ...]
    blue: tuple[int | str, ...]
    hand: tuple[str, ...]
    show: Json
    """The action that "Show me" plays."""
    options: Json = field(default_factory=lambda: dict(SHORT))
    board: tuple[str, ...] | None = tuple(SHORT_ROUTE)
    then: tuple[Json, ...] = ()
    """What red does after that, as in taking a card from the hand it looked into."""
    blue_hand: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Lesson(Stage):
    title: str = ""
    task: str = ""
    praise: str = ""
    only: frozenset[str] = frozenset()
    """The kinds of action offered; empty: all."""
    is_done: Callable[[rules.Position, list[Json]], bool] = lambda _position, _events: False

    def sentences(self) -> Iterator[str]:
        yield from (self.title, self.task, self.praise)


def happened(kind: str, **fields: object) -> Callable[[rules.Position, list[Json]], bool]:
    """Done once such an event has happened."""

    def is_done(_position: rules.Position, events: list[Json]) -> bool:
        return any(
            event["type"] == kind and all(event.get(name) == value for name, value in fields.items())
            for event in events
        )

    return is_done


def has_drawn_two(_position: rules.Position, events: list[Json]) -> bool:
    drawn = [event for event in events if event["type"] == "cards_drawn" and event["seat"] == 0]
    return sum(int(event["count"]) for event in drawn) >= 2


LESSONS: tuple[Lesson, ...] = (
    Lesson(
        "advance",
        ("start",) * 4,
        ("start",) * 4,
        ("bottle", "hat", "key"),
        {"type": "advance", "card": "bottle", "from": "start"},
        title="Advance",
        task="You are red, and your pirates sit in the prison. Choose one of your cards, then a pirate: "
        "it runs to the next empty space with that symbol.",
        praise="Well run! A card takes any of your pirates to the next empty space with its symbol.",
        only=frozenset({"advance"}),
        is_done=happened("advanced", seat=0),
    ),
    Lesson(
        "jump",
        ("start", "start", 2, 5),
        ("start", 1, 3, 8),
        ("key",),
        {"type": "advance", "card": "key", "from": 2},
        title="Jump over taken spaces",
        task="The first two key spaces are taken by blue. Play your key all the same "
        "and see how far it carries.",
        praise="Straight past both of them! Taken spaces do not block you, they throw you forward.",
        only=frozenset({"advance"}),
        is_done=happened("advanced", seat=0, to=15),
    ),
    Lesson(
        "retreat",
        ("start", 4, 9, 14),
        ("start", 6, 6, 11),
        (),
        {"type": "retreat", "from": 9},
        title="Retreat for cards",
        task="No cards left! Move a pirate back to company: where one pirate stands you draw one card, "
        "where two stand you draw two. Draw two cards.",
        praise="That is how cards are won. One step back pays for several forward.",
        only=frozenset({"retreat"}),
        is_done=has_drawn_two,
    ),
    Lesson(
        "turn",
        ("start", 4, 9, 14),
        ("start", 6, 6, 11),
        ("bottle", "hat"),
        {"type": "advance", "card": "hat", "from": 14},
        title="A whole turn",
        task="A turn has up to three actions in any mix. Take as many as you like, "
        "then end the turn and watch blue.",
        praise="Blue has moved and it is your turn again. Mixing steps back and forward is the whole art.",
        is_done=happened("turn_passed", next=0),
    ),
    Lesson(
        "sloop",
        (21, "goal", "goal", "goal"),
        (5, 12, 19, 24),
        ("dagger", "skull"),
        {"type": "advance", "card": "skull", "from": 21},
        title="Reach the sloop",
        task="Your last pirate! The only skull ahead is taken, and when no empty space with the symbol "
        "is left, the way leads to the sloop. Bring it home.",
        praise="All aboard! Whoever first has every pirate on the sloop wins.",
        only=frozenset({"advance"}),
        is_done=lambda position, _events: position.winner == 0,
    ),
)

DEMOS: tuple[Stage, ...] = (
    Stage("advance", ("start", "start", 2, 5), ("start", "start", 3, 8), ("key",),
          {"type": "advance", "card": "key", "from": 2}),
    Stage("goal", ("start", 5, 9, 17), (2, 13, 13, 24), ("skull",),
          {"type": "advance", "card": "skull", "from": 17}),
    Stage("retreat", ("start", 4, 9, 14), ("start", 6, 6, 11), (), {"type": "retreat", "from": 9}),
    Stage("morgan", ("start", 4, 9, 9), ("start", 6, 12, 14), (),
          {"type": "morgan", "player": 1, "from": 6}, {**SHORT, "card_gain": "morgan"}),
    Stage("sail", (3, 9, "sloop", "sloop"), (2, 9, 14, "sloop"), ("hook",),
          {"type": "sail"}, dict(CROSSING), None),
    Stage("scoundrels", ("start", "start", 2, 5), ("start", 3, 8, 11), ("hat", "key*"),
          {"type": "advance", "card": "key*", "from": 2}, {**SHORT, "scoundrels": True},
          blue_hand=tuple("bottle bottle dagger hat hat key pistol skull skull".split())),
    Stage("pistol", ("start", 4, 9, 14), ("start", 6, 11, 17), ("pistol", "rum"),
          {"type": "pistol", "card": "pistol", "player": 1}, dict(MAGIC), None,
          then=({"type": "steal", "card": "parrot"},), blue_hand=("chest", "hook", "parrot", "parrot")),
    Stage("rum", ("start", 4, 9, 14), ("start", 6, 11, 17), ("hook", "rum"),
          {"type": "rum", "card": "rum"}, dict(MAGIC), None,
          then=({"type": "share", "keep": ["hook", "lantern"], "give": {"1": "hook"}},)),
    Stage("lantern", ("start", 4, 9, 14), ("start", 6, 11, 17), ("hook", "lantern"),
          {"type": "lantern", "card": "lantern"}, dict(MAGIC), None,
          then=({"type": "stack", "keep": "rum", "back": ["hook", "lantern", "hook"]},)),
    Stage("parrot", ("start", 4, 9, 14), ("start", 6, 11, 15), ("parrot", "parrot"),
          {"type": "parrot", "cards": ["parrot", "parrot"], "as": "rum", "from": 9}, dict(MAGIC), None),
    Stage("hook", ("start", 9, 9, 14), ("start", 6, 11, 15), ("hook", "rum"),
          {"type": "hook", "card": "hook", "with": "rum", "from": 9}, dict(MAGIC), None),
    Stage("chest", ("start", 4, 9, 12), ("start", 6, 11, 15), ("chest",),
          {"type": "chest", "card": "chest", "from": 12}, dict(MAGIC), None),
)  # fmt: skip


def find_stage(name: str) -> Stage | None:
    """A lesson by its name, an example by "demo-" and its name."""
    if name.startswith("demo-"):
        return next((stage for stage in DEMOS if stage.name == name[5:]), None)
    return next((lesson for lesson in LESSONS if lesson.name == name), None)


@lru_cache(maxsize=32)
def opening(name: str) -> rules.Position:
    """The stage's position, put together as JSON and taken in by the engine like any other."""
    stage = find_stage(name)
    assert stage is not None
    fresh = rules.position_to_json(rules.new_game(rules.parse_options(stage.options), SEED))
    cards = [*fresh["deck"], *(card for player in fresh["players"] for card in player["hand"])]
    blue_hand = list(stage.blue_hand or sorted(shuffle(SEED, "blue", set(cards)))[:4])
    for card in (*stage.hand, *blue_hand):
        cards.remove(card)
    hands = (sorted(stage.hand), sorted(blue_hand))
    fresh["players"] = [
        {"hand": list(hand), "pirates": list(pirates), "resigned": False}
        for hand, pirates in zip(hands, (stage.red, stage.blue), strict=True)
    ]
    fresh["deck"] = shuffle(SEED, "deck", cards)
    if stage.board is not None:
        fresh["board"] = list(stage.board)
    return rules.position_from_json(fresh)
