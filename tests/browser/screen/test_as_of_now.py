"""What the big screen tells as of now, however slowly it plays what happened: who is here, and the clocks."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.screen.test_big_screen import TELEVISION, shows, turn_on
from tests.browser.table.house import SHORT, Player, begin, move_beside

# Whose clocks were seen running, each change of it.
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


def test_whoever_comes_and_goes_is_shown_without_an_action(person: Callable[..., Player]) -> None:
    ann, bo, watcher = person("Ann"), person("Bo"), person("Cy")
    screen = person(None, viewport=TELEVISION)
    game = begin(ann, bo, options=SHORT)
    turn_on(screen, game)
    plates = screen.page.locator(".plate")
    expect(plates.get_by_text("not connected")).to_have_count(2)
    ann.open(game)
    expect(plates.nth(0).get_by_text("not connected")).to_have_count(0)
    expect(plates.nth(1).get_by_text("not connected")).to_have_count(1)
    expect(screen.page.locator(".watching")).to_have_text("")
    watcher.open(game)
    expect(screen.page.locator(".watching")).to_contain_text("1 watching")
    ann.page.goto("about:blank")
    expect(plates.get_by_text("not connected")).to_have_count(2)
    assert screen.page.locator("#screen").get_attribute("data-seq") == str(bo.state()["seq"])


def test_an_earlier_action_that_is_still_shown_does_not_turn_the_clocks_back(
    person: Callable[..., Player],
) -> None:
    ann, bo = person("Ann"), person("Bo")
    screen = person(None, viewport=TELEVISION)
    game = begin(ann, bo, options={**SHORT, "actions": 3, "first": 0}, clock={"kind": "bank", "seconds": 600})
    turn_on(screen, game)
    expect(screen.page.locator(".plate-clock.running")).to_have_count(1)
    screen.page.evaluate(LISTEN)
    while ann.state().get("choices"):
        move_beside(ann)
    shows(screen, ann.state()["seq"])
    screen.page.wait_for_timeout(300)  # a tick of the clocks
    assert screen.page.evaluate("window.running") == ["0", "1"]
