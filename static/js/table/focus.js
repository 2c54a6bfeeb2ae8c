// Keeps the keyboard focus on the table: if the focused element disappears, the most likely next one gets the focus.

/** @import {Card, StateStore} from "../core/types.d.ts" */

import { findAll } from "../core/dom.js";

/** @param {Element | null | undefined} node */
const isFocusable = (node) =>
  Boolean(node?.isConnected && !(/** @type {HTMLButtonElement} */ (node).disabled) && node.checkVisibility());

/**
 * FocusKeeper(root, store): create it after the parts, so that it runs after they have been redrawn. It acts only if the
 * last focused element of the table is gone and nothing else has the focus.
 * @param {HTMLElement} root
 * @param {StateStore} store
 */
export function FocusKeeper(root, store) {
  /** @type {Element | null} */
  let lastFocused = null;
  // Whether it has been hidden or removed since. It may come back after the answer to an action.
  let isLost = false;
  // The card that was selected last.
  /** @type {Card | null} */
  let lastCard = null;

  /** @param {string} selector */
  const first = (selector) => findAll(selector, root).find(isFocusable);

  /** Elements that may get the focus, the best first. */
  function* candidates() {
    if (isFocusable(lastFocused)) yield lastFocused;
    if (lastFocused?.closest(".table-menu")) yield first(".table-menu > summary");
    if (store.state.choices.length) {
      yield first(".choice");
      // "quiet" means that other actions are possible.
      yield first(".end-turn:not(.quiet)");
      if (lastCard) yield first(`.hand-card.playable[data-card="${lastCard}"]`);
      yield first(".hand-card.playable");
      yield first('.place[tabindex="0"]');
    }
    yield first(".ending [tabindex]:not(h2)");
    yield first(".tray");
    yield document.getElementById("main");
  }

  function restoreFocus() {
    const now = document.activeElement;
    if (!lastFocused) return;
    isLost ||= !isFocusable(lastFocused);
    if (store.state.isWaiting || !isLost) return;
    isLost = false;
    if (now && now !== document.body && isFocusable(now)) return;
    for (const node of candidates()) {
      if (!node) continue;
      /** @type {HTMLElement} */ (node).focus({ preventScroll: true });
      return;
    }
  }

  root.addEventListener("focusin", ({ target }) => {
    lastFocused = /** @type {Element} */ (target);
    isLost = false;
  });
  // A click in a menu closes it after this event.
  root.addEventListener("click", () => setTimeout(restoreFocus));
  document.addEventListener(
    "close",
    () =>
      setTimeout(() => {
        if (lastFocused) restoreFocus();
        else if (document.activeElement === document.body)
          document.getElementById("main")?.focus({ preventScroll: true });
      }),
    true,
  );
  store.subscribe(["selection"], (_, before) => {
    lastCard = before.selection.card ?? lastCard;
  });
  store.subscribe(
    ["view", "choices", "undo", "selection", "candidates", "isWaiting", "table", "past"],
    restoreFocus,
  );
}
