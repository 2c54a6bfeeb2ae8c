"""The claim loops of notices, connected to their senders."""

from __future__ import annotations

from typing import Any

from app.notify.letters import LetterSender
from app.notify.outbound import Outbound
from app.notify.outbox import ChannelQueue, CheckQueue
from app.notify.push import PushSender
from app.notify.switchboard import Plan, Planner, make_plan
from app.play.queues import ClaimLoop, Failures
from app.play.tasks import Tasks
from app.store.people.notice_values import Recipient
from app.store.people.outbox import OutboxStore
from app.web.site import Site

MAX_CONCURRENT_CHECKS = 8
MAX_CONCURRENT_PEOPLE = 256  # per channel; a connection that hangs costs only memory


def _make_planner(site: Site) -> Planner:
    settings = site.settings

    def plan_for(recipient: Recipient, now: int) -> Plan:
        return make_plan(
            recipient,
            now,
            round(settings.digest_minutes * 60),
            can_mail=site.mailer.is_configured,
            can_call=settings.calls_webhooks,
            can_push=settings.push,
        )

    return plan_for


def make_push_sender(site: Site, outbound: Outbound) -> PushSender:
    """Return a sender of pushes. It has no state of its own."""
    planner, on_notice = _make_planner(site), site.metrics.count_notice
    return PushSender(
        site.settings, planner, site.pushes, outbound, on_notice, lambda: site.clock(), site.words
    )


def make_notice_loops(
    site: Site, store: OutboxStore, outbound: Outbound, failures: Failures, tasks: Tasks
) -> list[ClaimLoop[Any]]:
    """Return the claim loops of checks, of letters and, if enabled, of pushes."""
    settings, poll_ms = site.settings, int(site.settings.notify_seconds * 1000)

    def clock() -> float:
        return site.clock()

    def loop_of(channel: ChannelQueue) -> ClaimLoop[Any]:
        return ClaimLoop(
            channel, failures, tasks, poll_ms=poll_ms, concurrency=MAX_CONCURRENT_PEOPLE, per_owner=1
        )

    on_notice, words = site.metrics.count_notice, site.words
    letters = LetterSender(settings, _make_planner(site), store, site.mailer, site.webhooks, on_notice, words)
    channels = [loop_of(ChannelQueue("letter", store, letters, clock))]
    if settings.push:
        channels.append(loop_of(ChannelQueue("push", store, make_push_sender(site, outbound), clock)))

    def on_due() -> None:
        for channel in channels:
            channel.nudge()

    checks = CheckQueue(store, clock, on_due)
    return [ClaimLoop(checks, failures, tasks, poll_ms=poll_ms, concurrency=MAX_CONCURRENT_CHECKS), *channels]
