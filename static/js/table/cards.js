// Elements for cards, face up and face down.

/** @import {Card} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { icon, symbolIcon } from "../core/icons.js";

/**
 * Create the face of a card, hidden from screen readers; the element around it has the label.
 * @param {Card} card
 * @param {string} [cls]
 */
export function cardFace(card, cls = "") {
  const dark = card.endsWith("*") ? " dark" : "";
  return el(
    "span",
    { class: `card${dark} ${cls}`, "data-face": card, "aria-hidden": "true" },
    symbolIcon(card, "card-symbol"),
    symbolIcon(card, "card-corner"),
  );
}

export const cardBack = (cls = "") =>
  el("span", { class: `card back ${cls}`, "aria-hidden": "true" }, icon("ui", "ui-compass", "card-symbol"));
