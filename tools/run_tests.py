"""Runs every check in parts, two cores at a time, and ends with one line that counts them (`make test`)."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CORES = max(2, os.cpu_count() or 1)
# One more than there are: mypy keeps one busy, and most tests leave theirs idle now and then. With more,
# servers and browsers only wait for each other, and longer than tests do.
PLACES = CORES + 1
# Dozens of servers are started: without compiled files each would spend a second on compiling itself.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
# A part that hangs must fail by itself, before whoever started us loses patience.
LONGEST_SECONDS = 25 * 60
# The slow part takes about that on two idle cores: every page and edition in every language and theme.
LONGEST_SLOW_SECONDS = 90 * 60


@dataclass(frozen=True)
class Part:
    """One line of the result: either commands, or the tests in some folders of tests/."""

    name: str
    says: str
    commands: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    cores: int = 1
    workers: int = 0
    """Test processes, where waiting for servers and pages leaves the cores idle; else one a core."""
    spread: str = "worksteal"
    """How tests are handed out to them."""
    slow: bool = False


# tests/together.py says which tests one process takes, tests/longest.py which come first.
TOGETHER = "loadscope --no-loadscope-reorder"
# In this order, as cores come free: the server's tests wait for clocks and other processes now and then, and mypy and
# "unit", which only reckon, take what that leaves; a browser takes all there is. "unit" also takes every folder that
# no other part names, so a new folder of tests is never forgotten.
PARTS = (
    # Takes next to nothing where all is there already; on a fresh machine it waits for the network.
    Part(
        "programs",
        "what no wheel brings: Chromium, Caddy, curl",
        commands=("python -m tools.programs",),
        cores=0,
    ),
    Part("types", "mypy --strict", commands=("mypy",)),
    Part("lint", "ruff: rules and layout", commands=("ruff check .", "ruff format --check .")),
    Part(
        "server",
        "rooms, stores, sockets and pages on SQLite, PostgreSQL and Redis",
        folders=(
            "play",
            "store",
            "bus",
            "sockets",
            "web",
            "notify",
            "ops",
            "chaos",
            "cluster",
            "attack",
        ),
        cores=2,
        workers=4,
        spread=TOGETHER,
    ),
    Part("unit", "rules, bots and whatever no other part names"),
    Part(
        "browser",
        "the table and the pages in a real Chromium",
        folders=("browser", "js"),
        cores=2,
        workers=4,
        spread=TOGETHER,
    ),
    Part("soak", "long play under load", folders=("soak",), cores=2, slow=True),
)


def test_paths(part: Part, tests: Path) -> list[Path]:
    """The files and folders of a part that hold tests, as they are in this checkout."""
    if part.folders:
        mine = [tests / name for name in part.folders]
    else:
        named = {name for other in PARTS for name in other.folders}
        mine = [each for each in tests.iterdir() if each.is_dir() and each.name not in named]
        mine += tests.glob("test_*.py")
    return sorted(path for path in mine if path.is_file() or any(path.rglob("test_*.py")))


def command_lines(part: Part, report: Path) -> list[list[str]]:
    """What to run for a part, one after the other; pytest also writes its counts into `report`."""
    if part.commands:
        return [[str(BIN / words[0]), *words[1:]] for words in (each.split() for each in part.commands)]
    paths = [str(path.relative_to(ROOT)) for path in test_paths(part, ROOT / "tests")]
    workers = ("-n", str(part.workers or part.cores), "--dist", *part.spread.split())
    quiet = ("-q", "--tb=short", "--durations=5", f"--junitxml={report}")
    return [[str(BIN / "pytest"), *quiet, *workers, *paths]]


def counts_of(report: Path) -> tuple[int, int, int]:
    """Passed, failed and skipped, from pytest's own report; all 0 when it wrote none."""
    if not report.exists():
        return 0, 0, 0
    suites = list(ElementTree.parse(report).getroot().iter("testsuite"))
    total, failures, errors, skipped = (
        sum(int(suite.get(key, "0")) for suite in suites)
        for key in ("tests", "failures", "errors", "skipped")
    )
    return max(0, total - failures - errors - skipped), failures + errors, skipped


def failures_in(report: Path) -> list[str]:
    """Each failed test of a report by its name, with the first line of what was wrong."""
    if not report.exists():
        return []
    found: list[str] = []
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        for problem in (*case.iter("failure"), *case.iter("error")):
            words = (problem.get("message") or "").strip().splitlines() or [problem.tag]
            found.append(f"{case.get('classname')}::{case.get('name')}: {words[0][:200]}")
    return found


@dataclass
class Run:
    """A part under way."""

    part: Part
    folder: Path
    commands: list[list[str]] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None
    began: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    cpu: float = 0.0
    """Seconds of processor time: what stays the same on a busy machine."""
    passed: int = 0
    failed: int = 0
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.log = self.folder / f"{self.part.name}.log"
        self.report = self.folder / f"{self.part.name}.xml"
        self.commands = command_lines(self.part, self.report)

    def step(self) -> bool:
        """Start, watch, go on to the next command; true when the part is over."""
        if self.process is None:
            self._start()
            return False
        code = self._ended()
        self.seconds = time.monotonic() - self.began
        longest = LONGEST_SLOW_SECONDS if self.part.slow else LONGEST_SECONDS
        if code is None and self.seconds > longest:
            self.stop()
            self.problems.append(f"still running after {longest} seconds, stopped")
            code = 0
        if code is None:
            return False
        if code != 0:
            self.problems.append(f"{Path(self.commands[0][0]).name} ended with {code}")
        self.process = None
        del self.commands[0]
        if not self.commands:
            self._count()
        return not self.commands

    def _ended(self) -> int | None:
        """The exit code once it has ended; what it and all it waited for took of the processors is added up."""
        assert self.process is not None
        over, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if over:
            self.process.returncode = os.waitstatus_to_exitcode(status)
            self.cpu += usage.ru_utime + usage.ru_stime
        return self.process.returncode

    def _start(self) -> None:
        # A process group of its own: a part that hangs takes its servers and browsers with it.
        with self.log.open("ab") as sink:
            self.process = subprocess.Popen(
                self.commands[0],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=ENVIRONMENT,
            )

    def _count(self) -> None:
        if not self.part.commands:
            self.passed, self.failed, skipped = counts_of(self.report)
            if skipped:
                self.problems.append(f"{skipped} skipped: here nothing is skipped, what is missing must fail")
            if not self.passed and not self.failed:
                self.problems.append("no test was run")
        if self.problems and not self.failed:
            self.failed = 1
        elif self.part.commands:
            self.passed = 1

    def stop(self) -> None:
        if self.process is None:
            return
        for kind in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, kind)
            except ProcessLookupError:
                break
            try:
                self.process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                continue

    def tell(self) -> None:
        """One line for the part; everything it printed when it failed."""
        verdict = "ok" if not self.failed else "FAILED"
        counts = "" if self.part.commands else f"{self.passed} passed, {self.failed} failed"
        print(
            f"{self.part.name:8} {verdict:7} {self.seconds:7.1f} s  {self.cpu:7.1f} s CPU  {counts}",
            flush=True,
        )
        if self.failed:
            # The names first: whoever shows only a piece of a long output shows these.
            self.tell_failures()
            print("-" * 100)
            print(self.log.read_text(errors="replace").rstrip())
            print("-" * 100, flush=True)

    def tell_failures(self) -> None:
        for line in (*failures_in(self.report), *self.problems):
            print(f"FAILED {self.part.name}: {line}")


def run_all(parts: list[Part], folder: Path) -> list[Run]:
    """Start each part as soon as the cores it wants are free."""
    waiting, running, done = list(parts), list[Run](), list[Run]()
    try:
        while waiting or running:
            free = PLACES - sum(run.part.cores for run in running)
            if waiting and (waiting[0].cores <= free or not running):
                running.append(Run(waiting.pop(0), folder))
            over = [run for run in running if run.step()]
            for run in over:
                run.tell()
            running = [run for run in running if run not in over]
            done += over
            time.sleep(0.05)
    finally:
        for run in running:
            run.stop()
    return done


def main() -> int:
    choice = argparse.ArgumentParser(description=__doc__)
    choice.add_argument("parts", nargs="*", help="only these: " + ", ".join(part.name for part in PARTS))
    choice.add_argument("--slow", action="store_true", help="the slow parts as well")
    asked = choice.parse_args()
    unknown = set(asked.parts) - {part.name for part in PARTS}
    if unknown:
        choice.error(f"no such part: {', '.join(sorted(unknown))}")

    wanted = [
        part
        for part in PARTS
        if part.name in asked.parts or (not asked.parts and (asked.slow or not part.slow))
    ]
    present = [part for part in wanted if part.commands or test_paths(part, ROOT / "tests")]
    for part in wanted:
        if part not in present:
            print(f"{part.name:8} has no tests in this checkout yet")

    # SIGTERM must stop the servers and browsers of the parts like Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cartagena-tests-") as folder:
        done = run_all(present, Path(folder))
        # Once more at the end, where the eye and a cut output are.
        for run in done:
            if run.failed:
                run.tell_failures()
    passed, failed = sum(run.passed for run in done), sum(run.failed for run in done)
    print(f"all parts together {time.monotonic() - began:.1f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
