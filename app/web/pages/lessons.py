"""Lessons and demos: small positions on the real board, each with a task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from app import rules
from app.rules.core.chance import shuffle

Json = dict[str, Any]

SEED = "c0ffee" * 10 + "c0ff"

# Four fixed boards, so that the texts below can refer to spaces.
SHORT_ROUTE = (
    "key hat skull dagger bottle pistol "
    "skull key pistol hat dagger bottle "
    "dagger bottle key skull pistol hat "
    "hat pistol bottle dagger key skull"
).split()
SHORT_OPTIONS: Json = {
    "preset": "jamaica",
    "players": 2,
    "passage_boards": 4,
    "board": "random",
    "pirates": 4,
    "first": 0,
}
CROSSING_OPTIONS: Json = {"preset": "complete", "players": 2, "pirates": 4, "first": 0}
# Board and chests follow from SEED: chests of 1, 2 and 3 cards on 5, 12 and 16, the snake on 20.
MAGIC_OPTIONS: Json = {**SHORT_OPTIONS, "preset": "dungeon", "black_magic": True}


@dataclass(frozen=True)
class Stage:
    """A position to act on: the places of red and blue, and red's hand."""

    name: str
    red: tuple[int | str, ...]
    blue: tuple[int | str, ...]
    hand: tuple[str, ...]
    show: Json
    """The action that "Show me" plays."""
    options: Json = field(default_factory=lambda: dict(SHORT_OPTIONS))
    board: tuple[str, ...] | None = tuple(SHORT_ROUTE)
    then: tuple[Json, ...] = ()
    """Red's following actions, such as taking a card from the hand it looked into."""
    blue_hand: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Lesson(Stage):
    title: str = ""
    task: str = ""
    praise: str = ""
    only: frozenset[str] = frozenset()
    """The action types offered; all if empty."""
    is_done: Callable[[rules.Position, list[Json]], bool] = lambda _position, _events: False

    def sentences(self) -> Iterator[str]:
        yield from (self.title, self.task, self.praise)


def requires_event(kind: str, **fields: object) -> Callable[[rules.Position, list[Json]], bool]:
    """Return a condition that is met once such an event has happened."""

    def is_done(_position: rules.Position, events: list[Json]) -> bool:
        return any(
            event["type"] == kind and all(event.get(name) == value for name, value in fields.items())
            for event in events
        )

    return is_done


def has_drawn_two_cards(_position: rules.Position, events: list[Json]) -> bool:
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
        task="You are Red, and your pirates are in prison. Choose one of your cards, then a pirate: "
        "it runs to the next empty space with that symbol.",
        praise="Well done! A card takes any of your pirates to the next empty space with its symbol.",
        only=frozenset({"advance"}),
        is_done=requires_event("advanced", seat=0),
    ),
    Lesson(
        "jump",
        ("start", "start", 2, 5),
        ("start", 1, 3, 8),
        ("key",),
        {"type": "advance", "card": "key", "from": 2},
        title="Jump over occupied spaces",
        task="Blue is on the first two key spaces. Play your key anyway and see how far it takes you.",
        praise="Straight past both of them! Occupied spaces do not block you; they carry you forward.",
        only=frozenset({"advance"}),
        is_done=requires_event("advanced", seat=0, to=15),
    ),
    Lesson(
        "retreat",
        ("start", 4, 9, 14),
        ("start", 6, 6, 11),
        (),
        {"type": "retreat", "from": 9},
        title="Retreat for cards",
        task="You have no cards left! Move a pirate back to a space with other pirates: where there is one, "
        "you draw one card; where there are two, you draw two. Draw two cards.",
        praise="That is how you win cards. One step back pays for several steps forward.",
        only=frozenset({"retreat"}),
        is_done=has_drawn_two_cards,
    ),
    Lesson(
        "turn",
        ("start", 4, 9, 14),
        ("start", 6, 6, 11),
        ("bottle", "hat"),
        {"type": "advance", "card": "hat", "from": 14},
        title="A whole turn",
        task="A turn has up to three actions, in any combination. Take as many as you like, "
        "then end your turn and watch what Blue does.",
        praise="Blue has moved, and it is your turn again. "
        "The trick is to combine steps back with steps forward.",
        is_done=requires_event("turn_passed", next=0),
    ),
    Lesson(
        "sloop",
        (21, "goal", "goal", "goal"),
        (5, 12, 19, 24),
        ("dagger", "skull"),
        {"type": "advance", "card": "skull", "from": 21},
        title="Reach the sloop",
        task="This is your last pirate! The only skull ahead is occupied, and when there is no empty space "
        "with the symbol, the pirate runs straight to the sloop. Bring it aboard.",
        praise="All aboard! The first player with every pirate on the sloop wins.",
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
          {"type": "morgan", "player": 1, "from": 6}, {**SHORT_OPTIONS, "card_gain": "morgan"}),
    Stage("sail", (3, 9, "sloop", "sloop"), (2, 9, 14, "sloop"), ("hook",),
          {"type": "sail"}, dict(CROSSING_OPTIONS), None),
    Stage("scoundrels", ("start", "start", 2, 5), ("start", 3, 8, 11), ("hat", "key*"),
          {"type": "advance", "card": "key*", "from": 2}, {**SHORT_OPTIONS, "scoundrels": True},
          blue_hand=tuple("bottle bottle dagger hat hat key pistol skull skull".split())),
    Stage("pistol", ("start", 4, 9, 14), ("start", 6, 11, 17), ("pistol", "rum"),
          {"type": "pistol", "card": "pistol", "player": 1}, dict(MAGIC_OPTIONS), None,
          then=({"type": "steal", "card": "parrot"},), blue_hand=("chest", "hook", "parrot", "parrot")),
    Stage("rum", ("start", 4, 9, 14), ("start", 6, 11, 17), ("hook", "rum"),
          {"type": "rum", "card": "rum"}, dict(MAGIC_OPTIONS), None,
          then=({"type": "share", "keep": ["hook", "lantern"], "give": {"1": "hook"}},)),
    Stage("lantern", ("start", 4, 9, 14), ("start", 6, 11, 17), ("hook", "lantern"),
          {"type": "lantern", "card": "lantern"}, dict(MAGIC_OPTIONS), None,
          then=({"type": "stack", "keep": "rum", "back": ["hook", "lantern", "hook"]},)),
    Stage("parrot", ("start", 4, 9, 14), ("start", 6, 11, 15), ("parrot", "parrot"),
          {"type": "parrot", "cards": ["parrot", "parrot"], "as": "rum", "from": 9}, dict(MAGIC_OPTIONS), None),
    Stage("hook", ("start", 9, 9, 14), ("start", 6, 11, 15), ("hook", "rum"),
          {"type": "hook", "card": "hook", "with": "rum", "from": 9}, dict(MAGIC_OPTIONS), None),
    Stage("chest", ("start", 4, 9, 12), ("start", 6, 11, 15), ("chest",),
          {"type": "chest", "card": "chest", "from": 12}, dict(MAGIC_OPTIONS), None),
)  # fmt: skip


def find_stage(name: str) -> Stage | None:
    """Return a lesson by its name, or a demo by "demo-" and its name."""
    if name.startswith("demo-"):
        return next((stage for stage in DEMOS if stage.name == name[5:]), None)
    return next((lesson for lesson in LESSONS if lesson.name == name), None)


@lru_cache(maxsize=32)
def opening_position(name: str) -> rules.Position:
    """Return the stage's position, built as JSON and parsed by the engine like any other."""
    stage = find_stage(name)
    assert stage is not None
    template = rules.position_to_json(rules.new_game(rules.parse_options(stage.options), SEED))
    cards = [*template["deck"], *(card for player in template["players"] for card in player["hand"])]
    blue_hand = list(stage.blue_hand or sorted(shuffle(SEED, "blue", set(cards)))[:4])
    for card in (*stage.hand, *blue_hand):
        cards.remove(card)
    hands = (sorted(stage.hand), sorted(blue_hand))
    template["players"] = [
        {"hand": list(hand), "pirates": list(pirates), "resigned": False}
        for hand, pirates in zip(hands, (stage.red, stage.blue), strict=True)
    ]
    template["deck"] = shuffle(SEED, "deck", cards)
    if stage.board is not None:
        template["board"] = list(stage.board)
    return rules.position_from_json(template)
