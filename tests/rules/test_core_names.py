"""The core of the rules names no module and no symbol; it only walks what modules register."""

from __future__ import annotations

import re
from pathlib import Path

from app.rules.core.action import ACTIONS
from app.rules.core.cards import SYMBOL_NAMES
from app.rules.core.event import EVENTS
from app.rules.core.ruleset import MODULES, PENDING_TYPES

CORE = Path(__file__).resolve().parents[2] / "app" / "rules" / "core"


def module_classes() -> set[str]:
    """Return the names of the actions, events and pending choices that modules define."""
    own = {kind.__name__ for kind in (*ACTIONS.values(), *EVENTS.values()) if ".modules." in kind.__module__}
    return own | {kind.__name__ for module in MODULES for kind in module.pending_types}


def forbidden_words() -> set[str]:
    return {module.name.replace("_", " ") for module in MODULES} | SYMBOL_NAMES


def find_forbidden(text: str) -> list[str]:
    """Return the forbidden names in a text, in any spelling: LanternLit, lantern_lit, lanterns."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower().replace("_", " ")
    # "key" is also a common word in Python.
    shapes = {word: '"key"' if word == "key" else rf"(?<!\w){word}s?(?!\w)" for word in forbidden_words()}
    return sorted(
        [word for word, shape in shapes.items() if re.search(shape, plain)]
        + [name for name in module_classes() if re.search(rf"\b{name}\b", text)]
    )


def test_the_core_names_no_module_and_no_symbol() -> None:
    assert len(forbidden_words()) == 16
    assert len(module_classes()) > 30
    assert {path.name: find_forbidden(path.read_text()) for path in CORE.glob("*.py")} == {
        path.name: [] for path in CORE.glob("*.py")
    }


def test_the_core_imports_neither_modules_nor_formats() -> None:
    for path in CORE.glob("*.py"):
        assert not re.search(r"app\.rules\.(modules|formats)|import (modules|formats)", path.read_text()), (
            path
        )


def test_a_planted_name_is_found() -> None:
    for text in (
        "if options.black_magic:",
        'card == "key"',
        "class LanternLit(Event):",
        "# Morgan's pirates",
    ):
        assert find_forbidden(text), text
    assert find_forbidden("sorted(cards, key=len)  # that is all") == []


def test_every_pending_type_is_registered_by_its_kind() -> None:
    assert list(PENDING_TYPES) == [kind.kind for module in MODULES for kind in module.pending_types]
