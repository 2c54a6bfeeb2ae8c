"""`make cluster`: start everything, print the address, restart what dies, and stop all on Ctrl-C.

SIGHUP restarts the workers one after the other, as an update does.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from tools.cluster.cluster import Cluster
from tools.cluster.worker import Worker
from tools.services import ServiceError


class _SignalRequests:
    """What signals have arguments for since the last check."""

    def __init__(self) -> None:
        self.is_stopping = False
        self.is_rolling = False
        for kind in (signal.SIGINT, signal.SIGTERM):
            signal.signal(kind, self._stop)
        signal.signal(signal.SIGHUP, self._roll)

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        if not self.is_stopping:
            self.is_stopping = True
            raise KeyboardInterrupt

    def _roll(self, _signal: int, _frame: FrameType | None) -> None:
        self.is_rolling = True


def _say(name: str, what: str) -> None:
    print(f"  {name:11} {what}", flush=True)


def _show(cluster: Cluster, keep: Path | None) -> None:
    where = f"data in {keep.resolve()}" if keep else "data is temporary; DATA=folder keeps it"
    _say("PostgreSQL", f"127.0.0.1:{cluster.postgres.port}, {where}")
    _say("Redis", f"127.0.0.1:{cluster.redis.port}")
    for worker in cluster.workers:
        _say(f"worker {worker.number}", f"{worker.base} (process {worker.pid}, {worker.log})")
    print(f"Cartagena is open at {cluster.base}", flush=True)
    print("Ctrl-C stops everything.", flush=True)


def _restarted(worker: Worker) -> None:
    _say(f"worker {worker.number}", f"{worker.base} (process {worker.pid}) was restarted")


def _watch(cluster: Cluster, requests: _SignalRequests) -> None:
    while True:
        time.sleep(0.5)
        if requests.is_rolling:
            requests.is_rolling = False
            cluster.roll(_restarted)
        for worker in cluster.heal():
            _restarted(worker)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--port", type=int, default=8000, help="port of the proxy; 0 for any free port")
    parser.add_argument("--data", type=Path, help="folder that keeps the database")
    arguments = parser.parse_args()
    if arguments.workers < 1:
        parser.error("at least one worker is needed")
    requests = _SignalRequests()
    print(f"starting PostgreSQL, Redis, {arguments.workers} workers and Caddy ...", flush=True)
    cluster = Cluster(arguments.workers, keep=arguments.data, port=arguments.port)
    try:
        with cluster:
            _show(cluster, arguments.data)
            _watch(cluster, requests)
    except KeyboardInterrupt:
        print("stopped", flush=True)
    except ServiceError as problem:
        print(f"cluster: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
