"""Fault points: named, counted, documented, and never on a server that others can reach."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from app import serve
from app.faults import POINTS, BadFault, check
from app.settings import BadSettings, read_settings

PAGE = Path(__file__).parents[2] / "docs/reliability.md"


def test_a_point_and_a_number() -> None:
    assert check("after_commit") == ("after_commit", 1, True)
    assert check("after_commit:3") == ("after_commit", 3, True)
    assert check("after_commit:3:later") == ("after_commit", 3, False)


@pytest.mark.parametrize(
    "wish", ["sometimes", "after_commit:0", "after_commit:-1", "after_commit:1:never", ":2"]
)
def test_anything_else_is_refused(wish: str) -> None:
    with pytest.raises(BadFault):
        check(wish)


def test_the_server_does_not_start_with_a_fault_it_does_not_know(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CARTAGENA_FAULT", "sometimes")
    assert serve.run(argparse.Namespace()) == 2
    assert "is no fault" in capsys.readouterr().err


def test_a_server_that_others_can_reach_takes_no_fault() -> None:
    with pytest.raises(BadSettings, match="CARTAGENA_FAULT"):
        read_settings(
            {"CARTAGENA_FAULT": "after_ack", "CARTAGENA_HOST": "0.0.0.0", "CARTAGENA_SECRET": "x" * 40}
        )


def test_the_page_explains_every_point() -> None:
    section = PAGE.read_text().split("## Fault points")[1].split("\n#")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(POINTS)
