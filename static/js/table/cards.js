// A card as it lies on the table: parchment with an ink frame, its symbol large in the middle; dark ones inverted.

import { el, icon, symbolIcon } from "../core/dom.js";
import { cardName } from "../core/names.js";

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

/** Hands are shown by kind: [["key", 3], ["key*", 1], …] in the hand's own order. */
export function byKind(cards) {
  const counts = new Map();
  for (const card of cards) counts.set(card, (counts.get(card) ?? 0) + 1);
  return [...counts];
}

/** A small card with its word, for lists of what may be done. */
export const cardTag = (card) => el("span", { class: "card-tag" }, cardFace(card, "tiny"), cardName(card));
