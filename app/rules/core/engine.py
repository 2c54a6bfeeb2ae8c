"""The engine: what is legal, what an action makes of a position, and how a game begins.

It walks the tables of the ruleset and knows no module by name. The same rule code serves a person's move
(`apply`: checked, on a fresh copy, with events) and a search (`play`: unchecked, in place, silent).
"""

from __future__ import annotations

from app.rules.core.action import Action, End, Resign, Retreat
from app.rules.core.action_cache import END
from app.rules.core.chance import Stream, check_seed, shuffle_sorted
from app.rules.core.errors import BadSeat, GameOver, Illegal, NotYourTurn
from app.rules.core.event import Event, PendingDiscarded, Resigned
from app.rules.core.explain import Why, why_not
from app.rules.core.movement import discard_card, win
from app.rules.core.position import CARTAGENA, Events, Position
from app.rules.core.route import lay_boards
from app.rules.core.ruleset import make_ruleset
from app.rules.core.supply import lay_row
from app.rules.core.turn import end_turn, pass_turn
from app.rules.options import Options

RULES_VERSION = 1
HAND_DEALT = 6


def new_game(options: Options, seed: str) -> Position:
    """The table as the seed lays it: boards, deck, hands, row, tokens, who starts."""
    check_seed(seed)
    ruleset = make_ruleset(options, lay_boards(options, seed))
    kinds = ruleset.kinds
    players = options.players
    position = Position()
    position.ruleset = ruleset
    position.seed = seed
    position.pirates = [[0] * options.pirates for _ in range(players)]
    position.crowd = bytearray(len(ruleset.route.names))
    position.crowd[0] = options.pirates * players
    cards = [kind for kind, copies in enumerate(kinds.copies) for _ in range(copies)]
    deck = shuffle_sorted(seed, "deck:0", cards)
    position.hands = [bytearray(len(kinds.names)) for _ in range(players)]
    position.held = [HAND_DEALT] * players
    for seat in range(players):
        for kind in deck[seat * HAND_DEALT : (seat + 1) * HAND_DEALT]:
            position.hands[seat][kind] += 1
    position.deck = bytes(reversed(deck[players * HAND_DEALT :]))
    position.row = b""
    position.discard = b""
    position.shuffles = 0
    position.sloop = CARTAGENA if ruleset.has_sloop else None
    position.tokens = {}
    position.tokens_aside = ()
    position.token_shuffles = 0
    position.resigned = (False,) * players
    position.seat = Stream(seed, "first").below(players) if options.first == "random" else int(options.first)
    position.taken = 0
    position.captain_used = False
    position.forced_passes = 0
    position.pending = None
    position.winner = None
    if ruleset.has_row:
        lay_row(position, None)
    for set_up in ruleset.set_ups:
        set_up(position)
    return position


def legal(position: Position, seat: int) -> list[Action]:
    """What the seat may do now, `resign` left out; an owed discard stands as a count."""
    if position.winner is not None:
        return []
    if position.pending is not None:
        return position.pending.answers(position, seat)
    if seat != position.seat:
        return []
    ruleset = position.ruleset
    out: list[Action] = []
    if position.taken < ruleset.actions:
        for offer in ruleset.offers:
            offer(position, seat, out)
    if position.taken >= ruleset.min_actions or not out:
        out.append(END)
    return out


def seats_to_act(position: Position) -> tuple[int, ...]:
    """Who may act now: the seat in turn, or those who owe something."""
    if position.winner is not None:
        return ()
    if position.pending is None:
        return (position.seat,)
    return position.pending.seats


def legal_for_all(position: Position) -> list[tuple[int, Action]]:
    return [(seat, action) for seat in seats_to_act(position) for action in legal(position, seat)]


def apply(
    position: Position, seat: int, action: Action, *, is_listed: bool = False
) -> tuple[Position, tuple[Event, ...]]:
    """The next position and what happened; a refusal leaves everything as it was.

    `is_listed`: the seat was told this very action as a choice in this position, so that it need not be asked again.
    """
    if not is_listed:
        action = _checked(position, seat, action)
    after = position.copy()
    events: list[Event] = []
    play(after, seat, action, events)
    return after, tuple(events)


def play(position: Position, seat: int, action: Action, events: Events = None) -> None:
    """Move the position on in place. The action must be known to be legal."""
    resolve = position.ruleset.resolvers.get(type(action))
    if resolve is None:
        if type(action) is End:
            end_turn(position, events)
        else:
            _resign(position, seat, events)
        return
    position.forced_passes = 0
    is_dark_done = resolve(position, seat, action, events)
    if is_dark_done and position.winner is None:
        for react in position.ruleset.reactions:
            react(position, seat, events)


def _checked(position: Position, seat: int, action: Action) -> Action:
    """The action in its listed form, if this seat may do it now."""
    if type(seat) is not int or not 0 <= seat < len(position.pirates):
        raise BadSeat("no_such_seat", "This table has the seats 0 to {n}.", n=len(position.pirates) - 1)
    if position.winner is not None:
        raise GameOver("won", "The game is over: nothing can be done any more.")
    if type(action) is Resign:
        if position.resigned[seat]:
            raise Illegal(Why.resigned_already)
        return action
    if seat not in seats_to_act(position):
        raise _not_your_turn(position, seat)
    action = action.canonical()
    if position.pending is not None:
        accepted = position.pending.unlisted(position, seat, action)
        if accepted is not None:
            return accepted
    listed = legal(position, seat)
    interned = position.ruleset.cache.interned.get(action)
    if interned is not None and id(interned) in map(id, listed):
        return interned  # nearly all actions; comparing each with every listed one takes ten times as long
    if action not in listed or action.is_only_listed:
        raise why_not(position, seat, action, listed)
    return action


def _not_your_turn(position: Position, seat: int) -> NotYourTurn:
    if position.resigned[seat]:
        return NotYourTurn("resigned", "You have resigned this game.")
    who = ", ".join(str(acting) for acting in seats_to_act(position))
    if position.pending is not None:
        sentence = "Wait for seat {seats}: a choice is owed before the game goes on."
        return NotYourTurn("others_owe", sentence, seats=who)
    return NotYourTurn("turn_of_others", "It is the turn of seat {seats}.", seats=who)


def _resign(position: Position, seat: int, events: Events) -> None:
    """In the order of the rules: debts, hand, guard, perhaps the end, else perhaps the next turn."""
    if position.pending is not None:
        player = position.pending.seats[0]
        if position.pending.settle(position, seat, events):
            for react in position.ruleset.reactions:
                react(position, player, events)
            # The seat itself may owe now (what was to be taken from it lapsed): it pays before it leaves.
            if position.pending is not None:
                position.pending.settle(position, seat, events)
    hand = position.hand_cards(seat)
    names = position.ruleset.kinds.names
    for kind in hand:
        discard_card(position, seat, kind)
    position.resigned = tuple(is_out or other == seat for other, is_out in enumerate(position.resigned))
    position.forced_passes = 0
    if events is not None:
        events.append(Resigned(seat, tuple(names[kind] for kind in hand)))
    still_in = position.seats_in
    if len(still_in) == 1:
        _drop_pending(position, events)
        win(position, still_in[0], "resigned", events)
    elif seat == position.seat:
        pass_turn(position, False, events)


def _drop_pending(position: Position, events: Events) -> None:
    """What is owed when the last opponent leaves goes on the discards."""
    pending = position.pending
    if pending is None:
        return
    cards = sorted(pending.choice_cards)
    position.discard += bytes(cards)
    position.pending = None
    if events is not None:
        names = position.ruleset.kinds.names
        events.append(PendingDiscarded(tuple(names[kind] for kind in cards)))


def default_action(position: Position, seat: int) -> Action:
    """What the server does for somebody who does not: settle what is owed, else end, retreat, anything."""
    if position.pending is not None:
        lowest = position.pending.lowest(position, seat)
        assert lowest is not None
        return lowest
    listed = legal(position, seat)
    if END in listed:
        return END
    return next((action for action in listed if isinstance(action, Retreat)), listed[0])
