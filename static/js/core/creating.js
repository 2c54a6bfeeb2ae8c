// One press, one table: a request to open one carries a key, and the server answers the same key with the same table.
import { post } from "./api.js";
import { randomHex } from "./random.js";

let key = null;
let asked = "";

/** Post it. What was not answered (the line was cut, the server in trouble) and is asked for again has the same key. */
export async function createOnce(path, body) {
  const wanted = JSON.stringify([path, body]);
  if (wanted !== asked) key = null;
  asked = wanted;
  key ??= randomHex();
  try {
    const table = await post(path, body, { "Idempotency-Key": key });
    key = null;
    return table;
  } catch (problem) {
    if (problem.status > 0 && problem.status < 500) key = null; // refused, so there is no table
    throw problem;
  }
}

/**
 * Do what a button asks for, once: it cannot be pressed again while it is under way, nor while the page it leads to is
 * being loaded.
 */
export async function pressed(button, work) {
  if (button.disabled) return;
  const release = () => {
    button.removeAttribute("aria-busy");
    button.disabled = false;
  };
  button.disabled = true;
  button.setAttribute("aria-busy", "true");
  addEventListener("pageshow", ({ persisted }) => persisted && release()); // they have come back
  try {
    await work();
  } catch (problem) {
    release();
    throw problem;
  }
}
