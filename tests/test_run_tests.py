"""The runner behind `make test`: it must never call a bad run good."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.process_groups import GROUPS, SINGLE_TEST_FOLDERS, unit_of
from tests.slow_tests import SLOWEST, sort_slowest_first
from tools import run_tests

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small project with the real runner in it."""
    (tmp_path / "tools").mkdir()
    runner = (ROOT / "tools" / "run_tests.py").read_text()
    # one test process a part: starting four of them would be most of the time
    (tmp_path / "tools" / "run_tests.py").write_text(runner.replace("workers=4", "workers=1"))
    for folder in ("rules", "store"):
        (tmp_path / "tests" / folder).mkdir(parents=True)
    (tmp_path / "tests/rules/test_rules.py").write_text("def test_a(): pass\ndef test_b(): pass\n")
    (tmp_path / "tests/store/test_store.py").write_text("def test_c(): pass\n")
    return tmp_path


def run(checkout: Path, *parts: str) -> tuple[int, list[str]]:
    # Without the other plugins of this environment, whose imports would be most of the time.
    quick = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "-p xdist"}
    command = [sys.executable, str(checkout / "tools" / "run_tests.py"), *parts]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=quick)
    return done.returncode, done.stdout.splitlines()


def test_a_good_run_counts_all_parts_on_its_last_line(checkout: Path) -> None:
    code, lines = run(checkout, "unit", "server")
    assert (code, lines[-1]) == (0, "3 passed, 0 failed")
    # as they end: they run side by side
    assert sorted(line.split()[:2] for line in lines[:2]) == [["server", "ok"], ["unit", "ok"]]


def test_a_failing_test_fails_the_run_and_is_shown(checkout: Path) -> None:
    (checkout / "tests/store/test_store.py").write_text("def test_c(): assert 'sloop' == 'raft'\n")
    code, lines = run(checkout, "unit", "server")
    assert (code, lines[-1]) == (1, "2 passed, 1 failed")
    assert any("assert 'sloop' == 'raft'" in line for line in lines)
    # by name, both before the long output and right at its end
    name = "FAILED server: tests.store.test_store::test_c: AssertionError: assert 'sloop' == 'raft'"
    assert name in lines[:4]
    assert name in lines[-4:]


def test_test_that_passes_when_run_again_is_reported_as_flaky(checkout: Path) -> None:
    seen = checkout / "seen"
    (checkout / "tests/store/test_store.py").write_text(
        "import pathlib\n"
        f"seen = pathlib.Path({str(seen)!r})\n"
        "def test_c():\n"
        "    first = not seen.exists()\n"
        "    seen.touch()\n"
        "    assert not first, 'the sloop was late'\n"
        "def test_d(): pass\n"
    )
    code, lines = run(checkout, "server")
    assert (code, lines[-1]) == (0, "2 passed, 0 failed")
    assert any("FLAKY, find its cause: tests.store.test_store::test_c: " in line for line in lines)


def test_more_failures_than_a_part_may_repeat_are_not_run_again(checkout: Path) -> None:
    runs = checkout / "runs"
    (checkout / "tests/store/test_store.py").write_text(
        f"import pathlib, pytest\nruns = pathlib.Path({str(runs)!r})\n"
        "@pytest.mark.parametrize('n', range(4))\n"
        "def test_c(n):\n"
        "    with runs.open('a') as file: file.write('x')\n"
        "    assert n < 0\n"
    )
    code, lines = run(checkout, "server")
    assert (code, lines[-1]) == (1, "0 passed, 4 failed")
    assert len(runs.read_text()) == 4


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\n", "no test was run"),
        ("import nothing_of_that_name\n", "ended with"),
        (
            "import pytest\ndef test_d(): pass\ndef test_c(): pytest.sk" + "ip('later')\n",
            "no test may be skipped",
        ),
        ("import os\ndef test_c(): os._exit(0)\n", "FAILED server: "),
    ],
)
def test_part_without_tests_with_skips_or_a_crash_fails(checkout: Path, text: str, says: str) -> None:
    (checkout / "tests/store/test_store.py").write_text(text)
    code, lines = run(checkout, "server")
    assert code == 1
    assert not lines[-1].endswith(" 0 failed")
    assert any(says in line for line in lines)


def test_an_unknown_part_is_refused(checkout: Path) -> None:
    assert run(checkout, "everything")[0] == 2


def test_every_folder_of_tests_belongs_to_exactly_one_part(tmp_path: Path) -> None:
    for folder in ("rules", "store", "browser/table", "a_new_one", "soak", "golden"):
        (tmp_path / folder).mkdir(parents=True)
        if folder != "golden":
            (tmp_path / folder / "test_it.py").touch()
    (tmp_path / "test_top.py").touch()
    belongs = {
        part.name: [path.name for path in run_tests.test_paths(part, tmp_path)]
        for part in run_tests.PARTS
        if not part.commands
    }
    assert belongs == {
        "unit": ["a_new_one", "rules", "test_top.py"],
        "server": ["store"],
        "browser": ["browser"],
        "soak": ["soak"],
    }


def test_slowest_tests_start_first_with_short_ones_queued_behind() -> None:
    names = [f"tests/rules/test_moves.py::test_{number}" for number in range(30)]
    tests: list[Any] = [SimpleNamespace(nodeid=name) for name in (*names, *reversed(SLOWEST[:6]))]
    sort_slowest_first(tests, 4)
    assert [test.nodeid for test in tests[:4]] == list(SLOWEST[:4])
    assert all(test.nodeid in names for test in tests[4:8])
    assert [test.nodeid for test in tests[8:10]] == list(SLOWEST[4:6])
    assert len({test.nodeid for test in tests}) == 36, "none is lost, none comes twice"


def test_tests_of_a_group_share_a_process() -> None:
    assert unit_of("tests/cluster/test_deal.py::test_a") == unit_of(
        "tests/cluster/test_three_workers.py::test_b"
    )
    assert unit_of("tests/store/test_log.py::test_a[1]") == unit_of("tests/store/test_log.py::test_b")
    pages = "tests/browser/pages/"
    assert unit_of(f"{pages}test_deal.py::test_a") == unit_of(f"{pages}test_deal.py::test_b")
    assert unit_of(f"{pages}test_new_table.py::test_a") != unit_of(f"{pages}test_new_table.py::test_b")


def test_listed_slow_tests_and_groups_exist() -> None:
    for name in (*SLOWEST, *GROUPS, *SINGLE_TEST_FOLDERS):
        assert (ROOT / name.partition("::")[0]).exists(), name
