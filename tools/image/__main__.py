"""`make image-test`: build the Dockerfile, run it, play, back up, kill it, and start it again on its volume."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.debian import Missing
from tools.first_game import FirstGame
from tools.image.base import base_name, make_base
from tools.image.engine import Engine, ImageError
from tools.services.processes import free_port

ROOT = Path(__file__).resolve().parents[2]
IMAGE = "localhost/cartagena:image-test"
MAX_BYTES = 120_000_000  # above the base image
START_SECONDS = 120.0


def _say(what: str) -> None:
    print(f"  {what}", flush=True)


def _settings_of_pip() -> list[str]:
    """Return pip's settings as build arguments: how to reach packages depends on this machine, its caches do not."""
    files = [file for file in (Path("/etc/pip.conf"), Path.home() / ".config/pip/pip.conf") if file.is_file()]
    named = {found for file in files for found in re.findall(r"(?:file://)?(/[\w./-]+)", file.read_text())}
    folders = {Path(*Path(name).parts[:3]) for name in named if Path(name).exists()}
    inside = {
        str(file): str(Path("/root", ".config/pip", file.name))
        if file.is_relative_to(Path.home())
        else str(file)
        for file in files
    }
    mounts = {**inside, **{str(each): str(each) for each in folders if each.is_dir()}}
    return [f"--volume={here}:{there}:ro" for here, there in mounts.items()]


@contextmanager
def _container(engine: Engine, volume: str, port: int, secret: str) -> Iterator[str]:
    """Run a container until it is healthy; remove it at the end, but keep its volume."""
    name = f"cartagena-{secrets.token_hex(4)}"
    given = ("--env", f"CARTAGENA_PORT={port}", "--env", f"CARTAGENA_SECRET={secret}")
    try:
        began = time.monotonic()
        engine.run(name, IMAGE, *given, "--volume", f"{volume}:/data")
        while not engine.try_podman("healthcheck", "run", name):
            if time.monotonic() > began + START_SECONDS:
                raise ImageError(
                    f"the container is not healthy after {START_SECONDS:.0f} s; its log:\n{engine.podman('logs', name)}"
                )
            time.sleep(0.2)
        _say(f"healthy after {time.monotonic() - began:.1f} s")
        yield name
    finally:
        engine.try_podman("rm", "--force", "--time", "0", name)


def _built(engine: Engine, base: str) -> None:
    began = time.monotonic()
    engine.buildah(
        "build", "--pull-never", "--isolation", "chroot", "--network", "host",
        "--format", "docker",  # the OCI format has no HEALTHCHECK
        *_settings_of_pip(), "--tag", IMAGE, str(ROOT),
    )  # fmt: skip
    below = engine.size(base)
    above = engine.size(IMAGE) - below
    _say(
        f"built in {time.monotonic() - began:.0f} s: {above / 1e6:.0f} MB above its base of {below / 1e6:.0f} MB"
    )
    if above > MAX_BYTES:
        raise ImageError(f"the image is more than {MAX_BYTES / 1e6:.0f} MB above its base")


def _played(engine: Engine, volume: str) -> None:
    port, secret = free_port(), secrets.token_hex(32)
    base = f"http://127.0.0.1:{port}"
    with _container(engine, volume, port, secret) as name:
        game = asyncio.run(FirstGame.begin(base))
        asyncio.run(game.play(6))
        before = asyncio.run(game.state())
        _say(engine.podman("exec", name, "cartagena", "admin", "backup").strip())
        engine.podman("kill", "--signal", "KILL", name)
        _say(f"killed in the middle of a game, at entry {before['seq']}")
    with _container(engine, volume, port, secret) as name:
        after = asyncio.run(game.state())
        if (after["seq"], after["view"]) != (before["seq"], before["view"]):
            raise ImageError(f"the game was at entry {before['seq']} and is at {after['seq']}")
        result = asyncio.run(game.play())
        _say(f"restarted on the same volume; played to the end: {result}")
        engine.podman("stop", "--time", "20", name)
        code = engine.podman("inspect", "--format", "{{.State.ExitCode}}", name)
        if code != "0":
            raise ImageError(
                f"the container exited with {code} on SIGTERM; its log:\n{engine.podman('logs', name)}"
            )
        _say("stopped gracefully")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--store",
        type=Path,
        default=Path("/var/tmp/cartagena-image"),
        help="folder that keeps the base image",
    )
    store = parser.parse_args().store.resolve()
    if os.geteuid() != 0:
        print(
            "image-test creates a minimal Debian and starts containers, which needs root: sudo make image-test",
            file=sys.stderr,
        )
        return 2
    volume = f"image-test-{secrets.token_hex(4)}"
    engine: Engine | None = None
    try:
        engine = Engine(store)
        base = make_base(engine, base_name(ROOT / "Dockerfile"), store)
        _built(engine, base)
        engine.find_runtime(IMAGE)
        _say(f"running under podman with {engine.runtime}")
        engine.podman("volume", "create", volume)
        _played(engine, volume)
    except (ImageError, Missing, subprocess.SubprocessError) as problem:
        print(f"image-test: {problem}", file=sys.stderr)
        return 1
    finally:
        if engine is not None:
            engine.try_podman("volume", "rm", "--force", volume)
            engine.try_podman("rmi", "--force", IMAGE)
    print("the image works")
    return 0


if __name__ == "__main__":
    sys.exit(main())
