"""Prometheus metrics: one registry per app, numbers only, never a card or a name."""

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

_DURATION_BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)


class _ActionCollector(Collector):
    """Counter of actions. A plain number that only the event loop changes, because it is on the hot path."""

    def __init__(self, counts: dict[tuple[str, str], int]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        found = CounterMetricFamily(
            "cartagena_actions", "Accepted log entries by kind and author.", labels=["kind", "by"]
        )
        for labels, count in self._counts.items():
            found.add_metric(labels, count)
        yield found


class _BusCollector(Collector):
    """The bus's own counters, read when metrics are collected."""

    def __init__(self, read: Callable[[], BusCounts]) -> None:
        self._read = read

    def collect(self) -> Iterator[Metric]:
        counts = self._read()
        for name, about, count in (
            ("sent", "Messages sent to Redis by this process.", counts.sent),
            ("delivered", "Deliveries of those messages to other processes.", counts.delivered),
            (
                "dropped",
                "Bus messages that could not be sent; the log still has their content.",
                counts.dropped,
            ),
        ):
            yield CounterMetricFamily(f"cartagena_bus_{name}", about, value=count)


class Metrics:
    """Metrics of one app. Gauges are read on collection: `watch_gauge("rooms", lambda: len(...))`.

    If several processes share a port, every sample has the label `worker`.
    """

    def __init__(self, worker: str = "") -> None:
        self._worker = worker
        self.registry = CollectorRegistry()
        counter = partial(Counter, registry=self.registry)
        histogram = partial(Histogram, buckets=_DURATION_BUCKETS, registry=self.registry)
        gauge = partial(Gauge, registry=self.registry)
        self._answers = counter(
            "cartagena_http_answers", "HTTP responses by route and status class.", ["route", "status"]
        )
        self._seconds = histogram("cartagena_http_seconds", "Seconds to the first byte of a response.")
        self._acted: defaultdict[tuple[str, str], int] = defaultdict(int)
        self.registry.register(_ActionCollector(self._acted))
        self._refusals = counter("cartagena_refusals", "Refusals by code.", ["code"])
        self._commits = histogram("cartagena_commit_seconds", "Duration of a group commit in seconds.")
        self._rows = counter("cartagena_committed_entries", "Committed log entries.")
        self._drops = counter("cartagena_outbox_drops", "Sockets closed because their peer read too slowly.")
        self._missed_looks = counter(
            "cartagena_missed_looks",
            "Due rooms that no due row would have woken; more than 0 is a bug.",
        )
        self._queue_failures = counter(
            "cartagena_queue_failures", "Failed attempts to process a row of a queue.", ["queue"]
        )
        self._set_aside = gauge(
            "cartagena_queue_set_aside",
            "Rows of a queue in the whole database that failed too often and wait for the operator.",
            ["queue"],
        )
        self._notices = counter("cartagena_notices", "Notices by channel and outcome.", ["way", "outcome"])
        self._thoughts = histogram(
            "cartagena_bot_seconds",
            "Thinking time of bots in seconds, by level and outcome.",
            ["level", "outcome"],
        )
        self._gauges = {
            "rooms": gauge("cartagena_rooms", "Rooms loaded in this process."),
            "sockets": gauge("cartagena_sockets", "Open sockets in this process."),
            "tasks": gauge("cartagena_tasks", "Tasks on this process's event loop."),
        }

    def watch_gauge(self, gauge: str, read: Callable[[], float]) -> None:
        """Set the function that returns a gauge's value ("rooms", "sockets", "tasks")."""
        self._gauges[gauge].set_function(read)

    def watch_bus(self, read: Callable[[], BusCounts]) -> None:
        """Set the function that returns the bus's counters."""
        self.registry.register(_BusCollector(read))

    def count_response(self, scope: Any, status: int, seconds: float) -> None:
        """Count an HTTP response and its time to first byte."""
        route = getattr(scope.get("route"), "path", None) or "none"  # not the path: unbounded labels
        self._answers.labels(route, f"{status // 100}xx").inc()
        self._seconds.observe(seconds)

    def count_action(self, kind: str, by: str = "person") -> None:
        """Count an accepted log entry."""
        self._acted[kind, by] += 1

    def count_refusal(self, code: str) -> None:
        """Count a refusal."""
        self._refusals.labels(code).inc()

    def count_commit(self, seconds: float, entries: int) -> None:
        """Count a group commit and its entries."""
        self._commits.observe(seconds)
        self._rows.inc(entries)

    def count_dropped_socket(self) -> None:
        """Count a socket that was closed because its peer read too slowly."""
        self._drops.inc()

    def count_missed_wakeup(self) -> None:
        """Count a room that was due without a due row; see Sweeper.find_missed_wakeups."""
        self._missed_looks.inc()

    def count_queue_failure(self, queue: str) -> None:
        """Count a failed attempt to process a row of a queue, or a failed claim."""
        self._queue_failures.labels(queue).inc()

    def watch_queue(self, queue: str, set_aside: Callable[[], float]) -> None:
        """Report a queue before its first failure, and set the function that counts the rows set aside."""
        self._queue_failures.labels(queue)
        self._set_aside.labels(queue).set_function(set_aside)

    def count_notice(self, way: str, outcome: str) -> None:
        """Count a notice by channel and outcome."""
        self._notices.labels(way, outcome).inc()

    def count_bot_choice(self, level: str, outcome: str, seconds: float) -> None:
        """Count a bot's decision and the time it took."""
        self._thoughts.labels(level, outcome).observe(seconds)

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self)

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics. `generate_latest` needs no other method of a registry."""
        for metric in self.registry.collect():
            if self._worker:
                metric.samples = [
                    sample._replace(labels={**sample.labels, "worker": self._worker})
                    for sample in metric.samples
                ]
            yield metric
