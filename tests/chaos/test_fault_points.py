"""Fault points: named, counted, documented, and unknown to the shipped server."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.play.room.subscribers import Subscribers
from app.settings import BadSettings, read_settings
from tests.play.stage import open_stage
from tools.soak import fault_points
from tools.soak.fault_points import POINTS, BadFault, arm, check

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reliability.md"


def test_a_fault_is_a_point_and_a_number() -> None:
    assert check("after_commit") == ("after_commit", 1, True)
    assert check("after_commit:3") == ("after_commit", 3, True)
    assert check("after_commit:3:later") == ("after_commit", 3, False)


@pytest.mark.parametrize(
    "fault", ["", "sometimes", "after_commit:0", "after_commit:-1", "after_commit:1:never", ":2"]
)
def test_any_other_fault_is_refused(fault: str) -> None:
    with pytest.raises(BadFault):
        check(fault)


def test_a_server_does_not_start_with_an_invalid_fault() -> None:
    with pytest.raises(BadFault, match="is not a fault point"):
        arm("sometimes")


def test_every_point_can_be_armed() -> None:
    """In a process of its own, because arming replaces methods of the server."""
    program = "from tools.soak.fault_points import POINTS, arm\nfor point in POINTS: arm(point)"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60)


def test_the_shipped_server_accepts_no_fault() -> None:
    with pytest.raises(BadSettings, match="CARTAGENA_FAULT is not a setting"):
        read_settings({"CARTAGENA_FAULT": "after_ack"})
    naming = [path for path in (ROOT / "app").rglob("*.py") if "fault_points" in path.read_text()]
    assert naming == []


def test_the_page_explains_every_point() -> None:
    section = PAGE.read_text().split("## Fault points")[1].split("\n#")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(POINTS)


async def test_a_server_that_dies_after_the_ack_has_informed_the_sender_only(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    died: list[bool] = []
    monkeypatch.setattr(fault_points, "_die", lambda: died.append(True))
    monkeypatch.setattr(fault_points, "_FLUSH_SECONDS", 0)
    monkeypatch.setattr(Subscribers, "send_entry", Subscribers.send_entry)  # restored after the test
    async with open_stage(sqlite_url) as stage:
        ann, ben = await stage.start_game("ann", "ben")
        received = len(ben.listener.received)
        fault_points._after_ack(lambda: True)
        ack = await ann.send("consent", to="pause", yes=True)
        assert ann.listener.last["seq"] == ack.seq
        assert ben.listener.received[received:] == []
        await stage.advance_clock(0.05)
    assert died == [True]
