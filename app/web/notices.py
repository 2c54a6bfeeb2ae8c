"""The queues of notices put together with their senders, for one worker."""

from __future__ import annotations

from typing import Any

from app.notify.letters import LetterSender
from app.notify.outbound import Outbound
from app.notify.outbox import ChannelQueue, CheckQueue
from app.notify.push import PushSender
from app.play.queues import ClaimLoop, Failures
from app.play.tasks import Tasks
from app.store.people.outbox import OutboxStore
from app.web.site import Site

CHECKS_AT_ONCE = 8
PEOPLE_AT_ONCE = 256  # in one channel: a connection that nobody answers costs memory only


def make_notice_loops(
    site: Site, store: OutboxStore, outbound: Outbound, failures: Failures, tasks: Tasks
) -> list[ClaimLoop[Any]]:
    """Return the claim loops of checks, letters and, where the server sends them, pushes."""
    settings, poll_ms = site.settings, int(site.settings.notify_seconds * 1000)

    def clock() -> float:
        return site.clock()

    def loop_of(channel: ChannelQueue) -> ClaimLoop[Any]:
        return ClaimLoop(channel, failures, tasks, poll_ms=poll_ms, concurrency=PEOPLE_AT_ONCE, per_owner=1)

    letters = LetterSender(settings, store, site.mailer, site.webhooks, site.metrics, site.words)
    channels = [loop_of(ChannelQueue("letter", settings, store, site.mailer, letters, clock))]
    if settings.push:
        pushes = PushSender(settings, store, outbound, site.metrics, clock, site.words)
        channels.append(loop_of(ChannelQueue("push", settings, store, site.mailer, pushes, clock)))

    def on_due() -> None:
        for each in channels:
            each.nudge()

    checks = CheckQueue(store, clock, on_due)
    return [ClaimLoop(checks, failures, tasks, poll_ms=poll_ms, concurrency=CHECKS_AT_ONCE), *channels]
