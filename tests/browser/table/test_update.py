"""A page that was open during an update from a release whose modules had other names."""

from __future__ import annotations

from collections.abc import Callable

from tests.browser.game_server import SHORT, Player, begin


def test_a_page_of_an_older_release_reloads_when_it_needs_another_module(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    ann.open(begin(ann, bo, options=SHORT))
    ann.page.evaluate("window.isBeforeUpdate = true")
    with ann.page.expect_navigation():
        # as a page of release 0.1.0 does before a pending choice
        ann.page.evaluate("() => void import('/static/9d213fca7d70/js/table/owed.js')")
    assert ann.page.evaluate("window.isBeforeUpdate") is None
