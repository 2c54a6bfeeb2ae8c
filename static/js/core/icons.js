// Pictures from the sprite sheets in static/icons: symbols, signs and pirates.

/** @import {Attributes, Card} from "./types.d.ts" */

import { svg } from "./dom.js";

const ICON_FOLDER = new URL("../../icons/", import.meta.url).pathname;

/** @param {string} name */
export const iconUrl = (name) => ICON_FOLDER + name;

/**
 * Create a <use> of a sprite: sprite("symbols", "symbol-key", {x, y, width, height}).
 * @param {string} sheet
 * @param {string} id
 * @param {Attributes} [attributes]
 */
export const sprite = (sheet, id, attributes = {}) =>
  svg("use", { href: `${ICON_FOLDER}${sheet}.svg#${id}`, ...attributes });

/**
 * Create a decorative icon for HTML. Text beside it must carry the meaning.
 * @param {string} sheet
 * @param {string} id
 * @param {string} [cls]
 */
export const icon = (sheet, id, cls = "icon") =>
  svg("svg", { class: cls, "aria-hidden": "true", focusable: "false" }, sprite(sheet, id));

/**
 * @param {Card} card
 * @param {string} [cls]
 */
export const symbolIcon = (card, cls = "icon") => icon("symbols", `symbol-${card.replace("*", "")}`, cls);

/**
 * Create a pirate with badge and letter as an <svg>. `look` is 0–4: red, blue, yellow, green, violet.
 * @param {number} look
 * @param {string} letter
 * @param {string} [cls]
 */
export function pirateIcon(look, letter, cls = "pirate") {
  return svg(
    "svg",
    { class: `${cls} look-${look}`, viewBox: "0 -4 40 60", "aria-hidden": "true", focusable: "false" },
    ...pirateParts(look, letter),
  );
}

const BADGES = [
  [9.5, 30, 21],
  [9.5, 30, 21],
  [8, 27, 24],
  [9, 29, 22],
  [7, 27, 26],
];

/**
 * Create the elements of a pirate, 40 × 60 units with the feet at (20, 56).
 * @param {number} look
 * @param {string} letter
 */
export function pirateParts(look, letter) {
  const [x, y, size] = BADGES[look];
  const badge = sprite("pirates", `shape-${look}`, { x, y, width: size, height: size, class: "badge" });
  const text = svg("text", { x: 20, y: look === 2 ? 46.5 : 45.8, class: "badge-letter" }, letter);
  return [sprite("pirates", `pirate-${look}`, { x: 0, y: -4, width: 40, height: 60 }), badge, text];
}
