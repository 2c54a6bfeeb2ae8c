"""Both engines over all games of each family, of which `make test` plays the first ones."""

from __future__ import annotations

import pytest

from tests.reference.test_agreement import MANY, engines_agree


@pytest.mark.parametrize("family", MANY)
def test_both_engines_agree_in_all_games_of_a_family(family: str) -> None:
    engines_agree(family, MANY[family])
