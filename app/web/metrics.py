"""What the operator can measure: one registry an app, numbers only, never a card or a name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from app.play.ports import BusCounts

_FAST = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)


class _Acted(Collector):
    """The counter that every action moves: a plain number until somebody asks, from one thread."""

    def __init__(self, counts: dict[tuple[str, str], int]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        found = CounterMetricFamily(
            "cartagena_actions", "Log entries accepted, by kind and by whom.", labels=["kind", "by"]
        )
        for labels, count in self._counts.items():
            found.add_metric(labels, count)
        yield found


class _Bus(Collector):
    """What the bus counts, asked when somebody asks."""

    def __init__(self, read: Callable[[], BusCounts]) -> None:
        self._read = read

    def collect(self) -> Iterator[Metric]:
        counts = self._read()
        for name, about, count in (
            ("sent", "Messages that this process sent to Redis.", counts.sent),
            ("delivered", "Other processes at which those arrived.", counts.delivered),
            ("dropped", "News that could not be sent; the log has them.", counts.dropped),
        ):
            yield CounterMetricFamily(f"cartagena_bus_{name}", about, value=count)


class Metrics:
    """Counters of one app. Gauges are read when asked: `watch("rooms", lambda: len(...))`.

    Where several processes answer on one port, `worker` is put on every number: whose it is.
    """

    def __init__(self, worker: str = "") -> None:
        self._worker = worker
        self.registry = CollectorRegistry()
        counter = partial(Counter, registry=self.registry)
        histogram = partial(Histogram, buckets=_FAST, registry=self.registry)
        gauge = partial(Gauge, registry=self.registry)
        self._answers = counter(
            "cartagena_http_answers", "Answers by route and class of status.", ["route", "status"]
        )
        self._seconds = histogram("cartagena_http_seconds", "Seconds to the first byte of an answer.")
        self._acted: defaultdict[tuple[str, str], int] = defaultdict(int)
        self.registry.register(_Acted(self._acted))
        self._refusals = counter("cartagena_refusals", "Refusals by code.", ["code"])
        self._commits = histogram("cartagena_commit_seconds", "Seconds a group commit took.")
        self._rows = counter("cartagena_committed_entries", "Log entries committed.")
        self._drops = counter("cartagena_outbox_drops", "Sockets shed because they read too slowly.")
        self._missed_looks = counter(
            "cartagena_missed_looks",
            "Rooms that were due and that nobody was going to look at; more than 0 is a bug.",
        )
        self._queue_failures = counter(
            "cartagena_queue_failures", "Failed attempts to process a row of a queue.", ["queue"]
        )
        self._set_aside = gauge(
            "cartagena_queue_set_aside",
            "Rows of a queue, in the whole database, that failed too often and wait for the operator.",
            ["queue"],
        )
        self._notices = counter("cartagena_notices", "Notifications by way and outcome.", ["way", "outcome"])
        self._thoughts = histogram(
            "cartagena_bot_seconds", "Seconds bots thought, by level and outcome.", ["level", "outcome"]
        )
        self._gauges = {
            "rooms": gauge("cartagena_rooms", "Rooms loaded in this process."),
            "sockets": gauge("cartagena_sockets", "Sockets open in this process."),
            "tasks": gauge("cartagena_tasks", "Tasks of this process's event loop."),
        }

    def watch(self, gauge: str, read: Callable[[], float]) -> None:
        """Has a gauge ("rooms", "sockets", "tasks") read from here whenever somebody asks."""
        self._gauges[gauge].set_function(read)

    def watch_bus(self, read: Callable[[], BusCounts]) -> None:
        """Has the counters of messages between workers read from here."""
        self.registry.register(_Bus(read))

    def answered(self, scope: Any, status: int, seconds: float) -> None:
        """An HTTP answer has begun."""
        route = getattr(scope.get("route"), "path", None) or "none"  # never the path: ids would flood it
        self._answers.labels(route, f"{status // 100}xx").inc()
        self._seconds.observe(seconds)

    def acted(self, kind: str, by: str = "person") -> None:
        """A log entry was accepted."""
        self._acted[kind, by] += 1

    def refused(self, code: str) -> None:
        """Somebody was refused something."""
        self._refusals.labels(code).inc()

    def committed(self, seconds: float, entries: int) -> None:
        """A group commit is on disk."""
        self._commits.observe(seconds)
        self._rows.inc(entries)

    def dropped(self) -> None:
        """A socket was shed because it read too slowly."""
        self._drops.inc()

    def missed_wakeup(self) -> None:
        """A room was due and no row said so; see Sweeper.find_missed."""
        self._missed_looks.inc()

    def queue_failed(self, queue: str) -> None:
        """Count a failed attempt to process a row of a queue, or a failed claim."""
        self._queue_failures.labels(queue).inc()

    def watch_queue(self, queue: str, set_aside: Callable[[], float]) -> None:
        """Report a queue from its start, with the number of rows that are set aside."""
        self._queue_failures.labels(queue)
        self._set_aside.labels(queue).set_function(set_aside)

    def noticed(self, way: str, outcome: str) -> None:
        """A notification was sent, or was not."""
        self._notices.labels(way, outcome).inc()

    def thought(self, level: str, outcome: str, seconds: float) -> None:
        """A bot has chosen, or was cut short."""
        self._thoughts.labels(level, outcome).observe(seconds)

    def text(self) -> bytes:
        """Everything, in Prometheus' text format."""
        return generate_latest(self)

    def collect(self) -> Iterator[Metric]:
        """For `generate_latest`, which asks nothing else of a registry."""
        for metric in self.registry.collect():
            if self._worker:
                metric.samples = [
                    sample._replace(labels={**sample.labels, "worker": self._worker})
                    for sample in metric.samples
                ]
            yield metric
