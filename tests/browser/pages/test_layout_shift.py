"""Nothing jumps while a page loads: the layout shift of first loads over a slow connection without a cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.game_server import SHORT, Player, begin
from tests.browser.pages.page_paths import review_of

MAX_LAYOUT_SHIFT = 0.05

# The page's cumulative layout shift as browsers count it (the worst window of at most five seconds), and what moved.
LAYOUT_SHIFTS = """() => new Promise((done) => {
  const shifts = [];
  const describe = ({ node, previousRect: from, currentRect: to }) =>
    `${node?.className || node?.nodeName} from ${from.y}, ${from.height} to ${to.y}, ${to.height}`;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, startTime, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push({ value, at: startTime, moved: sources.map(describe) });
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => {
    let worst = 0, sum = 0, first = 0, last = 0;
    for (const { value, at } of shifts) {
      if (at - last > 1000 || at - first > 5000) [sum, first] = [0, at];
      sum += value;
      last = at;
      worst = Math.max(worst, sum);
    }
    done([worst, shifts.map(({ value, moved }) => `${value.toFixed(3)}: ${moved.join("; ")}`)]);
  }, 200);
})"""

# Fonts, styles and data arrive one after the other, as over a mobile network.
SLOW_NETWORK = {
    "offline": False,
    "latency": 80,
    "downloadThroughput": 250_000,
    "uploadThroughput": 100_000,
}


def first_load(player: Player, path: str) -> tuple[float, list[str]]:
    """Open a page without a cache; return its layout shift and what moved."""
    player.page.goto(f"{player.url}{path}", wait_until="networkidle")
    for waiting in player.page.locator("[data-waiting]").all():
        expect(waiting).to_be_hidden(timeout=60_000)
    player.page.wait_for_timeout(500)
    shift, moved = player.page.evaluate(LAYOUT_SHIFTS)
    return shift, moved


@pytest.mark.parametrize("phone", [False, True], ids=["1280", "390"])
def test_first_loads_shift_nothing(person: Callable[..., Player], phone: bool) -> None:
    ann, bo = person("Ann", phone=phone), person("Bo")
    review = review_of(person, ann)
    running = begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0})
    begin(ann, bo, options=SHORT)
    bo.create({"preset": "tortuga", "players": 3})
    paths = {
        "table": f"/g/{running}",
        "review": review,
        "replay": review.replace("/review", "/replay"),
        "home": "/",
        "profile": f"/players/{ann.api('GET', '/me')['person']['id']}",
        "deal": "/deal",
        "account": "/account",
        "my games": "/me",
        "ratings": "/ratings",
        "analysis": "/analysis",
        "tutorial": "/tutorial",
        "practice": "/practice",
        "new table": "/new",
        "rules": "/rules",
    }
    session = ann.context.new_cdp_session(ann.page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.send("Network.emulateNetworkConditions", SLOW_NETWORK)
    shifts: dict[str, Any] = {name: first_load(ann, path) for name, path in paths.items()}
    bad = {name: shift for name, shift in shifts.items() if shift[0] >= MAX_LAYOUT_SHIFT}
    assert bad == {}
