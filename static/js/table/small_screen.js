// Small screens: the map gets the height the screen leaves, and what is lit is kept in sight.

import { heightFor } from "../board/layout.js";
import { mayMove } from "../board/animate.js";

const LEAST_TILE = 36; // pixels: below this a thumb misses, so the map grows beyond the screen and the page scrolls
const LEAST_MAP = 180;
const BAR = 130; // pixels that a browser's own bars take and give back

/**
 * SmallScreen({root, map, bench, hand, tray, owed, supply, talk, side}) -> {arrange(state), follow()}
 * Wide: everything has its place beside the map. Else one column, or two on a phone that lies on its side.
 */
export function SmallScreen({ root, map, bench, hand, tray, owed, supply, talk, side }) {
  const isWide = matchMedia("(min-width: 62rem)");
  const isLandscape = matchMedia("(max-height: 32rem) and (min-width: 36rem) and (max-width: 61.99rem)");
  const isZoomed = matchMedia("(max-width: 35.99rem) and (max-height: 26rem)"); // as at 400 %
  const isTouch = matchMedia("(pointer: coarse)");
  let view = null;
  let height = 0;
  let screen = { width: 0, height: 0 };

  /** A phone's address bar comes and goes while one scrolls; the map does not change with it. */
  function screenHeight() {
    const isBar = isTouch.matches && innerWidth === screen.width && Math.abs(innerHeight - screen.height) < BAR;
    if (!isBar) screen = { width: innerWidth, height: innerHeight };
    return screen.height;
  }

  /** The bench in the order it has on screen, so that Tab follows the eye: on a desk the hand lies left of the tray. */
  function order() {
    const wanted = isWide.matches || document.body.matches(".hand-layout") ? [hand, tray, owed] : [owed, tray, hand];
    if (wanted[0].compareDocumentPosition(wanted[2]) & Node.DOCUMENT_POSITION_PRECEDING) bench.append(...wanted);
  }

  /** Deck and discards lie beside the hand where room is short; an open row needs a line of its own. */
  function place() {
    const isColumn = !isWide.matches && !isLandscape.matches && !isZoomed.matches;
    const beside = isColumn && root.dataset.phase === "running" && view?.options.supply !== "row";
    const home = beside ? bench : side;
    if (supply.parentElement === home) return;
    if (beside) bench.append(supply);
    else side.insertBefore(supply, talk);
  }

  /** The screen less what stands above the map and the bench below it. */
  function measure() {
    if (!view || map.hidden) return 0;
    const room = { width: map.clientWidth || 360, height: LEAST_MAP };
    const gap = 6;
    if (isLandscape.matches) room.height = screenHeight() - 2 * gap;
    else {
      const above = map.getBoundingClientRect().top - root.getBoundingClientRect().top;
      const header = root.getBoundingClientRect().top + scrollY;
      room.height = screenHeight() - header - above - (bench.hidden ? 0 : bench.offsetHeight) - gap;
    }
    return Math.round(heightFor(view.options, { ...room, height: Math.max(LEAST_MAP, room.height) }, LEAST_TILE));
  }

  function arrange() {
    order();
    place();
    root.classList.toggle("beside", supply.parentElement === bench);
    const next = isWide.matches ? 0 : measure();
    if (next === height) return;
    height = next;
    if (next) map.style.setProperty("--map-height", `${next}px`);
    else map.style.removeProperty("--map-height");
  }

  const watcher = new ResizeObserver(() => requestAnimationFrame(arrange));
  for (const part of [root, bench, supply, ...root.querySelectorAll(".status, .seats, .banners")]) watcher.observe(part);
  addEventListener("resize", arrange);

  /** Bring what is lit between the status line and the bench, if it is not there; never against a reader further down. */
  function follow() {
    if (isWide.matches || isLandscape.matches || !view) return;
    const top = Math.max(0, root.querySelector(".status").getBoundingClientRect().bottom);
    const bottom = bench.getBoundingClientRect().top;
    const whole = map.getBoundingClientRect();
    if (whole.top >= top - 4 && whole.bottom <= bottom + 4) return;
    const chosen = [...map.querySelectorAll(".is-target, .is-selected")];
    const lit = chosen.length ? chosen : [...map.querySelectorAll(".is-source")];
    if (!lit.length) return;
    const boxes = lit.map((group) => group.getBoundingClientRect());
    const first = Math.min(...boxes.map((box) => box.top)) - 30; // the sign above it too
    const last = Math.max(...boxes.map((box) => box.bottom));
    if (first >= top && last <= bottom) return;
    const by = last - first > bottom - top || first < top ? first - top - 8 : last - bottom + 8;
    scrollBy({ top: by, behavior: mayMove() ? "smooth" : "auto" });
  }

  return {
    arrange(state) {
      view = state.view;
      arrange();
    },
    follow,
  };
}
