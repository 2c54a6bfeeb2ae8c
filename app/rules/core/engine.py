"""Game engine: set up a game, list legal actions, apply an action.

The engine walks the tables of the ruleset and names no module. The same rule code serves rooms (`apply`: checks the
action, works on a copy, returns events) and searches (`apply_in_place`: no check, no copy, no events).
"""

from __future__ import annotations

from app.rules.core.action import Action, End, Resign, Retreat
from app.rules.core.action_cache import END
from app.rules.core.chance import Stream, check_seed, shuffle_sorted
from app.rules.core.errors import BadSeat, GameOver, Illegal, NotYourTurn, RuleError
from app.rules.core.event import Event, PendingDiscarded, Resigned
from app.rules.core.illegal_reasons import IllegalReason, explain_illegal
from app.rules.core.movement import declare_winner, discard_card
from app.rules.core.position import CARTAGENA, Events, Position
from app.rules.core.route import lay_boards
from app.rules.core.ruleset import make_ruleset
from app.rules.core.supply import lay_row
from app.rules.core.turn import end_turn, pass_turn
from app.rules.options import Options

RULES_VERSION = 1
INITIAL_HAND_SIZE = 6


def new_game(options: Options, seed: str) -> Position:
    """Return the first position of a game; the seed determines boards, cards, tokens and the seat that starts."""
    check_seed(seed)
    ruleset = make_ruleset(options, lay_boards(options, seed))
    kinds = ruleset.kinds
    players = options.players
    position = Position()
    position.ruleset = ruleset
    position.seed = seed
    position.pirates = [[0] * options.pirates for _ in range(players)]
    position.occupancy = bytearray(len(ruleset.route.names))
    position.occupancy[0] = options.pirates * players
    cards = [kind for kind, copies in enumerate(kinds.copies) for _ in range(copies)]
    deck = shuffle_sorted(seed, "deck:0", cards)
    position.hands = [bytearray(len(kinds.names)) for _ in range(players)]
    position.hand_sizes = [INITIAL_HAND_SIZE] * players
    for seat in range(players):
        for kind in deck[seat * INITIAL_HAND_SIZE : (seat + 1) * INITIAL_HAND_SIZE]:
            position.hands[seat][kind] += 1
    position.deck = bytes(reversed(deck[players * INITIAL_HAND_SIZE :]))
    position.row = b""
    position.discard = b""
    position.shuffles = 0
    position.sloop = CARTAGENA if ruleset.has_sloop else None
    position.tokens = {}
    position.tokens_aside = ()
    position.token_shuffles = 0
    position.resigned = (False,) * players
    position.turn_seat = (
        Stream(seed, "first").below(players) if options.first == "random" else int(options.first)
    )
    position.actions_taken = 0
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
    """Return the legal actions of a seat, without `resign`. A pending discard is listed once, with its card count."""
    if position.winner is not None:
        return []
    if position.pending is not None:
        return position.pending.answers(position, seat)
    if seat != position.turn_seat:
        return []
    ruleset = position.ruleset
    out: list[Action] = []
    if position.actions_taken < ruleset.actions:
        for offer in ruleset.offers:
            offer(position, seat, out)
    if position.actions_taken >= ruleset.min_actions or not out:
        out.append(END)
    return out


def seats_to_act(position: Position) -> tuple[int, ...]:
    """Return the seats that may act now: those with a pending choice, else the seat whose turn it is."""
    if position.winner is not None:
        return ()
    if position.pending is None:
        return (position.turn_seat,)
    return position.pending.seats


def legal_for_all(position: Position) -> list[tuple[int, Action]]:
    """Return (seat, action) for every legal action of every seat."""
    return [(seat, action) for seat in seats_to_act(position) for action in legal(position, seat)]


def apply(
    position: Position, seat: int, action: Action, *, is_listed: bool = False
) -> tuple[Position, tuple[Event, ...]]:
    """Return the next position and its events. Raise a RuleError if the action is refused; `position` never changes.

    `is_listed` skips the check: the caller has already found the action in the seat's choices for this position.
    """
    if not is_listed:
        action = _check_action(position, seat, action)
    after = position.copy()
    events: list[Event] = []
    apply_in_place(after, seat, action, events)
    return after, tuple(events)


def apply_in_place(position: Position, seat: int, action: Action, events: Events = None) -> None:
    """Apply an action to the position itself. The action must be legal; it is not checked."""
    resolve = position.ruleset.resolvers.get(type(action))
    if resolve is None:
        if type(action) is End:
            end_turn(position, events)
        else:
            _resign(position, seat, events)
        return
    position.forced_passes = 0
    is_dark_card_done = resolve(position, seat, action, events)
    if is_dark_card_done and position.winner is None:
        for react in position.ruleset.reactions:
            react(position, seat, events)


def _check_action(position: Position, seat: int, action: Action) -> Action:
    """Return the action in the form of the legal list. Raise a RuleError if the seat may not do it now."""
    if type(seat) is not int or not 0 <= seat < len(position.pirates):
        raise BadSeat(
            "no_such_seat", "The seats at this table are numbered from 0 to {n}.", n=len(position.pirates) - 1
        )
    if position.winner is not None:
        raise _game_over()
    if type(action) is Resign:
        if position.resigned[seat]:
            raise Illegal(IllegalReason.resigned_already)
        return action
    if seat not in seats_to_act(position):
        raise _not_your_turn(position, seat)
    action = action.canonical()
    if position.pending is not None:
        accepted = position.pending.match_unlisted(position, seat, action)
        if accepted is not None:
            return accepted
    listed = legal(position, seat)
    interned = position.ruleset.cache.interned.get(action)
    if interned is not None and id(interned) in map(id, listed):
        return interned  # the common case; comparing by equality takes ten times as long
    if action not in listed or action.is_placeholder:
        raise explain_illegal(position, seat, action, listed)
    return action


def explain_waiting(position: Position, seat: int) -> RuleError | None:
    """Return the error for any action of a seat that may not act now, or None if it may."""
    if position.winner is not None:
        return _game_over()
    return None if seat in seats_to_act(position) else _not_your_turn(position, seat)


def _game_over() -> GameOver:
    return GameOver("won", "The game is over: nothing can be done any more.")


def _not_your_turn(position: Position, seat: int) -> NotYourTurn:
    if position.resigned[seat]:
        return NotYourTurn("resigned", "You have resigned from this game.")
    seats = ", ".join(str(acting) for acting in seats_to_act(position))
    if position.pending is not None:
        sentence = "Wait for seat {seats}: a choice is owed before the game goes on."
        return NotYourTurn("others_owe", sentence, seats=seats)
    return NotYourTurn("turn_of_others", "It is the turn of seat {seats}.", seats=seats)


def _resign(position: Position, seat: int, events: Events) -> None:
    """Resign a seat in the order of the rules: pending choice, hand, forced passes, then the win or the next turn."""
    if position.pending is not None:
        chooser = position.pending.seats[0]
        if position.pending.settle_on_resign(position, seat, events):
            for react in position.ruleset.reactions:
                react(position, chooser, events)
            # The reaction can leave the resigning seat with a discard of its own, which is settled first.
            if position.pending is not None:
                position.pending.settle_on_resign(position, seat, events)
    hand = position.hand_kinds(seat)
    names = position.ruleset.kinds.names
    for kind in hand:
        discard_card(position, seat, kind)
    position.resigned = tuple(is_out or other == seat for other, is_out in enumerate(position.resigned))
    position.forced_passes = 0
    if events is not None:
        events.append(Resigned(seat, tuple(names[kind] for kind in hand)))
    still_in = position.active_seats
    if len(still_in) == 1:
        _discard_pending_cards(position, events)
        declare_winner(position, still_in[0], "resigned", events)
    elif seat == position.turn_seat:
        pass_turn(position, False, events)


def _discard_pending_cards(position: Position, events: Events) -> None:
    """Drop the pending choice and put its cards on the discards, because the last opponent has left."""
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
    """Return the action that the server plays for an absent player.

    It is the lowest answer to a pending choice, else the end of the turn, else a retreat, else the first legal action.
    """
    if position.pending is not None:
        answer = position.pending.lowest_answer(position, seat)
        assert answer is not None
        return answer
    listed = legal(position, seat)
    if END in listed:
        return END
    return next((action for action in listed if isinstance(action, Retreat)), listed[0])
