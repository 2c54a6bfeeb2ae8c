// Keeps the keyboard focus in a part of a page that is drawn anew.

import { findAll } from "./dom.js";

const FIELDS = "a[data-key], button[data-key]:not(:disabled), select[data-key]";

/**
 * Draw, and return the focus to the element with the same data-key within `root`. If that is gone, the nearest one
 * before it gets the focus, or else `root`.
 * @param {HTMLElement} root
 * @param {() => void} draw
 */
export function keepFocus(root, draw) {
  const before = findAll(FIELDS, root).map(({ dataset }) => dataset.key);
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const isWithin = focused && focused !== root && root.contains(focused);
  draw();
  if (!isWithin || (focused.isConnected && focused === document.activeElement)) return;
  const fields = findAll(FIELDS, root);
  const keys = before.slice(0, before.indexOf(focused.dataset.key) + 1).reverse();
  const next = keys.map((key) => fields.find(({ dataset }) => dataset.key === key)).find((field) => field);
  (next ?? root).focus({ preventScroll: true });
}
