// Making elements: the one place that touches createElement, so that text is always text.

const SVG = "http://www.w3.org/2000/svg";
const icons = new URL("../../icons/", import.meta.url).pathname;

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** el("button", {class: "quiet", onclick: f}, "Text", child) */
export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

/** The same for SVG. */
export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

/** A <use> of one of our sprites: use("symbols", "symbol-key", {x, y, width, height}). */
export const use = (sheet, id, attributes = {}) => svg("use", { href: `${icons}${sheet}.svg#${id}`, ...attributes });

export const iconUrl = (name) => icons + name;

/** A decorative icon for HTML; its meaning must stand beside it in words. */
export function icon(sheet, id, cls = "icon") {
  return svg("svg", { class: cls, "aria-hidden": "true", focusable: "false" }, use(sheet, id));
}

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
  const text = svg("text", { x: 20, y: look === 2 ? 46.5 : 45.8, class: "badge-letter" });
  text.textContent = letter;
  return [use("pirates", `pirate-${look}`, { x: 0, y: -4, width: 40, height: 60 }), badge, text];
}

export const clear = (node) => node.replaceChildren();

/**
 * Keep a parent's children in step with a list without making them anew, so that focus and motion survive.
 * keyed(parent, items, keyOf, make, update): make(item) -> element, update(element, item).
 */
export function keyed(parent, items, keyOf, make, update) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let at = parent.firstElementChild;
  for (const item of items) {
    const key = String(keyOf(item));
    let child = old.get(key);
    if (child) old.delete(key);
    else {
      child = make(item);
      child.dataset.key = key;
    }
    update(child, item);
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
  for (const child of old.values()) child.remove();
}
