"""Bots of an older commit, played by its worker process from an extracted copy of that commit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

__all__ = ["ask_old_bot"]

ROOT = Path(__file__).resolve().parents[1]
Json = dict[str, Any]


def _extracted(commit: str) -> Path:
    """Extract the commit's program once and return its folder."""
    folder = Path(tempfile.gettempdir()) / f"cartagena-{commit}"
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=folder.parent) as fresh:
            archive = subprocess.run(
                ["git", "-C", str(ROOT), "archive", commit, "app"], check=True, capture_output=True
            )
            subprocess.run(["tar", "-x", "-C", fresh], check=True, input=archive.stdout)
            target = Path(fresh) / "whole"
            target.mkdir()
            (Path(fresh) / "app").rename(target / "app")
            if not folder.exists():
                target.rename(folder)
    return folder


class _OldWorker:
    def __init__(self, commit: str) -> None:
        folder = _extracted(commit)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "app.bots.worker"],
            cwd=folder,
            env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self) -> float:
        """Return the CPU time the process has used."""
        fields = Path(f"/proc/{self._process.pid}/schedstat").read_text().split()
        return int(fields[0]) / 1e9

    def ask(self, request: Json) -> Json:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        while True:
            answer = json.loads(self._process.stdout.readline())
            for key in ("result", "action"):  # releases before 0.2 answered with "action"
                if key in answer:
                    action: Json = answer[key]
                    return action
            if "error" in answer:
                raise RuntimeError(answer["error"])


@lru_cache(maxsize=4)
def _worker_of(commit: str) -> _OldWorker:
    return _OldWorker(commit)


def ask_old_bot(commit: str, request: Json) -> tuple[Json, float]:
    """Return the move of a bot of that commit and the CPU seconds it took."""
    worker = _worker_of(commit)
    began = worker.seconds()
    action = worker.ask(request)
    return action, worker.seconds() - began
