// Making and finding elements: the one place that touches createElement, so that text is always text.

const SVG = "http://www.w3.org/2000/svg";

const isThere = (child) => child !== null && child !== undefined && child !== false;

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (!isThere(value)) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter(isThere));
  return node;
}

/** el("button.quiet", {type: "button", onclick: f}, "Text", child): the tag may carry classes. */
export function el(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  return fill(node, attributes, children);
}

/** The same for SVG, without classes in the tag. */
export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

/** Replace all children at once. */
export const put = (parent, ...children) => parent.replaceChildren(...children.filter(isThere));

export const find = (selector, root = document) => root.querySelector(selector);
export const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

/** A style sheet that few need, when it has come (or cannot: what it is for must be usable without). */
export function style(name) {
  return new Promise((done) => {
    const href = new URL(`../../css/${name}.css`, import.meta.url).pathname;
    document.head.append(el("link", { rel: "stylesheet", href, onload: done, onerror: done }));
  });
}

/** What a page was given by the server, from its <script type="application/json">. */
export function given(id) {
  const block = document.getElementById(id);
  return block ? JSON.parse(block.textContent) : null;
}

/**
 * Update a parent's children to a list without making them anew, so that focus and motion survive.
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
