"""What happens while "what you missed" is still being loaded belongs to it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.browser.table.house import Player, begin, move_beside
from tests.browser.table.test_missed import THREE, at_pace, story, turn


def away_for_two_turns(person: Callable[..., Player]) -> tuple[Player, Player, str, list[Route]]:
    """Ann comes back to the turns of Bo and Cy; her page waits for story.js. Di is in turn."""
    ann, bo, cy, di = person("Ann"), person("Bo"), person("Cy"), person("Di")
    game = begin(ann, bo, cy, di, options={**THREE, "players": 4})
    turn(ann, actions=1)
    turn(bo, cy)
    at_pace(ann, "slow")
    held: list[Route] = []
    ann.page.route("**/story.js*", lambda route: held.append(route))
    return ann, di, game, held


def come_back(ann: Player, game: str, held: list[Route]) -> None:
    """Until it is known what was seen so far, and story.js alone is missing."""
    with ann.page.expect_response("**/seen"):
        ann.open(game)
    for _ in range(200):
        if held:
            return
        ann.page.wait_for_timeout(25)
    raise AssertionError("story.js was not asked for")


def move_now(di: Player, ann: Player) -> None:
    seq = ann.seq()
    assert move_beside(di)
    ann.wait_past(seq)


def test_an_action_that_comes_while_the_story_is_loaded_is_told(person: Callable[..., Player]) -> None:
    ann, di, game, held = away_for_two_turns(person)
    come_back(ann, game, held)
    move_now(di, ann)
    held[0].continue_()
    expect(story(ann.page)).to_contain_text("You missed 5 actions.")
    expect(story(ann.page)).to_contain_text("1 / 5")


def test_a_server_that_was_behind_is_asked_again_when_something_is_missing(
    person: Callable[..., Player],
) -> None:
    ann, di, game, held = away_for_two_turns(person)
    told: list[bytes] = []

    def two_old_answers(route: Route) -> None:
        body = route.fetch().body()
        told.append(body)
        route.fulfill(body=told[0] if len(told) < 3 else body, content_type="application/json")

    ann.page.route("**/seen", two_old_answers)
    come_back(ann, game, held)
    move_now(di, ann)
    held[0].continue_()
    expect(story(ann.page)).to_contain_text("You missed 4 actions.")
    assert len(told) == 2, "what was known already when it was loaded is asked for at once"
    move_now(di, ann)
    expect(story(ann.page)).to_contain_text("/ 6")
