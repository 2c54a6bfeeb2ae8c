"""Why a click does nothing: the sentence for a player who asks, decided on the current table without writing anything.

The answer depends only on what the asking seat sees. It costs a list of legal actions, well under a millisecond.
"""

from __future__ import annotations

from app.play.commands import messages as cmd
from app.play.log.table import Table
from app.play.ports import Actor
from app.play.refusals import Refusal
from app.rules import Click


def find_click_reason(table: Table, actor: Actor, question: cmd.Why) -> Refusal:
    """Return the refusal of the action that the click comes nearest to; `stale` if the click stands for a legal one."""
    seat = table.seat_of(actor.ids)
    if seat is None:
        return Refusal("not_seated")
    if table.position is None:
        return Refusal("not_started")
    if table.is_over:
        return Refusal("game_over")
    if table.seats[seat].bot is not None:
        return Refusal("bot_plays")
    if table.is_paused:
        return Refusal("paused")
    problem = table.rules.explain_click(table.position, seat, click_of(question))
    return Refusal("stale") if problem is None else Refusal.from_rule_error(problem)


def click_of(question: cmd.Why) -> Click:
    """Return the click that a question is about."""
    return Click(
        question.card, question.pirate, question.place, question.player, question.supply, question.power
    )
