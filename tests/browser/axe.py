"""axe in a page: what it finds by day and by lantern, on a screen and on a phone, with one loading."""

from __future__ import annotations

from typing import Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

Theme = Literal["light", "dark"]

WIDTHS = (390, 1280)
THEMES: tuple[Theme, ...] = ("light", "dark")
# Each width and each theme once, where there is no time for all four; those are in tests/soak.
PAIRS: tuple[tuple[int, Theme], ...] = ((1280, "light"), (390, "dark"))

# Only what is wrong comes back: carrying all that is right out of the page takes longer than finding it.
ASK = """() => axe.run({resultTypes: ["violations"]}).then(({violations}) => violations.flatMap(
  (each) => each.nodes.map((node) => [each.id, node.html.slice(0, 160), node.any[0]?.message ?? ""].join(": "))))"""

# A colour that changes has to arrive, also where it takes no time; a page made narrower is laid out anew.
DRAWN = """async () => {
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  for (const each of document.getAnimations()) {
    if (each.effect.getComputedTiming().endTime < Infinity) each.finish();
  }
}"""


def faults_of(page: Page) -> list[str]:
    """What axe finds as the page is now. axe is put in by the test: the context must bypass the policy."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return list(page.evaluate(ASK))


def faults_by(page: Page, theme: Theme) -> list[str]:
    """In one theme, as wide as the page is."""
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.evaluate(DRAWN)
    return [f"{theme}: {line}" for line in faults_of(page)]


def faults_on(page: Page, width: int, theme: Theme) -> list[str]:
    """In one theme at one width, which the page keeps."""
    page.set_viewport_size({"width": width, "height": 844})
    return [f"{width} px, {line}" for line in faults_by(page, theme)]


def faults_everywhere(page: Page) -> list[str]:
    """Both themes at both widths; the page is left as wide as a phone."""
    return [line for width in reversed(WIDTHS) for theme in THEMES for line in faults_on(page, width, theme)]
