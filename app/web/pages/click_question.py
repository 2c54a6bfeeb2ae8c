"""The question why a click does nothing (`why` in docs/protocol.md), for boards that have no room."""

from __future__ import annotations

from typing import Any

import msgspec

from app import rules
from app.play.click_reason import click_of
from app.play.commands import messages as cmd
from app.play.refusals import Refusal
from app.web.errors import BadRequest

__all__ = ["explain_click", "parse_question"]

Json = dict[str, Any]


def parse_question(why: object) -> cmd.Why | None:
    """Return the question in the field `why` of a request, if given. Raise BadRequest."""
    if why is None:
        return None
    try:
        return msgspec.convert({"id": "board-why", **why} if isinstance(why, dict) else why, cmd.Why)
    except msgspec.ValidationError as problem:
        raise BadRequest("bad_request", f"`why` is invalid: {problem}.") from None


def explain_click(position: rules.Position, seat: int, question: cmd.Why) -> Json:
    """Return the refusal of the action that the click comes nearest to; `stale` if that action is legal."""
    problem = rules.explain_click(position, seat, click_of(question))
    return (Refusal("stale") if problem is None else Refusal.from_rule_error(problem)).as_json()
