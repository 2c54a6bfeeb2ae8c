"""The browser's fold gives every audience the server's view after every action."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app import rules
from tests.js.random_games import PRESETS, play_at_random

CHECK = """({fold}, frames) => {
  const audience = frames.audience;
  const viewer = audience === "None" ? null : Number(audience);
  const isThing = (part) => part !== null && typeof part === "object";
  const same = (one, other) => one === other || (isThing(one) && isThing(other)
    && Array.isArray(one) === Array.isArray(other) && Object.keys(one).length === Object.keys(other).length
    && Object.keys(one).every((key) => Object.hasOwn(other, key) && same(one[key], other[key])));
  const view = structuredClone(frames.first);
  for (const [at, {events, after}] of frames.steps.entries()) {
    for (const event of events) fold(view, event, viewer);
    if (!same(view, after)) return {at, events, got: JSON.stringify(view), wanted: JSON.stringify(after)};
  }
  return null;
}"""


@pytest.mark.parametrize("options", PRESETS, ids=lambda options: options["preset"])
def test_events_fold_into_the_servers_view_for_every_audience(
    run: Callable[..., Any], options: dict[str, Any]
) -> None:
    frames = play_at_random(options, "5e" * 32, 130, chance=len(str(options)))
    for audience in frames[0]["views"]:
        steps = [{"events": f["events"][audience], "after": f["views"][audience]} for f in frames[1:]]
        wrong = run(
            "core/fold.js",
            CHECK,
            {"audience": audience, "first": frames[0]["views"][audience], "steps": steps},
        )
        assert wrong is None, f"audience {audience}: {wrong}"


GOLDEN = sorted((Path(__file__).resolve().parents[1] / "golden").glob("*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_games_fold_into_the_servers_views(run: Callable[..., Any], path: Path) -> None:
    line = list(rules.replay(rules.record_from_json(json.loads(path.read_text()))))
    first = line[0][0]
    for audience in (*range(first.options.players), None):
        steps = [
            {
                "events": rules.events_for(events, audience, position.options),
                "after": rules.view(position, audience),
            }
            for position, events in line[1:]
        ]
        given = {"audience": str(audience), "first": rules.view(first, audience), "steps": steps}
        assert run("core/fold.js", CHECK, given) is None, f"audience {audience}"


def test_unknown_event_is_an_error(run: Callable[..., Any]) -> None:
    asked = """({fold}) => {
      try { fold({}, {type: 'mutiny'}, null); return ''; } catch (error) { return error.message; }
    }"""
    assert "mutiny" in run("core/fold.js", asked)
