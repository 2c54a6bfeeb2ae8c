// Building elements: text goes in as text, never as markup.

/** el("a.button", {href}, "text", child…): an element with classes, attributes and children. */
export function el(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** Replace all children at once. */
export function put(parent, ...children) {
  parent.replaceChildren(...children.filter(Boolean));
}

export const find = (selector, root = document) => root.querySelector(selector);
export const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

/** What a page was given by the server, from its <script type="application/json">. */
export function given(id) {
  const block = document.getElementById(id);
  return block ? JSON.parse(block.textContent) : null;
}

/** 32 lower-case hex digits of real chance: an id for a command. */
export function randomHex(bytes = 16) {
  const numbers = crypto.getRandomValues(new Uint8Array(bytes));
  return [...numbers].map((n) => n.toString(16).padStart(2, "0")).join("");
}
