"""Contrasts of the colour tokens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOKENS = Path(__file__).resolve().parents[2] / "static" / "css" / "tokens.css"
BOARD = TOKENS.with_name("board.css")
COLOUR = re.compile(r"--([\w-]+):\s*(#[0-9a-f]{6})")

PAPERS = ("paper", "paper-raised", "paper-sunken")
TEXT = [
    *((ink, paper) for ink in ("ink", "ink-soft") for paper in PAPERS),
    *((f"seat-text-{seat}", paper) for seat in range(5) for paper in PAPERS[:2]),
    *((ink, paper) for ink in ("accent", "gold", "good", "bad") for paper in PAPERS[:2]),
    ("on-accent", "accent"),
    ("on-accent", "accent-hover"),
    ("bad", "bad-paper"),
    ("good", "good-paper"),
    ("gold", "note-paper"),
    *(("ink", f"{kind}-paper") for kind in ("bad", "good", "note")),
    ("card-ink", "card"),
    ("card-dark-ink", "card-dark"),
    ("card-back-ink", "card-back"),
    ("tile-ink", "stone"),
    ("tile-ink", "jungle"),
    ("pirate-ink", "pirate-badge"),
]
SIGNS = [
    ("line-strong", "paper"),
    ("line-strong", "paper-raised"),
    ("focus", "paper"),
    ("focus", "paper-raised"),
    ("stone-edge", "stone"),
    ("jungle-edge", "jungle"),
    ("map-ink", "map"),
]


def themes() -> dict[str, dict[str, str]]:
    text = TOKENS.read_text()
    light = dict(COLOUR.findall(text.split("@media screen and (prefers-color-scheme: dark)")[0]))
    dark = dict(COLOUR.findall(text.split(':root[data-theme="dark"] {')[1]))
    return {"light": light, "dark": {**light, **dark}}


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(TEXT, 4.5), (SIGNS, 3.0)], ids=["text", "signs"])
def test_pair_has_enough_contrast(theme: str, pairs: list[tuple[str, str]], least: float) -> None:
    colours = themes()[theme]
    poor = {
        f"{a} on {b}": round(contrast(colours[a], colours[b]), 2)
        for a, b in pairs
        if contrast(colours[a], colours[b]) < least
    }
    assert poor == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ring", ["focus", "chosen", "ring"])
@pytest.mark.parametrize("side", ["stone", "jungle"])
def test_ring_contrasts_with_the_tile_or_its_edge(theme: str, ring: str, side: str) -> None:
    """The ring covers the line between the two, so one contrast is enough."""
    colours = themes()[theme]
    assert max(contrast(colours[ring], colours[ground]) for ground in (side, f"{side}-edge")) >= 3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_source_ring_contrasts_with_map_and_sea(theme: str) -> None:
    """Prison, sloop and bay have no edge."""
    colours = themes()[theme]
    assert min(contrast(colours["ring"], colours[ground]) for ground in ("map", "sea")) >= 3
    assert re.search(r"\.ring\.source \{\s+stroke: var\(--ring\)", BOARD.read_text())
    assert re.search(r"\.ring\.target \{\s+stroke: var\(--ring\)", BOARD.read_text())


def test_system_dark_theme_equals_chosen_dark_theme() -> None:
    text = TOKENS.read_text()
    system = text.split(':root:not([data-theme="light"]) {')[1].split("}")[0]
    chosen = text.split(':root[data-theme="dark"] {')[1].split("}")[0]
    assert system.split() == chosen.split()
