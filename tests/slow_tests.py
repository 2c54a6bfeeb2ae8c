"""Order of tests when several processes share them: the slowest first, so that none finishes alone."""

from __future__ import annotations

import pytest

__all__ = ["SLOWEST", "sort_slowest_first"]

# Files and tests by prefix, slowest first; all others are short. It need not be exact: check it when the five slowest
# tests that a part prints are not near the top.
SLOWEST = (
    # unit part: it mostly waits
    "tests/test_trace_action.py",
    # files of the server part, which are distributed whole
    "tests/web/deal/test_results.py",
    "tests/attack/test_deal.py",
    "tests/cluster/test_three_workers.py",
    "tests/sockets/test_time.py",
    "tests/attack/test_http_floods.py",
    "tests/store/test_old_databases.py",
    "tests/cluster/test_deal.py",
    "tests/attack/test_planted_leaks.py",
    "tests/ops/test_serve.py",
    "tests/sockets/test_erased_people.py",
    "tests/store/games/test_due_work.py",
    "tests/attack/test_matrix.py",
    "tests/chaos/test_kills.py",
    "tests/sockets/test_games.py",
    "tests/chaos/test_rolling_update.py",
    "tests/ops/test_wheel.py",
    "tests/attack/test_unseen_on_the_wire.py",
    "tests/web/deal/test_playing.py",
    "tests/notify/test_push.py",
    "tests/sockets/test_waiting.py",
    "tests/web/api/test_accounts.py",
    "tests/store/games/test_checkpoints.py",
    "tests/notify/test_push_killed.py",
    "tests/sockets/test_restarts.py",
    "tests/ops/test_deploy_docs.py",
    "tests/notify/test_mail.py",
    "tests/store/people/test_retention.py",
    "tests/store/",
    "tests/attack/",
    "tests/chaos/",
    # tests of the browser part, which are distributed one by one except for groups
    "tests/browser/pages/test_deal.py",
    "tests/browser/table/test_play.py::test_two_browsers",
    "tests/browser/table/test_rematches.py",
    "tests/browser/test_push.py",
    "tests/browser/pages/test_every_page.py::test_page_is_accessible_translated_and_fits",
    "tests/browser/table/test_play.py::test_a_whole_game",
    "tests/browser/pages/test_axe.py",
    "tests/browser/table/test_hidden_cards.py",
    "tests/browser/table/test_absence.py",
    "tests/browser/screen/test_room_table.py::test_one_click",
    "tests/browser/table/test_room.py::test_lost_connection",
    "tests/browser/table/test_missed_turns.py",
    "tests/browser/pages/test_lobby.py::test_lobby_reconnects",
    "tests/browser/attack/",
    "tests/browser/table/",
    "tests/browser/",
)


def sort_slowest_first(items: list[pytest.Item], processes: int) -> None:
    """Sort the slowest tests to the front for this many processes.

    Each process first gets one test and queues a second behind it. The second must be short, or it would wait behind
    the slowest of all.
    """
    items.sort(key=lambda item: _rank(item.nodeid))  # stable: keeps the file order within a rank
    if len(items) >= 4 * processes:
        items[processes:processes] = [items.pop() for _ in range(processes)]


def _rank(name: str) -> int:
    return next((rank for rank, start in enumerate(SLOWEST) if name.startswith(start)), len(SLOWEST))
