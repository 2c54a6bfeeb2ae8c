"""Which tests begin first when several processes share them: the longest, so that none ends alone with one."""

from __future__ import annotations

import pytest

__all__ = ["LONGEST", "longest_first"]

# Files and tests by the beginning of their names, the longest first; whatever is not here is short. It need not be
# exact: look at it when the slowest five that a part prints are not among the first.
LONGEST = (
    # files of the server part, which are handed out whole
    "tests/web/deal/test_results.py",
    "tests/attack/test_deal.py",
    "tests/cluster/test_three_workers.py",
    "tests/sockets/test_time.py",
    "tests/attack/test_http_floods.py",
    "tests/store/test_old_databases.py",
    "tests/cluster/test_deal.py",
    "tests/attack/test_planted_leaks.py",
    "tests/ops/test_serve.py",
    "tests/sockets/test_gone_people.py",
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
    # tests of the browser part, which are handed out one by one, those of a group together
    "tests/browser/pages/test_deal.py",
    "tests/browser/table/test_play.py::test_two_browsers",
    "tests/browser/table/test_evening.py",
    "tests/browser/test_push.py",
    "tests/browser/pages/test_every_page.py::test_a_page_is_for_everyone",
    "tests/browser/table/test_play.py::test_a_whole_game",
    "tests/browser/pages/test_axe.py",
    "tests/browser/table/test_secrets.py",
    "tests/browser/table/test_absence.py",
    "tests/browser/screen/test_room.py::test_one_click",
    "tests/browser/table/test_room.py::test_a_lost_line",
    "tests/browser/table/test_missed.py",
    "tests/browser/pages/test_lobby.py::test_the_lobby_comes_back",
    "tests/browser/attack/",
    "tests/browser/table/",
    "tests/browser/",
)


def longest_first(items: list[pytest.Item], processes: int) -> None:
    """Puts the longest in front, for so many processes.

    Each process gets one at first, and then a second behind it: those must be short, or they would wait behind the
    longest of all.
    """
    items.sort(key=lambda item: _rank(item.nodeid))  # stable: within a rank as they stand in their files
    if len(items) >= 4 * processes:
        items[processes:processes] = [items.pop() for _ in range(processes)]


def _rank(name: str) -> int:
    return next((rank for rank, start in enumerate(LONGEST) if name.startswith(start)), len(LONGEST))
