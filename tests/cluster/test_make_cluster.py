"""`make cluster` as a process: it prints its address, serves, keeps its data, and Ctrl-C stops all of it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from tests.ops.processes import fetch_body, status
from tools.cluster.worker import ROOT, clean_environment

TIMEOUT_SECONDS = 180.0


def test_make_cluster_prints_its_address_and_leaves_only_data_behind(tmp_path: Path) -> None:
    # Not below tmp_path, which is closed to others: as root, PostgreSQL runs as another user.
    with tempfile.TemporaryDirectory(prefix="cartagena-test-") as place:
        Path(place).chmod(0o755)
        data, said = Path(place) / "kept", tmp_path / "said.txt"
        command = [
            sys.executable,
            "-m",
            "tools.cluster",
            "--workers",
            "1",
            "--port",
            "0",
            "--data",
            str(data),
        ]
        with said.open("w") as out:
            cluster = subprocess.Popen(
                command, cwd=ROOT, env=clean_environment(), stdout=out, stderr=subprocess.STDOUT
            )
        try:
            base = _said(cluster, said, r"Cartagena is open at (http://\S+)")[1]
            assert "<html" in fetch_body(f"{base}/", accept="text/html")
            assert status(f"{base}/readyz") == 200
            children = psutil.Process(cluster.pid).children(recursive=True)
            assert {"caddy", "postgres"} <= {child.name() for child in children}
            cluster.send_signal(signal.SIGHUP)  # the workers one after the other, as an update does
            _said(cluster, said, r"worker 1 .* was restarted")
            assert "<html" in fetch_body(f"{base}/", accept="text/html")
            children = psutil.Process(cluster.pid).children(recursive=True)
            cluster.send_signal(signal.SIGINT)
            assert cluster.wait(TIMEOUT_SECONDS) == 0
            _, alive = psutil.wait_procs(children, timeout=30)
            assert not alive
        finally:
            if cluster.poll() is None:
                cluster.kill()
                cluster.wait()
        assert (data / "postgres/data/PG_VERSION").exists()
        assert len((data / "secret").read_text()) == 64
        assert said.read_text().rstrip().endswith("stopped")


def _said(cluster: subprocess.Popen[bytes], said: Path, pattern: str) -> re.Match[str]:
    """Waits until it has said this."""
    end = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < end and cluster.poll() is None:
        found = re.search(pattern, said.read_text())
        if found is not None:
            return found
        time.sleep(0.1)
    raise AssertionError(said.read_text())
