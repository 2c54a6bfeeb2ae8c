"""State that the big screen shows live, even while it still animates earlier actions: presence and clocks."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.game_server import SHORT, Player, begin, move_via_api
from tests.browser.screen.test_big_screen import TELEVISION, open_screen, wait_until_shown

# Records every change of which clocks are running.
LISTEN = """() => {
  window.running = [];
  const look = () => {
    const plates = [...document.querySelectorAll(".plate")];
    const now = plates.flatMap((plate, seat) => (plate.querySelector(".plate-clock.running") ? [seat] : [])).join();
    if (now !== window.running.at(-1)) window.running.push(now);
  };
  new MutationObserver(look).observe(document, { subtree: true, attributes: true, childList: true });
  look();
}"""


def test_screen_shows_presence_changes_between_actions(person: Callable[..., Player]) -> None:
    ann, bo, watcher = person("Ann"), person("Bo"), person("Cy")
    screen = person(None, viewport=TELEVISION)
    game = begin(ann, bo, options=SHORT)
    open_screen(screen, game)
    plates = screen.page.locator(".plate")
    expect(plates.get_by_text("offline")).to_have_count(2)
    ann.open(game)
    expect(plates.nth(0).get_by_text("offline")).to_have_count(0)
    expect(plates.nth(1).get_by_text("offline")).to_have_count(1)
    expect(screen.page.locator(".watching")).to_have_text("")
    watcher.open(game)
    expect(screen.page.locator(".watching")).to_contain_text("1 spectator")
    # The players and the spectator see the same number: the screen is not counted.
    for page in (ann.page, watcher.page):
        expect(page.locator(".watching")).to_contain_text("1 spectator")
    ann.page.goto("about:blank")
    expect(plates.get_by_text("offline")).to_have_count(2)
    assert screen.page.locator("#screen").get_attribute("data-seq") == str(bo.state()["seq"])


def test_clocks_stay_current_while_an_earlier_action_is_animated(
    person: Callable[..., Player],
) -> None:
    ann, bo = person("Ann"), person("Bo")
    screen = person(None, viewport=TELEVISION)
    game = begin(ann, bo, options={**SHORT, "actions": 3, "first": 0}, clock={"kind": "bank", "seconds": 600})
    open_screen(screen, game)
    expect(screen.page.locator(".plate-clock.running")).to_have_count(1)
    screen.page.evaluate(LISTEN)
    while ann.state().get("choices"):
        move_via_api(ann)
    wait_until_shown(screen, ann.state()["seq"])
    screen.page.wait_for_timeout(300)  # a tick of the clocks
    assert screen.page.evaluate("window.running") == ["0", "1"]
