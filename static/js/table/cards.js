// A card as it lies on the table: parchment with an ink frame, its symbol large in the middle; dark ones inverted.

import { el } from "../core/dom.js";
import { icon, symbolIcon } from "../core/icons.js";

/** The face of a card, without meaning to a screen reader (its holder says the word). */
export function cardFace(card, cls = "") {
  const dark = card.endsWith("*") ? " dark" : "";
  return el(
    "span",
    { class: `card${dark} ${cls}`, "aria-hidden": "true" },
    symbolIcon(card, "card-symbol"),
    symbolIcon(card, "card-corner"),
  );
}

export const cardBack = (cls = "") =>
  el("span", { class: `card back ${cls}`, "aria-hidden": "true" }, icon("ui", "ui-compass", "card-symbol"));
