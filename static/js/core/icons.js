// Pictures out of the sprite files in static/icons: symbols, signs and pirates.

import { svg } from "./dom.js";

const folder = new URL("../../icons/", import.meta.url).pathname;

export const iconUrl = (name) => folder + name;

/** A <use> of one of our sprites: use("symbols", "symbol-key", {x, y, width, height}). */
export const use = (sheet, id, attributes = {}) => svg("use", { href: `${folder}${sheet}.svg#${id}`, ...attributes });

/** A decorative icon for HTML; its meaning must stand beside it in words. */
export const icon = (sheet, id, cls = "icon") =>
  svg("svg", { class: cls, "aria-hidden": "true", focusable: "false" }, use(sheet, id));

export const symbolIcon = (card, cls = "icon") => icon("symbols", `symbol-${card.replace("*", "")}`, cls);

/** A pirate with badge and letter, as an <svg> for HTML. `look` is 0-4: red, blue, yellow, green, violet. */
export function pirateIcon(look, letter, cls = "pirate") {
  return svg(
    "svg",
    { class: `${cls} look-${look}`, viewBox: "0 -4 40 60", "aria-hidden": "true", focusable: "false" },
    ...pirateParts(look, letter),
  );
}

const BADGE = [
  [9.5, 30, 21],
  [9.5, 30, 21],
  [8, 27, 24],
  [9, 29, 22],
  [7, 27, 26],
];

/** The drawing of a pirate, 40 x 60, feet at (20, 56). */
export function pirateParts(look, letter) {
  const [x, y, size] = BADGE[look];
  const badge = use("pirates", `shape-${look}`, { x, y, width: size, height: size, class: "badge" });
  const text = svg("text", { x: 20, y: look === 2 ? 46.5 : 45.8, class: "badge-letter" }, letter);
  return [use("pirates", `pirate-${look}`, { x: 0, y: -4, width: 40, height: 60 }), badge, text];
}
