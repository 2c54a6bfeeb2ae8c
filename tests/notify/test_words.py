"""Times in e-mails are formatted in the reader's language."""

from __future__ import annotations

import pytest

from app.notify.words import format_time_utc

DEADLINE = 1_794_989_700  # 18 November 2026, 08:15 UTC


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", "18 November 2026, 08:15 UTC"),
        ("sv", "18 november 2026, 08:15 UTC"),
        ("nb", "18. november 2026, 08:15 UTC"),
        ("nl", "18 november 2026, 08:15 UTC"),
        ("de", "18. November 2026, 08:15 UTC"),
        ("fr", "18 novembre 2026, 08:15 UTC"),
        ("es", "18 de noviembre de 2026, 8:15 UTC"),
        ("it", "18 novembre 2026, 08:15 UTC"),
    ],
)
def test_deadline_is_formatted_in_the_language(language: str, written: str) -> None:
    assert format_time_utc(DEADLINE, language) == written


@pytest.mark.parametrize("language", ["zz", "", "not a language", "de\n"])
def test_unknown_language_falls_back_to_english(language: str) -> None:
    assert format_time_utc(DEADLINE, language) == "18 November 2026, 08:15 UTC"
