"""Which tests one process takes when several share them: those that would make something dear twice.

xdist has groups for that, but of pytest's present release they hear nothing: it names tests in another way.
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

__all__ = ["ONE_BY_ONE", "TOGETHER", "Together", "unit_of"]

# By the beginning of their names: tests that share a server, a cluster or a day that was played before.
TOGETHER = {
    "tests/cluster/test_deal.py": "three workers",
    "tests/cluster/test_three_workers.py": "three workers",
    "tests/browser/pages/test_deal.py": "the deal of the day",
}
# The others in these folders share all they need with the whole process.
ONE_BY_ONE = ("tests/browser/", "tests/js/")


def unit_of(name: str) -> str:
    """What is handed out together with this test; else its file, or in some folders it alone."""
    file = name.partition("::")[0]
    return TOGETHER.get(file, name if name.startswith(ONE_BY_ONE) else file)


class Together(LoadScopeScheduling):  # type: ignore[misc]
    """Hands out units, in the order in which their first tests stand."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)
