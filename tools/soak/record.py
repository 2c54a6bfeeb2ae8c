"""The table of recorded `make soak` runs in docs/reliability.md."""

from __future__ import annotations

import datetime
import os
import subprocess
from dataclasses import asdict, dataclass, field
from pathlib import Path

import orjson

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reliability.md"
RUNS = ROOT / "docs/reliability.json"
_BEGIN, _END = "<!-- runs -->", "<!-- end of runs -->"


@dataclass
class Outcome:
    """What a part did, with counts, and everything that was wrong."""

    tried: str
    checked: str
    wrong: list[str] = field(default_factory=list)


@dataclass
class Run:
    """A row of the table."""

    part: str
    fault: str
    tried: str
    checked: str
    lost: int
    seed: int
    minutes: float
    day: str
    revision: str
    load: float = 0.0
    """load average of the run's last five minutes, the run itself included"""


def record(
    part: str, fault: str, outcome: Outcome, seed: int, seconds: float, *, beside: bool = False
) -> None:
    """Store this run in place of the part's earlier runs, or beside them, and redraw the table."""
    runs = [Run(**run) for run in orjson.loads(RUNS.read_bytes())] if RUNS.exists() else []
    new = Run(
        part,
        fault,
        outcome.tried,
        outcome.checked,
        len(outcome.wrong),
        seed,
        round(seconds / 60, 1),
        datetime.datetime.now(datetime.UTC).date().isoformat(),
        _revision(),
        round(os.getloadavg()[1], 1) if hasattr(os, "getloadavg") else 0.0,
    )
    kept = [run for run in runs if run.part != part or (beside and run.seed != seed)]
    ordered = sorted([*kept, new], key=lambda run: run.part)  # stable: runs of a part stay in order
    RUNS.write_bytes(orjson.dumps([asdict(run) for run in ordered], option=orjson.OPT_INDENT_2) + b"\n")
    draw()


def draw() -> None:
    """Put the recorded runs into the page, between its two markers."""
    runs = [Run(**run) for run in orjson.loads(RUNS.read_bytes())]
    rows = [
        "| fault | how often tried | what was compared | lost | repeat it |",
        "|---|---|---|---|---|",
        *(
            f"| {run.fault} | {run.tried} | {run.checked} | **{run.lost}** | `make soak PART={run.part}` "
            f"({run.minutes:g} min, seed {run.seed}, {run.day}, {run.revision}{_loaded(run)}) |"
            for run in runs
        ),
    ]
    before, _, rest = PAGE.read_text().partition(_BEGIN)
    _, _, after = rest.partition(_END)
    PAGE.write_text(before + _BEGIN + "\n\n" + "\n".join(rows) + "\n\n" + _END + after)


def _loaded(run: Run) -> str:
    return f", load {run.load:g}" if run.load else ""


def _revision() -> str:
    """Return the commit that was run, if there is one."""
    asked = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    kept = ROOT / "REV"
    return asked.stdout.strip() or (kept.read_text().strip() if kept.exists() else "no commit")
