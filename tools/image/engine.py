"""Debian's buildah and podman with a separate store, so that the user's images are not touched."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from tools import debian

__all__ = ["Engine", "ImageError"]

RUNTIMES = ("crun", "runc")
# Low limits: a process that may not raise its limits can still start a container.
LIMITS = ("--ulimit", "nofile=4096:4096", "--ulimit", "nproc=1024:1024")


class ImageError(RuntimeError):
    """A step failed; the message says which."""


class Engine:
    """Wrapper of both programs; `store` is kept, because its base image takes a minute to create."""

    def __init__(self, store: Path) -> None:
        for program, package in (("buildah", "buildah"), ("podman", "podman"), ("runc", "runc")):
            debian.program(program, package, wanted_for="make image-test")
        store.mkdir(parents=True, exist_ok=True)
        self._where = [
            *("--root", str(store / "images")),
            *("--runroot", str(store / "run")),
            *("--storage-driver", "overlay"),
        ]
        self._state = ["--tmpdir", str(store / "state"), "--cgroup-manager", "cgroupfs"]
        self.runtime = ""

    def buildah(self, *words: str) -> str:
        return self._said(["buildah", *self._where, *words])

    def podman(self, *words: str) -> str:
        return self._said(self._podman(words))

    def try_podman(self, *words: str) -> bool:
        """Return whether the command succeeded."""
        return subprocess.run(self._podman(words), capture_output=True).returncode == 0

    def imported(self, tree: Path, name: str, *changes: str) -> None:
        """Create an image from a folder."""
        pack = subprocess.Popen(["tar", "-C", str(tree), "-c", "."], stdout=subprocess.PIPE)
        words = [part for change in changes for part in ("--change", change)]
        taken = subprocess.run(
            self._podman(["import", *words, "-", name]), stdin=pack.stdout, capture_output=True, text=True
        )
        if pack.stdout is not None:
            pack.stdout.close()
        if pack.wait() or taken.returncode:
            raise ImageError(f"the base image could not be imported: {taken.stderr.strip()}")

    def has(self, image: str) -> bool:
        return self.try_podman("image", "exists", image)

    def size(self, image: str) -> int:
        """Return the size of all its layers in bytes."""
        return int(self.podman("image", "inspect", "--format", "{{.Size}}", image))

    def find_runtime(self, image: str) -> None:
        """Choose the first runtime that can start a container here, which depends on the kernel and the machine."""
        complaints = []
        for runtime in RUNTIMES:
            command = self._podman(["--runtime", runtime, "run", "--rm", *LIMITS, "--network", "host", image])
            ran = subprocess.run([*command, "true"], capture_output=True, text=True)
            if ran.returncode == 0:
                self.runtime = runtime
                return
            complaints.append(f"{runtime}: {ran.stderr.strip()}")
        raise ImageError("podman cannot start a container here. " + "; ".join(complaints))

    def run(self, name: str, image: str, *words: str) -> None:
        """Start a container in the background, confined as in docker-compose.yml."""
        closed = (
            "--read-only",
            "--tmpfs",
            "/tmp",
            "--cap-drop",
            "ALL",
            "--security-opt",
            "no-new-privileges",
        )
        self.podman("run", "--detach", "--name", name, *LIMITS, "--network", "host", *closed, *words, image)

    def _podman(self, words: Sequence[str]) -> list[str]:
        chosen = ["--runtime", self.runtime] if self.runtime else []
        return ["podman", *self._where, *self._state, *chosen, *words]

    def _said(self, command: list[str]) -> str:
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode:
            raise ImageError(
                f"{' '.join(command)} ended with {ran.returncode}:\n{(ran.stdout + ran.stderr)[-3000:]}"
            )
        return ran.stdout.strip()
