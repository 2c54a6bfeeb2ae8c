"""Accessibility violations that axe finds in a page, by theme and width, without reloading it."""

from __future__ import annotations

from typing import Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

Theme = Literal["light", "dark"]

WIDTHS = (390, 1280)
THEMES: tuple[Theme, ...] = ("light", "dark")
# Each width and each theme once; tests/soak checks all four combinations.
WIDTH_THEME_PAIRS: tuple[tuple[int, Theme], ...] = ((1280, "light"), (390, "dark"))

# Only violations are returned: transferring the passed checks takes longer than running them.
RUN_AXE = """() => axe.run({resultTypes: ["violations"]}).then(({violations}) => violations.flatMap(
  (each) => each.nodes.map((node) => [each.id, node.html.slice(0, 160), node.any[0]?.message ?? ""].join(": "))))"""

# Wait for the new colours and layout, and finish running animations.
FINISH_ANIMATIONS = """async () => {
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  for (const each of document.getAnimations()) {
    if (each.effect.getComputedTiming().endTime < Infinity) each.finish();
  }
}"""


def find_violations(page: Page) -> list[str]:
    """Return the violations on the page as it is. The test injects axe, so the context must bypass the CSP."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return list(page.evaluate(RUN_AXE))


def find_violations_in_theme(page: Page, theme: Theme) -> list[str]:
    """Return the violations in one theme at the current width."""
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.evaluate(FINISH_ANIMATIONS)
    return [f"{theme}: {line}" for line in find_violations(page)]


def find_violations_at(page: Page, width: int, theme: Theme) -> list[str]:
    """Return the violations in one theme at one width, which the page keeps."""
    page.set_viewport_size({"width": width, "height": 844})
    return [f"{width} px, {line}" for line in find_violations_in_theme(page, theme)]


def find_all_violations(page: Page) -> list[str]:
    """Return the violations in both themes at both widths; the page keeps the width of a phone."""
    return [
        line
        for width in reversed(WIDTHS)
        for theme in THEMES
        for line in find_violations_at(page, width, theme)
    ]
