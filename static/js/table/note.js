// A line over the edge of the board beside the hand. It takes no space and no clicks.

import { el, find, findAll, loadStylesheet } from "../core/dom.js";

// Room for two lines.
const MIN_HEADER_PX = 40;

/**
 * Note(root) -> {show(text, ms), hide(), element}. Screen readers get the text by `announce`.
 * @param {HTMLElement} root
 * @param {string} [cls]
 */
export function Note(root, cls = "") {
  const element = el("p", { class: `why-note ${cls}`, "aria-hidden": "true", hidden: true });
  root.append(element);
  const styled = loadStylesheet("help");
  let timer = 0;
  function hide() {
    clearTimeout(timer);
    element.hidden = true;
  }
  // It would keep the place and the width of the other shape.
  addEventListener("resize", hide);
  return {
    element,
    hide,
    /**
     * @param {string} text
     * @param {number} ms
     */
    async show(text, ms) {
      await styled;
      clearTimeout(timer);
      const bench = find(".bench", root);
      const box = bench.getBoundingClientRect();
      const owed = find(".owed", bench);
      // A sheet stands where the line would; the hand below it cannot be used meanwhile.
      const isOverHand = !owed.hidden && innerWidth < 992;
      const bottom = box.height ? innerHeight - (isOverHand ? box.bottom : box.top) : 0;
      const clock = find(".own-clock:not([hidden])", bench);
      const header = document.querySelector(".top")?.getBoundingClientRect();
      // A lesson lies over the page's header if it can, so that it covers nothing of the game.
      const isAbove =
        cls === "lesson" &&
        innerWidth < 992 &&
        Number(header?.bottom) > MIN_HEADER_PX &&
        !find(".flash > .banner", root);
      element.style.left = `${(box.height ? box.left : 0) + 8}px`;
      const right = clock && innerWidth < 992 && !isOverHand ? clock.getBoundingClientRect().left : box.right;
      element.style.right = `${(box.height && !isAbove ? innerWidth - right : 0) + 8}px`;
      element.style.top = isAbove ? "2px" : "";
      element.style.bottom = isAbove ? "" : `${Math.min(Math.max(bottom, 0) + 6, innerHeight - 80)}px`;
      for (const other of findAll(".why-note", root)) other.hidden = true;
      element.textContent = text;
      element.hidden = false;
      timer = setTimeout(hide, ms);
    },
  };
}
