// Opens the explanation of a card, space, plate or sign: press and hold, right-click or the menu key, or "?" on the
// keyboard. Loaded when the player first touches the page; the explanations themselves on first use.

import { targetOf } from "../core/dom.js";

const HOLD_MS = 500;
const MAX_MOVE_PX = 8;
const EXPLAINED =
  ".hand-card, [data-face], .board [data-place], .plate, .pile, .row, .pips, .watching, [data-explains]";

/**
 * Return the element around a node that has an explanation.
 * @param {Element | null} node
 */
const explainedElement = (node) => node?.closest(EXPLAINED) ?? null;

/**
 * Explanations(root, explain, held) -> {explainFocused()}; `held` is the press for which this module was
 * loaded, if it still lasts.
 * @param {HTMLElement} root
 * @param {(element: Element) => void} explain
 * @param {Event | null} held
 */
export function Explanations(root, explain, held) {
  let timer = 0;
  // The click and the browser's menu that end a long press mean nothing.
  let isHeld = false;
  const stop = () => clearTimeout(timer);

  /** @param {PointerEvent} down */
  function press(down) {
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
  }
  // Not only on the table: a long press may end without a click, and the next press be in a dialog.
  addEventListener("pointerdown", () => (isHeld = false), true);
  root.addEventListener("pointerdown", press);
  if (held) press(/** @type {PointerEvent} */ (held));
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

  return {
    /** Explain what has the focus. Return false if that has no explanation. */
    explainFocused() {
      const element = explainedElement(document.activeElement);
      if (element) explain(element);
      return element !== null;
    },
  };
}
