"""Groups of tests that share a test process, because they share something expensive.

The groups of xdist do not work with the current pytest, which builds test ids differently.
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

__all__ = ["GROUPS", "SINGLE_TEST_FOLDERS", "ProcessGroups", "unit_of"]

# Files by name of their group: they share a cluster or a played deal.
GROUPS = {
    "tests/cluster/test_deal.py": "three workers",
    "tests/cluster/test_three_workers.py": "three workers",
    "tests/browser/pages/test_deal.py": "the deal of the day",
    "tests/browser/pages/test_deal_attempts.py": "the deal of the day",
}
# Tests in these folders are distributed one by one; elsewhere a file stays together.
SINGLE_TEST_FOLDERS = ("tests/browser/", "tests/js/")


def unit_of(name: str) -> str:
    """Return the unit of distribution: the group, the file or the single test."""
    file = name.partition("::")[0]
    return GROUPS.get(file, name if name.startswith(SINGLE_TEST_FOLDERS) else file)


class ProcessGroups(LoadScopeScheduling):  # type: ignore[misc]
    """Distributes units in the order of their first tests."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)
