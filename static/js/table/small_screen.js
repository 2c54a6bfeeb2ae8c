// The layout of small screens: the map takes the remaining height, and highlighted places are scrolled into view.

/** @import {State, View} from "../core/types.d.ts" */

import { canAnimate } from "../board/animate.js";
import { heightForTile } from "../board/layout.js";
import { el, find } from "../core/dom.js";

// Smaller tiles are hard to hit with a thumb, so the map grows beyond the screen instead.
const MIN_TILE_PX = 36;
const MIN_MAP_PX = 180;
// A change of height up to this comes from the browser's own bars.
const BROWSER_BAR_PX = 130;

/**
 * SmallScreen({root, main, map, banners, bench, ending, hand, tray, owed, supply, talk, side}) ->
 *   {arrange(state), scrollToLit()}
 * Wide screens have everything beside the map. Others have one column, or two on a phone in landscape.
 * @param {Record<"root" | "main" | "map" | "banners" | "bench" | "ending" | "hand" | "tray" | "owed" | "supply" | "talk" | "side", HTMLElement>} parts
 */
export function SmallScreen({
  root,
  main,
  map,
  banners,
  bench,
  ending,
  hand,
  tray,
  owed,
  supply,
  talk,
  side,
}) {
  // As high as the bench of a running game.
  const benchProbe = el("div", { class: "bench-height", "aria-hidden": "true" });
  root.append(benchProbe);
  const isWide = matchMedia("(min-width: 62rem)");
  const isLandscape = matchMedia("(max-height: 32rem) and (min-width: 36rem) and (max-width: 61.99rem)");
  // For example at 400 % zoom.
  const isZoomed = matchMedia("(max-width: 35.99rem) and (max-height: 26rem)");
  const isTouch = matchMedia("(pointer: coarse)");
  /** @type {View | null} */
  let view = null;
  let height = 0;
  let screen = { width: 0, height: 0 };

  /** Return the height of the screen, ignoring the address bar of a phone, which comes and goes while scrolling. */
  function screenHeight() {
    const isBar =
      isTouch.matches &&
      innerWidth === screen.width &&
      Math.abs(innerHeight - screen.height) < BROWSER_BAR_PX;
    if (!isBar) screen = { width: innerWidth, height: innerHeight };
    return screen.height;
  }

  /** Put the elements of the bench into their visual order, so that Tab follows it. */
  function orderBench() {
    const order =
      isWide.matches || document.body.matches(".hand-layout") ? [hand, tray, owed] : [owed, tray, hand];
    if (order[0].compareDocumentPosition(order[2]) & Node.DOCUMENT_POSITION_PRECEDING) bench.append(...order);
  }

  /**
   * Put banners where they do not move the map: above the log on wide screens, otherwise over the bench. Before the game
   * they have a line of their own.
   */
  function placeBanners() {
    if (root.dataset.phase === "before") {
      if (banners.parentElement !== main) main.prepend(banners);
    } else if (isWide.matches) {
      if (banners.parentElement !== side) talk.before(banners);
    } else if (banners.parentElement !== bench) bench.prepend(banners);
  }

  /** Put deck and discards beside the hand if space is short. An open row needs a line of its own. */
  function placeSupply() {
    const isColumn = !isWide.matches && !isLandscape.matches && !isZoomed.matches;
    const beside = isColumn && root.dataset.phase !== "before" && view?.options.supply !== "row";
    const home = beside ? bench : side;
    if (supply.parentElement === home) return;
    if (beside) bench.append(supply);
    else side.insertBefore(supply, talk);
  }

  /** Return the height left for the map, in pixels. */
  function measureMap() {
    if (!view || map.hidden) return 0;
    const room = { width: map.clientWidth || 360, height: MIN_MAP_PX };
    const gapPx = 6;
    if (isLandscape.matches) room.height = screenHeight() - 2 * gapPx;
    else {
      const above = map.getBoundingClientRect().top - root.getBoundingClientRect().top;
      const header = root.getBoundingClientRect().top + scrollY;
      // The end card is higher than the bench; the map keeps its size.
      const below = ending.hidden ? bench.offsetHeight : benchProbe.offsetHeight;
      room.height = screenHeight() - header - above - (bench.hidden ? 0 : below) - gapPx;
    }
    return Math.round(
      heightForTile(view.options, { ...room, height: Math.max(MIN_MAP_PX, room.height) }, MIN_TILE_PX),
    );
  }

  function arrange() {
    orderBench();
    placeBanners();
    placeSupply();
    root.classList.toggle("beside", supply.parentElement === bench);
    const next = isWide.matches ? 0 : measureMap();
    if (next === height) return;
    height = next;
    if (next) map.style.setProperty("--map-height", `${next}px`);
    else map.style.removeProperty("--map-height");
  }

  const resizeObserver = new ResizeObserver(() => requestAnimationFrame(arrange));
  for (const part of [root, bench, supply, ...root.querySelectorAll(".status, .seats, .banners")])
    resizeObserver.observe(part);
  addEventListener("resize", arrange);

  /** Scroll highlighted places into view between the status bar and the bench. */
  function scrollToLit() {
    if (isWide.matches || isLandscape.matches || !view) return;
    const top = Math.max(0, find(".status", root).getBoundingClientRect().bottom);
    const bottom = bench.getBoundingClientRect().top;
    const whole = map.getBoundingClientRect();
    if (whole.top >= top - 4 && whole.bottom <= bottom + 4) return;
    const chosen = [...map.querySelectorAll(".is-target, .is-selected")];
    const lit = chosen.length ? chosen : [...map.querySelectorAll(".is-source")];
    if (!lit.length) return;
    const boxes = lit.map((group) => group.getBoundingClientRect());
    // Include the label above a place.
    const first = Math.min(...boxes.map((box) => box.top)) - 30;
    const last = Math.max(...boxes.map((box) => box.bottom));
    if (first >= top && last <= bottom) return;
    const by = last - first > bottom - top || first < top ? first - top - 8 : last - bottom + 8;
    scrollBy({ top: by, behavior: canAnimate() ? "smooth" : "auto" });
  }

  return {
    /** @param {State} state */
    arrange(state) {
      view = state.view;
      arrange();
    },
    scrollToLit,
  };
}
