"""What a frame that is refused as a whole says it was, so that the refusal can name it."""

from __future__ import annotations

import pytest

from app.play.commands.messages import named


@pytest.mark.parametrize(
    ("frame", "found"),
    [
        ('{"do":"act","id":"k3v9x0qa","version":[]}', ("act", "k3v9x0qa")),
        ('{"id":"k3v9x0qa"}', (None, "k3v9x0qa")),
        ('{"do":"act","id":7}', ("act", None)),
        ('{"do":"act","id":"\\ud800"}', (None, None)),
        ('{"do":"act","id":"' + "a" * 65 + '"}', ("act", None)),
        ('{"do":"act","id":"k3v9x0qa"', (None, None)),
        ("[" * 4000, (None, None)),
        ("[]", (None, None)),
        ("\ud800", (None, None)),
    ],
)
def test_the_name_of_a_frame_that_cannot_be_read(frame: str, found: tuple[str | None, str | None]) -> None:
    assert named(frame) == found
