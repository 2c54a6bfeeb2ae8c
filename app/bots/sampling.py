"""Samples positions that fit what a seat sees and remembers; hidden cards are dealt at random.

A bot never receives the position. It samples possible positions from its view (docs/interchange.md) and its events, and
searches those. Two positions that look the same to the seat lead to the same samples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from app import rules
from app.bots.inference import declined_layers, likelihoods
from app.bots.knowledge import Contradiction, Hypothesis, make_hypothesis
from app.rules import Json
from app.rules.core.position import Position
from app.rules.modules.black_magic.chest_tokens import CHEST_TOKENS
from app.rules.modules.black_magic.dealt_choice import PendingCardChoice

_MAX_TRIES = 40


def acting_seat(view: Json, actions: Sequence[Json]) -> int:
    """Return the seat that has to act, as far as the view shows it."""
    pending = view["pending"]
    if pending is None:
        return int(view["turn"]["seat"])
    if pending["kind"] != "discard":
        return int(pending["seat"])
    discarding = [int(seat) for seat in pending["owed"]]
    seen = [seat for seat in discarding if view["players"][seat]["hand"] is not None] or discarding
    counts = {action["count"] for action in actions if "count" in action}
    matching = [seat for seat in seen if pending["owed"][str(seat)] in counts]
    return (matching or seen)[0]


class PositionSampler:
    """Samples positions that are possible from the point of view of a seat."""

    def __init__(self, view: Json, seat: int, history: Sequence[Json], infers: bool = False) -> None:
        """`infers` weights other hands by the jumps that their seats declined (app/bots/inference.py)."""
        self.view = view
        self.seat = seat
        self._history = history
        self._certain: Hypothesis | None = None
        options = rules.parse_options(view["options"])
        self._base = self._any_deal(Random(0))
        self.ruleset = self._base.ruleset
        self._kinds = self.ruleset.kinds
        self.is_open = options.hands == "open"
        self._groups: dict[int, list[tuple[int, list[int]]]] = {}
        if infers and not self.is_open:
            others = [n for n, player in enumerate(view["players"]) if player["hand"] is None]
            layers = declined_layers(view, history, self.ruleset.route, others)
            self._groups = {other: likelihoods(found) for other, found in layers.items() if found}

    def sample(self, rng: Random) -> Position:
        """Return a possible position. Its seed, and so later shuffles and tokens, is random."""
        position = self._base.copy()
        position.seed = f"{rng.getrandbits(256):064x}"
        for _ in range(_MAX_TRIES):
            try:
                hypothesis = self._certain or make_hypothesis(self.view, self._history, rng)
                if hypothesis.is_certain:
                    self._certain = hypothesis
                self._deal(position, hypothesis, rng)
            except Contradiction:
                position = self._base.copy()
                position.seed = f"{rng.getrandbits(256):064x}"
                continue
            self._lay_tokens(position, hypothesis.opened, rng)
            return position
        # The history does not fit the view, for example because a part is missing. Use the view alone.
        held = [player["cards"] for player in self.view["players"]]
        self._deal(position, Hypothesis(held, rng), rng)
        self._lay_tokens(position, None, rng)
        return position

    def _any_deal(self, rng: Random) -> Position:
        """Return a valid position that has this view, as the base of all samples."""
        view = self.view
        kinds = rules.new_game(rules.parse_options(view["options"]), "0" * 64).ruleset.kinds
        unseen = list(_unseen(view, Counter(dict(zip(kinds.names, kinds.copies, strict=True)))).elements())
        unseen.sort()
        rng.shuffle(unseen)
        players = []
        for player in view["players"]:
            hand = player["hand"]
            if hand is None:
                count = player["cards"]
                hand, unseen = sorted(unseen[:count]), unseen[count:]
            players.append({"hand": hand, "pirates": player["pirates"], "resigned": player["resigned"]})
        pending = view["pending"]
        if pending is not None and pending.get("cards", ()) is None:
            count = pending["count"]
            pending = {name: value for name, value in pending.items() if name != "count"}
            pending["cards"], unseen = sorted(unseen[:count]), unseen[count:]
        tokens = _tokens_left(view, None)
        spaces = list(view["chests"])
        whole = {
            **view,
            "seed": "0" * 64,
            "players": players,
            "deck": unseen,
            "pending": pending,
            "chests": dict(zip(spaces, tokens, strict=False)),
            "chests_aside": tokens[len(spaces) :],
        }
        return rules.position_from_json(whole)

    def _deal(self, position: Position, hypothesis: Hypothesis, rng: Random) -> None:
        """Put known cards where they are known to be and deal the others at random."""
        view, numbers = self.view, self._kinds.by_name
        pool = _unseen(view, Counter(dict(zip(self._kinds.names, self._kinds.copies, strict=True))))
        hidden = [seat for seat, player in enumerate(view["players"]) if player["hand"] is None]
        is_offer_hidden = view["pending"] is not None and view["pending"].get("cards", ()) is None
        for seat in hidden:
            pool.subtract(hypothesis.known[seat])
        top = hypothesis.deck_top[: view["deck"]]
        pool.subtract(card for card in top if card is not None)
        offered = hypothesis.offered if is_offer_hidden else []
        pool.subtract(card for card in offered if card is not None)
        if pool and min(pool.values()) < 0:
            raise Contradiction
        unknown = [numbers[card] for card in sorted(pool.elements())]
        rng.shuffle(unknown)
        for seat in hidden:
            known = hypothesis.known[seat]
            missing = view["players"][seat]["cards"] - known.total()
            if missing < 0 or missing > len(unknown):
                raise Contradiction
            hand = bytearray(len(numbers))
            for card, count in known.items():
                hand[numbers[card]] += count
            for count, weights in self._groups.get(seat, ()):
                for _ in range(min(count, missing)):
                    hand[self._draw_likely(unknown, weights, rng)] += 1
                    missing -= 1
            for _ in range(missing):
                hand[unknown.pop()] += 1
            position.hands[seat] = hand
        if is_offer_hidden:
            self._offer(position, offered, unknown)
        deck = [unknown.pop() if card is None else numbers[card] for card in top]
        deck += unknown
        if len(deck) != view["deck"]:
            raise Contradiction
        deck.reverse()
        position.deck = bytes(deck)

    def _draw_likely(self, unknown: list[int], weights: Sequence[int], rng: Random) -> int:
        """Remove and return one of the unknown cards, drawn with the weights of their symbols."""
        symbol = self._kinds.symbol
        shares = [weights[symbol[kind]] for kind in unknown]
        left = rng.randrange(sum(shares))
        for index, share in enumerate(shares):
            left -= share
            if left < 0:
                return unknown.pop(index)
        raise AssertionError

    def _offer(self, position: Position, offered: list[str | None], unknown: list[int]) -> None:
        count = self.view["pending"]["count"]
        numbers = self._kinds.by_name
        if len(offered) != count:
            offered = [None] * count
        cards = tuple(sorted(unknown.pop() if card is None else numbers[card] for card in offered))
        pending = position.pending
        assert isinstance(pending, PendingCardChoice)
        position.pending = replace(pending, cards=cards)

    def _lay_tokens(self, position: Position, opened: list[str] | None, rng: Random) -> None:
        if not position.options.black_magic:
            return
        tokens = _tokens_left(self.view, opened)
        rng.shuffle(tokens)
        places = sorted(position.tokens)
        position.tokens = dict(zip(places, tokens, strict=False))
        position.tokens_aside = tuple(tokens[len(places) :])


def _unseen(view: Json, cards: Counter[str]) -> Counter[str]:
    """Return the full set without the cards that the seat sees."""
    for player in view["players"]:
        cards.subtract(player["hand"] or ())
    cards.subtract(view["row"])
    cards.subtract(view["discard"])
    if view["pending"] is not None:
        cards.subtract(view["pending"].get("cards") or ())
    return cards


def _tokens_left(view: Json, opened: list[str] | None) -> list[str]:
    """Return the tokens that are still face down, in text order. Guess them if `opened` is None or does not fit."""
    count = len(view["chests"]) + int(view["chests_aside"])
    if not count:
        return []
    left = Counter(CHEST_TOKENS)
    left.subtract(opened or ())
    tokens = sorted(left.elements())
    if len(tokens) != count:
        # The snake is always among them. It is last in text order, so the end of the list contains it.
        tokens = sorted(CHEST_TOKENS)[-count:]
    return tokens
