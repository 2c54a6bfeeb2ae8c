// Creating and finding elements. Only this file calls createElement, so text can never become markup.

/** @import {Attributes, Child, ElementOf} from "./types.d.ts" */

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * @template T
 * @param {T | null | undefined | false | 0} child
 * @returns {child is T}
 */
const isPresent = (child) => child !== null && child !== undefined && child !== false;

/**
 * @template {Element} E
 * @param {E} node
 * @param {Attributes} attributes
 * @param {Child[]} children
 * @returns {E}
 */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (!isPresent(value)) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter(isPresent));
  return node;
}

/**
 * Create an element: el("button.quiet", {type: "button", onclick: f}, "Text", child). Classes may follow the tag.
 * @template {string} T
 * @param {T} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {ElementOf<T>}
 */
export function el(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = /** @type {ElementOf<T>} */ (document.createElement(tag));
  if (classes.length) node.className = classes.join(" ");
  return fill(node, attributes, children);
}

/**
 * Create an SVG element. Unlike `el` it takes no classes in the tag.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 */
export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);

/**
 * Replace all children of an element.
 * @param {Element} parent
 * @param {...Child} children
 */
export const setChildren = (parent, ...children) => parent.replaceChildren(...children.filter(isPresent));

/**
 * Return the first match, cast to the type that the caller expects. If the element may be missing, the caller must test
 * the result.
 * @template {Element} [E=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {E}
 */
export const find = (selector, root = document) => /** @type {E} */ (root.querySelector(selector));
/**
 * Return the element at which an event happened.
 * @param {Event} event
 */
export const targetOf = (event) => /** @type {HTMLElement} */ (event.target);

/**
 * Return the fields of a form by name.
 * @param {HTMLFormElement} form
 */
export const namedFields = (form) =>
  /** @type {Record<string, HTMLInputElement>} */ (/** @type {unknown} */ (form.elements));

/**
 * Return all matches, cast to the type that the caller expects.
 * @template {Element} [E=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {E[]}
 */
export const findAll = (selector, root = document) =>
  /** @type {E[]} */ ([...root.querySelectorAll(selector)]);

/** @type {Record<string, Promise<unknown>>} */
const stylesheets = {};

/**
 * Load a rarely needed style sheet once. Resolves on failure, too: what it styles must be usable without it.
 * @param {string} name
 */
export function loadStylesheet(name) {
  stylesheets[name] ??= new Promise((done) => {
    const href = new URL(`../../css/${name}.css`, import.meta.url).pathname;
    const link = el("link", { rel: "stylesheet", href, onload: done, onerror: retryLater });
    // The page works without it; the next call tries again.
    function retryLater() {
      delete stylesheets[name];
      link.remove();
      done(undefined);
    }
    document.head.append(link);
  });
  return stylesheets[name];
}

/**
 * Parse the <script type="application/json"> with this id; null if the page has none.
 * @param {string} id
 */
export function readJsonBlock(id) {
  const block = document.getElementById(id);
  return block ? JSON.parse(block.textContent) : null;
}

/**
 * Update a parent's children to match a list, reusing elements by key so that focus and animations survive.
 * `make(item)` creates an element, `update(element, item)` is called for every item.
 * @template T
 * @param {HTMLElement} parent
 * @param {readonly T[]} items
 * @param {(item: T) => string | number} keyOf
 * @param {(item: T) => HTMLElement} make
 * @param {(element: HTMLElement, item: T) => void} update
 */
export function updateKeyed(parent, items, keyOf, make, update) {
  const children = /** @type {HTMLElement[]} */ ([...parent.children]);
  const old = new Map(children.map((child) => [child.dataset.key, child]));
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
