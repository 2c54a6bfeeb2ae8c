// Opens the explanation of a card, space, plate or sign: press and hold, right-click or the menu key, or "?" on the
// keyboard. The explanations are loaded on first use.

import { targetOf } from "../core/dom.js";

const HOLD_MS = 500;
const MAX_MOVE_PX = 8;
const EXPLAINED =
  ".hand-card, [data-face], .board [data-place], .plate, .pile, .row, .pips, .watching, [data-explains]";

/**
 * Return the element around a node that has an explanation.
 * @param {Element | null} node
 */
export const explainedElement = (node) => node?.closest(EXPLAINED) ?? null;

/**
 * @param {HTMLElement} root
 * @param {(element: Element) => void} explain
 */
export function installExplanations(root, explain) {
  let timer = 0;
  // The click and the browser's menu that end a long press mean nothing.
  let isHeld = false;
  const stop = () => clearTimeout(timer);

  root.addEventListener("pointerdown", (down) => {
    isHeld = false;
    stop();
    const element = explainedElement(targetOf(down));
    if (!element || down.pointerType === "mouse") return;
    /** @param {PointerEvent} event */
    const move = (event) =>
      Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > MAX_MOVE_PX && end();
    function end() {
      stop();
      removeEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel", "scroll"]) removeEventListener(name, end);
    }
    addEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel", "scroll"]) addEventListener(name, end);
    timer = setTimeout(() => {
      end();
      isHeld = true;
      explain(element);
    }, HOLD_MS);
  });
  root.addEventListener("contextmenu", (event) => {
    const element = explainedElement(targetOf(event));
    if (!element) return;
    event.preventDefault();
    stop();
    if (!isHeld) explain(element);
    isHeld = /** @type {PointerEvent} */ (event).pointerType === "touch";
  });
  addEventListener(
    "click",
    (event) => {
      if (!isHeld) return;
      isHeld = false;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
}
