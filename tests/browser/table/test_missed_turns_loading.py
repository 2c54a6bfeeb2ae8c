"""Actions that arrive while "what you missed" is loading are part of it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.browser.game_server import Player, begin, move_via_api
from tests.browser.table.test_missed_turns import (
    SET_HIDDEN,
    THREE_PLAYERS,
    play_turn,
    replay_strip,
    set_pace,
)


def away_for_two_turns(person: Callable[..., Player]) -> tuple[Player, Player, str, list[Route]]:
    """Ann comes back to the turns of Bo and Cy; her page waits for history_player.js. It is Di's turn."""
    ann, bo, cy, di = person("Ann"), person("Bo"), person("Cy"), person("Di")
    game = begin(ann, bo, cy, di, options={**THREE_PLAYERS, "players": 4})
    play_turn(ann, actions=1)
    play_turn(bo, cy)
    set_pace(ann, "slow")
    held: list[Route] = []
    ann.page.route("**/history_player.js*", lambda route: held.append(route))
    return ann, di, game, held


def come_back(ann: Player, game: str, held: list[Route]) -> None:
    """Open the table and wait until only history_player.js is missing."""
    with ann.page.expect_response("**/seen"):
        ann.open(game)
    for _ in range(200):
        if held:
            return
        ann.page.wait_for_timeout(25)
    raise AssertionError("history_player.js was not asked for")


def move_now(di: Player, ann: Player) -> None:
    seq = ann.seq()
    assert move_via_api(di)
    ann.wait_past(seq)


def test_action_received_while_the_replay_loads_is_included(person: Callable[..., Player]) -> None:
    ann, di, game, held = away_for_two_turns(person)
    come_back(ann, game, held)
    move_now(di, ann)
    held[0].continue_()
    expect(replay_strip(ann.page)).to_contain_text("You missed 5 actions.")
    expect(replay_strip(ann.page)).to_contain_text("1 / 5")


def test_replay_is_requested_again_after_an_incomplete_answer(
    person: Callable[..., Player],
) -> None:
    ann, di, game, held = away_for_two_turns(person)
    responses: list[bytes] = []

    def two_old_answers(route: Route) -> None:
        body = route.fetch().body()
        responses.append(body)
        route.fulfill(body=responses[0] if len(responses) < 3 else body, content_type="application/json")

    ann.page.route("**/seen", two_old_answers)
    come_back(ann, game, held)
    move_now(di, ann)
    held[0].continue_()
    expect(replay_strip(ann.page)).to_contain_text("You missed 4 actions.")
    assert len(responses) == 2, "the missing entries are requested at once"
    move_now(di, ann)
    expect(replay_strip(ann.page)).to_contain_text("/ 6")


def test_replay_that_finishes_loading_on_a_hidden_page_starts_when_it_is_visible(
    person: Callable[..., Player],
) -> None:
    ann, _, game, held = away_for_two_turns(person)
    come_back(ann, game, held)
    ann.page.evaluate(SET_HIDDEN, True)
    held[0].continue_()
    expect(ann.page.locator(".looking-back")).to_be_attached()
    ann.page.wait_for_timeout(300)
    expect(replay_strip(ann.page)).to_have_count(0)
    ann.page.evaluate(SET_HIDDEN, False)
    expect(replay_strip(ann.page)).to_contain_text("You missed 4 actions.")
