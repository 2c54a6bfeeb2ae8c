// Forms that show their result beside the button.
import { RefusedError } from "../core/api.js";

/**
 * Run a form's request and show its refusal in `message`.
 * @param {HTMLElement} message
 * @param {() => Promise<unknown>} work
 */
export async function submitForm(message, work) {
  message.className = "field-said";
  message.textContent = "";
  try {
    await work();
  } catch (problem) {
    if (!(problem instanceof RefusedError)) throw problem;
    message.classList.add("is-bad");
    message.textContent = problem.message;
  }
}

/**
 * @param {HTMLElement} message
 * @param {string} text
 */
export function showSuccess(message, text) {
  message.classList.add("is-good");
  message.textContent = text;
}
