"""Where the system forces its colours: what is chosen, spent, playable or current can still be told; and on paper."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.pages.places import visit
from tests.browser.table.house import SHORT, Player, begin, move_beside

# What tells an element apart where colours are forced: ground, edges and outline, as they are drawn.
LOOK = """(node, pseudo) => {
  const style = getComputedStyle(node, pseudo || null);
  const edge = (side) => [style[`border${side}Color`], style[`border${side}Width`], style[`border${side}Style`]];
  const outline = style.outlineStyle === "none" ? "none" : [style.outlineColor, style.outlineWidth];
  return JSON.stringify([style.backgroundColor, edge("Top"), edge("Bottom"), edge("Left"), outline]);
}"""


def look(page: Page, selector: str, pseudo: str = "") -> str:
    return str(page.locator(selector).first.evaluate(LOOK, pseudo))


def test_what_is_chosen_and_where_one_is_can_be_told_on_the_pages(person: Callable[..., Player]) -> None:
    ann = person("Ann", forced_colors="active")
    visit(ann, "/rules")
    assert look(ann.page, ".places a[aria-current]") != look(ann.page, ".places a:not([aria-current])")
    assert look(ann.page, ".book-index a[aria-current]") != look(
        ann.page, ".book-index li a:not([aria-current])"
    )
    visit(ann, "/new")
    chosen = ".segments input:checked:enabled + span"
    assert look(ann.page, chosen) != look(ann.page, ".segments input:not(:checked):enabled + span")


def test_spent_actions_and_playable_cards_can_be_told_at_the_table(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", forced_colors="active"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0})
    assert move_beside(ann)
    ann.open(game)
    expect(ann.page.locator(".hand-card.playable").first).to_be_visible()
    assert look(ann.page, ".pip.taken") != look(ann.page, ".pip:not(.taken)")
    assert look(ann.page, "[role=tab][aria-selected=true]") != look(
        ann.page, "[role=tab][aria-selected=false]"
    )
    playable = ann.page.locator(".hand-card.playable").first
    lit = look(ann.page, ".hand-card.playable .card")
    sign = look(ann.page, ".hand-card.playable .stack", "::after")
    plain = playable.evaluate(
        f"""(node) => {{
          node.classList.remove("playable");
          const look = ({LOOK})(node.querySelector(".card"));
          node.classList.add("playable");
          return look;
        }}"""
    )
    assert lit != plain
    assert sign != look(ann.page, ".bench"), "the bar below the card is not of the bench's colour"


def test_rules_on_paper_show_every_board_without_being_scrolled(person: Callable[..., Player]) -> None:
    ann = person("Ann")
    visit(ann, "/rules")
    boards = ann.page.locator("[data-demo-board]")
    assert boards.count() == 3
    ann.page.emulate_media(media="print")
    for board in boards.all():
        expect(board.locator(".tile").first).to_be_visible()
        expect(board.locator(".figure").first).to_be_visible()
    expect(ann.page.locator("[data-demo-play]").first).to_be_hidden()


def test_a_dark_page_is_printed_in_the_light_colours(person: Callable[..., Player]) -> None:
    ann = person("Ann", color_scheme="dark")
    visit(ann, "/rules")
    ink = "() => getComputedStyle(document.body).color"
    by_lantern = ann.page.evaluate(ink)
    ann.page.emulate_media(media="print")
    assert ann.page.evaluate(ink) == "rgb(42, 28, 16)" != by_lantern
