"""How fast one person may write, ask for hints, mute and set a pace: what costs more than a frame has its own limit.

A line of chat goes to everybody at the table and stays in the database, a hint is a second of a strong bot's
thought, muting writes and tells every worker, a pace tells every worker and may wake the sweeper. All rates follow
the setting for writes, so that an operator has one number to turn.
"""

from __future__ import annotations

from collections.abc import Callable

from app.play.commands import messages as cmd
from app.play.ports import Actor
from app.play.refusals import Refusal
from app.settings import Settings
from app.web.security.buckets import Buckets

__all__ = ["CommandLimits"]


class CommandLimits:
    """Of one app. Each person is counted whatever the table and whatever the door, socket or API."""

    def __init__(self, settings: Settings, clock: Callable[[], float]) -> None:
        rate, burst = settings.writes_per_second, settings.writes_burst
        self._chat = Buckets(rate / 10, max(2.0, burst / 4), clock)  # 15 lines at once, then one in 2 s
        self._hints = Buckets(rate / 25, max(2.0, burst / 10), clock)  # 6 hints at once, then one in 5 s
        self._mutes = Buckets(rate / 25, max(2.0, burst / 6), clock)
        self._paces = Buckets(rate / 5, max(2.0, burst / 3), clock)  # 20 at once, then one a second

    def check(self, actor: Actor, command: cmd.Command) -> None:
        """Counts a command before anything is done for it; raises Refusal."""
        match command:
            case cmd.Chat() if self._chat.wait(actor.id):
                raise Refusal("chat_too_fast")
            case cmd.Hint() if self._hints.wait(actor.id):
                raise Refusal("hint_too_fast")
            case cmd.Mute() if self._mutes.wait(actor.id):
                raise Refusal("mute_too_fast")
            case cmd.Pace() if self._paces.wait(actor.id):
                raise Refusal("too_fast")
