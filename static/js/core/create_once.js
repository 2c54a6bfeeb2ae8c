// Creating a table exactly once: the request carries an idempotency key, and a retry repeats the key.

/** @import {RefusedError} from "./api.js" */

import { post } from "./api.js";
import { randomHex } from "./random.js";

/** @type {string | null} */
let key = null;
let lastRequest = "";

/**
 * Post a request to create a table. A repeat of an unanswered request (connection lost, server error) uses the same key.
 * @param {string} path
 * @param {unknown} body
 */
export async function createOnce(path, body) {
  const request = JSON.stringify([path, body]);
  if (request !== lastRequest) key = null;
  lastRequest = request;
  key ??= randomHex();
  try {
    const table = await post(path, body, { "Idempotency-Key": key });
    key = null;
    return table;
  } catch (problem) {
    const { status } = /** @type {RefusedError} */ (problem);
    // The server refused, so no table was created.
    if (status > 0 && status < 500) key = null;
    throw problem;
  }
}

/**
 * Enable a button that was disabled while it was busy, and give back the focus that disabling removed.
 * @param {HTMLButtonElement} button
 */
export function releaseButton(button) {
  button.removeAttribute("aria-busy");
  button.disabled = false;
  if (document.activeElement === document.body) button.focus();
}

/**
 * Run `work` with the button disabled. On success it stays disabled until the next page has loaded.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<unknown>} work
 */
export async function withBusyButton(button, work) {
  if (button.disabled) return;
  button.disabled = true;
  button.setAttribute("aria-busy", "true");
  // The person navigated back to this page.
  addEventListener("pageshow", ({ persisted }) => persisted && releaseButton(button));
  try {
    await work();
  } catch (problem) {
    releaseButton(button);
    throw problem;
  }
}
