"""Fault points: named, counted, documented, and unknown to the server that is shipped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.play.room.subscribers import Subscribers
from app.settings import BadSettings, read_settings
from tests.play.stage import open_stage
from tools.soak import fault_points
from tools.soak.fault_points import POINTS, BadFault, arm, check

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reliability.md"


def test_a_point_and_a_number() -> None:
    assert check("after_commit") == ("after_commit", 1, True)
    assert check("after_commit:3") == ("after_commit", 3, True)
    assert check("after_commit:3:later") == ("after_commit", 3, False)


@pytest.mark.parametrize(
    "wish", ["", "sometimes", "after_commit:0", "after_commit:-1", "after_commit:1:never", ":2"]
)
def test_anything_else_is_refused(wish: str) -> None:
    with pytest.raises(BadFault):
        check(wish)


def test_a_server_does_not_start_with_a_fault_that_is_none() -> None:
    with pytest.raises(BadFault, match="is no fault"):
        arm("sometimes")


def test_the_shipped_server_takes_no_fault() -> None:
    with pytest.raises(BadSettings, match="CARTAGENA_FAULT is not a setting"):
        read_settings({"CARTAGENA_FAULT": "after_ack"})
    naming = [path for path in (ROOT / "app").rglob("*.py") if "fault_points" in path.read_text()]
    assert naming == []


def test_the_page_explains_every_point() -> None:
    section = PAGE.read_text().split("## Fault points")[1].split("\n#")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(POINTS)


async def test_before_it_dies_after_the_ack_only_the_sender_is_told(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    died: list[bool] = []
    monkeypatch.setattr(fault_points, "_die", lambda: died.append(True))
    monkeypatch.setattr(fault_points, "_FLUSH_SECONDS", 0)
    monkeypatch.setattr(Subscribers, "tell_entry", Subscribers.tell_entry)  # as it is now, afterwards
    async with open_stage(sqlite_url) as stage:
        ann, ben = await stage.game("ann", "ben")
        heard = len(ben.ear.heard)
        fault_points._after_ack(lambda: True)
        ack = await ann.send("consent", to="pause", yes=True)
        assert ann.ear.last["seq"] == ack.seq
        assert ben.ear.heard[heard:] == []
        await stage.live(0.05)
    assert died == [True]
