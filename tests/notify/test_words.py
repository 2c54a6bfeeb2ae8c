"""What e-mails say of time is written as the reader's language writes it."""

from __future__ import annotations

import pytest

from app.notify.words import moment

MOMENT = 1_794_989_700  # 18 November 2026, 08:15 UTC


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
def test_a_deadline_is_a_date_of_the_language(language: str, written: str) -> None:
    assert moment(MOMENT, language) == written


@pytest.mark.parametrize("language", ["zz", "", "not a language", "de\n"])
def test_a_language_that_nobody_knows_is_read_as_english(language: str) -> None:
    assert moment(MOMENT, language) == "18 November 2026, 08:15 UTC"
