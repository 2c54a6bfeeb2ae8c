"""What has happened so far: a count of every situation, so that a run can prove it met the rare ones."""

from collections import Counter

COVERED: Counter[str] = Counter()


def note(situation: str) -> None:
    COVERED[situation] += 1
