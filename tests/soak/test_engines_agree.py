"""Both engines over all games of each family, of which `make test` plays the first ones."""

from __future__ import annotations

import pytest

from tests.reference.test_agreement import SOAK_GAMES, check_engines_agree


@pytest.mark.parametrize("family", SOAK_GAMES)
def test_both_engines_agree_in_all_games_of_a_family(family: str) -> None:
    check_engines_agree(family, SOAK_GAMES[family])
