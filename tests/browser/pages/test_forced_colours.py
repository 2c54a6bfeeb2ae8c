"""Forced colours and print: selected, spent, playable and current elements stay distinguishable."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.game_server import SHORT, Player, begin, move_via_api
from tests.browser.pages.page_paths import visit

# What distinguishes an element when colours are forced: its computed background, borders and outline.
APPEARANCE = """(node, pseudo) => {
  const style = getComputedStyle(node, pseudo || null);
  const edge = (side) => [style[`border${side}Color`], style[`border${side}Width`], style[`border${side}Style`]];
  const outline = style.outlineStyle === "none" ? "none" : [style.outlineColor, style.outlineWidth];
  return JSON.stringify([style.backgroundColor, edge("Top"), edge("Bottom"), edge("Left"), outline]);
}"""


def appearance_of(page: Page, selector: str, pseudo: str = "") -> str:
    return str(page.locator(selector).first.evaluate(APPEARANCE, pseudo))


def test_selected_option_and_current_page_are_distinguishable(person: Callable[..., Player]) -> None:
    ann = person("Ann", forced_colors="active")
    visit(ann, "/rules")
    assert appearance_of(ann.page, ".places a[aria-current]") != appearance_of(
        ann.page, ".places a:not([aria-current])"
    )
    assert appearance_of(ann.page, ".book-index a[aria-current]") != appearance_of(
        ann.page, ".book-index li a:not([aria-current])"
    )
    visit(ann, "/new")
    chosen = ".segments input:checked:enabled + span"
    assert appearance_of(ann.page, chosen) != appearance_of(
        ann.page, ".segments input:not(:checked):enabled + span"
    )


def test_spent_actions_and_playable_cards_are_distinguishable(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", forced_colors="active"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0})
    assert move_via_api(ann)
    ann.open(game)
    expect(ann.page.locator(".hand-card.playable").first).to_be_visible()
    assert appearance_of(ann.page, ".pip.taken") != appearance_of(ann.page, ".pip:not(.taken)")
    assert appearance_of(ann.page, "[role=tab][aria-selected=true]") != appearance_of(
        ann.page, "[role=tab][aria-selected=false]"
    )
    playable = ann.page.locator(".hand-card.playable").first
    lit = appearance_of(ann.page, ".hand-card.playable .card")
    sign = appearance_of(ann.page, ".hand-card.playable .stack", "::after")
    plain = playable.evaluate(
        f"""(node) => {{
          node.classList.remove("playable");
          const look = ({APPEARANCE})(node.querySelector(".card"));
          node.classList.add("playable");
          return look;
        }}"""
    )
    assert lit != plain
    assert sign != appearance_of(ann.page, ".bench"), "the bar below the card is not of the bench's colour"


def test_printed_rules_show_every_board_in_full(person: Callable[..., Player]) -> None:
    ann = person("Ann")
    visit(ann, "/rules")
    boards = ann.page.locator("[data-demo-board]")
    assert boards.count() == 3
    ann.page.emulate_media(media="print")
    for board in boards.all():
        expect(board.locator(".tile").first).to_be_visible()
        expect(board.locator(".figure").first).to_be_visible()
    expect(ann.page.locator("[data-demo-play]").first).to_be_hidden()


def test_dark_page_is_printed_in_light_colours(person: Callable[..., Player]) -> None:
    ann = person("Ann", color_scheme="dark")
    visit(ann, "/rules")
    ink = "() => getComputedStyle(document.body).color"
    by_lantern = ann.page.evaluate(ink)
    ann.page.emulate_media(media="print")
    assert ann.page.evaluate(ink) == "rgb(42, 28, 16)" != by_lantern
