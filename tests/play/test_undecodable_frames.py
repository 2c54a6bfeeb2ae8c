"""The name and id of a frame that cannot be decoded, for its refusal."""

from __future__ import annotations

import pytest

from app.play.commands.messages import read_name_and_id


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
def test_name_and_id_of_an_undecodable_frame(frame: str, found: tuple[str | None, str | None]) -> None:
    assert read_name_and_id(frame) == found
