"""Counts of the situations that have occurred, so that a run can prove that it covered the rare ones."""

from collections import Counter

COVERED: Counter[str] = Counter()


def count_situation(situation: str) -> None:
    COVERED[situation] += 1
