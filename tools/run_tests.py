"""Run all checks in parts on the available cores and print one closing line with the counts (`make test`)."""

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
# One more slot than cores: mypy keeps one core busy, and most tests idle now and then. With more slots,
# servers and browsers would only wait for each other.
SLOTS = CORES + 1
# Tests start dozens of servers. Without bytecode files each would spend a second compiling.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
# A part that hangs must fail by itself, before CI's own time limit.
MAX_SECONDS = 25 * 60
# The slow part takes about an hour on two idle cores: every page and edition in every language and theme.
MAX_SLOW_SECONDS = 90 * 60


@dataclass(frozen=True)
class Part:
    """A line of the result: commands, or the tests in some folders of tests/."""

    name: str
    description: str
    commands: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    cores: int = 1
    workers: int = 0
    """Number of test processes; 0 means one per core. More help where tests wait for servers and pages."""
    distribution: str = "worksteal"
    """Distribution mode of pytest-xdist."""
    slow: bool = False
    max_repeated: int = 0
    """Failed tests that are run again, alone. A test that then passes is reported as flaky."""


# tests/process_groups.py lists tests that share a process, tests/slow_tests.py tests that start first.
LOAD_SCOPE = "loadscope --no-loadscope-reorder"
# Parts start in this order as cores become free. The server's tests sometimes wait for clocks and other processes,
# which leaves room for mypy and "unit"; the browser part uses all cores. "unit" also runs every folder that no other
# part lists, so a new test folder is never forgotten.
PARTS = (
    # Nearly free if everything is installed; on a fresh machine it waits for the network.
    Part(
        "programs",
        "programs without a wheel: Chromium, Caddy, curl",
        commands=("python -m tools.programs",),
        cores=0,
    ),
    Part(
        "types",
        "mypy --strict; tsc --checkJs --strict",
        commands=("mypy", "python -m tools.js types"),
    ),
    Part(
        "lint",
        "ruff and Biome: rules and formatting",
        commands=("ruff check .", "ruff format --check .", "python -m tools.js lint"),
    ),
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
        distribution=LOAD_SCOPE,
        max_repeated=3,
    ),
    Part("unit", "rules, bots and every folder that no other part lists"),
    Part(
        "browser",
        "the table and the pages in a real Chromium",
        folders=("browser", "js"),
        cores=2,
        workers=4,
        distribution=LOAD_SCOPE,
        max_repeated=3,
    ),
    Part("soak", "long play under load", folders=("soak",), cores=2, slow=True),
)


def test_paths(part: Part, tests: Path) -> list[Path]:
    """Return the files and folders of a part that contain tests in this checkout."""
    if part.folders:
        mine = [tests / name for name in part.folders]
    else:
        named = {name for other in PARTS for name in other.folders}
        mine = [each for each in tests.iterdir() if each.is_dir() and each.name not in named]
        mine += tests.glob("test_*.py")
    return sorted(path for path in mine if path.is_file() or any(path.rglob("test_*.py")))


def command_lines(part: Part, report: Path) -> list[list[str]]:
    """Return the commands of a part in order; pytest also writes its counts to `report`."""
    if part.commands:
        return [[str(BIN / words[0]), *words[1:]] for words in (each.split() for each in part.commands)]
    paths = [str(path.relative_to(ROOT)) for path in test_paths(part, ROOT / "tests")]
    workers = ("-n", str(part.workers or part.cores), "--dist", *part.distribution.split())
    return [[*_pytest(report, report), "--durations=5", *workers, *paths]]


def repeat_command(part: Part, report: Path, repeated: Path) -> list[str]:
    """Return the command that runs the failed tests of `report` again in one process, reported to `repeated`."""
    paths = [str(path.relative_to(ROOT)) for path in test_paths(part, ROOT / "tests")]
    return [*_pytest(report, repeated), "--last-failed", "--last-failed-no-failures=none", "-n0", *paths]


def _pytest(first_report: Path, report: Path) -> list[str]:
    """Return a pytest command whose record of failed tests is beside the part's first report."""
    cache = f"cache_dir={first_report.with_suffix('.cache')}"
    return [str(BIN / "pytest"), "-q", "--tb=short", "-o", cache, f"--junitxml={report}"]


def counts_of(report: Path) -> tuple[int, int, int]:
    """Return the passed, failed and skipped counts of pytest's report; all 0 if it wrote none."""
    if not report.exists():
        return 0, 0, 0
    suites = list(ElementTree.parse(report).getroot().iter("testsuite"))
    total, failures, errors, skipped = (
        sum(int(suite.get(key, "0")) for suite in suites)
        for key in ("tests", "failures", "errors", "skipped")
    )
    return max(0, total - failures - errors - skipped), failures + errors, skipped


def failures_in(report: Path) -> list[str]:
    """Return each failed test of a report by name, with the first line of its error."""
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
    """A part that has started."""

    part: Part
    folder: Path
    commands: list[list[str]] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None
    began: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    cpu: float = 0.0
    """CPU seconds, which depend less on other load than wall time."""
    passed: int = 0
    failed: int = 0
    problems: list[str] = field(default_factory=list)
    flaky: list[str] = field(default_factory=list)
    """Tests that failed at first and passed when run again alone."""

    def __post_init__(self) -> None:
        self.log = self.folder / f"{self.part.name}.log"
        self.report = self.folder / f"{self.part.name}.xml"
        self.repeated = self.folder / f"{self.part.name}-again.xml"
        self.commands = command_lines(self.part, self.report)

    def step(self) -> bool:
        """Start the next command or check the current one; return whether the part is over."""
        if self.process is None:
            self._start()
            return False
        code = self._exit_code()
        self.seconds = time.monotonic() - self.began
        longest = MAX_SLOW_SECONDS if self.part.slow else MAX_SECONDS
        if code is None and self.seconds > longest:
            self.stop()
            self.problems.append(f"still running after {longest} seconds, stopped")
            code = 0
        if code is None:
            return False
        problem = f"{Path(self.commands[0][0]).name} ended with {code}"
        if code != 0 and problem not in self.problems:  # a repeated run may fail in the same way
            self.problems.append(problem)
        self.process = None
        del self.commands[0]
        if not self.commands and self._may_repeat():
            self.commands.append(repeat_command(self.part, self.report, self.repeated))
        if not self.commands:
            self._count()
        return not self.commands

    def _may_repeat(self) -> bool:
        """Return whether a few tests failed, for the first time, and nothing else went wrong."""
        if self.part.commands or self.repeated.exists() or self.problems != ["pytest ended with 1"]:
            return False
        _, failed, skipped = counts_of(self.report)
        return 0 < failed <= self.part.max_repeated and not skipped

    def _exit_code(self) -> int | None:
        """Return the exit code of the current command once it has ended, and add its CPU time."""
        assert self.process is not None
        over, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if over:
            self.process.returncode = os.waitstatus_to_exitcode(status)
            self.cpu += usage.ru_utime + usage.ru_stime
        return self.process.returncode

    def _start(self) -> None:
        # A separate process group, so that stopping a hanging part also stops its servers and browsers.
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
            self._forgive_flaky()
            if skipped:
                self.problems.append(
                    f"{skipped} skipped: no test may be skipped; a missing program must fail it"
                )
            if not self.passed and not self.failed:
                self.problems.append("no test was run")
        if self.problems and not self.failed:
            self.failed = 1
        elif self.part.commands:
            self.passed = 1

    def _forgive_flaky(self) -> None:
        """Count the failed tests as passed if all of them passed when run again."""
        passed, failed, skipped = counts_of(self.repeated)
        if passed and not failed and not skipped and self.problems == ["pytest ended with 1"]:
            self.flaky, self.problems = failures_in(self.report), []
            self.passed, self.failed = self.passed + passed, 0

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

    def print_result(self) -> None:
        """Print one line for the part, and all its output if it failed."""
        verdict = "ok" if not self.failed else "FAILED"
        counts = "" if self.part.commands else f"{self.passed} passed, {self.failed} failed"
        print(
            f"{self.part.name:8} {verdict:7} {self.seconds:7.1f} s  {self.cpu:7.1f} s CPU  {counts}",
            flush=True,
        )
        if self.failed:
            # Failed tests first, because a long output may be cut.
            self.print_failures()
            print("-" * 100)
            print(self.log.read_text(errors="replace").rstrip())
            print("-" * 100, flush=True)
        for line in self.flaky:
            print(f"FLAKY {self.part.name}, passed when run again alone: {line}", flush=True)

    def print_failures(self) -> None:
        for line in (*failures_in(self.report), *self.problems):
            print(f"FAILED {self.part.name}: {line}")


def run_all(parts: list[Part], folder: Path) -> list[Run]:
    """Start each part as soon as the cores it needs are free."""
    waiting, running, done = list(parts), list[Run](), list[Run]()
    try:
        while waiting or running:
            free = SLOTS - sum(run.part.cores for run in running)
            if waiting and (waiting[0].cores <= free or not running):
                running.append(Run(waiting.pop(0), folder))
            over = [run for run in running if run.step()]
            for run in over:
                run.print_result()
            running = [run for run in running if run not in over]
            done += over
            time.sleep(0.05)
    finally:
        for run in running:
            run.stop()
    return done


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help="only these: " + ", ".join(part.name for part in PARTS))
    parser.add_argument("--slow", action="store_true", help="run the slow parts too")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - {part.name for part in PARTS}
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")

    wanted = [
        part
        for part in PARTS
        if part.name in arguments.parts or (not arguments.parts and (arguments.slow or not part.slow))
    ]
    present = [part for part in wanted if part.commands or test_paths(part, ROOT / "tests")]
    for part in wanted:
        if part not in present:
            print(f"{part.name:8} has no tests in this checkout")

    # On SIGTERM, stop the servers and browsers of the parts as on Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cartagena-tests-") as folder:
        done = run_all(present, Path(folder))
        # Repeated at the end, where a reader looks first.
        for run in done:
            if run.failed:
                run.print_failures()
    for line in (line for run in done for line in run.flaky):
        print(f"FLAKY, find its cause: {line}")
    passed, failed = sum(run.passed for run in done), sum(run.failed for run in done)
    print(f"all parts together {time.monotonic() - began:.1f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
