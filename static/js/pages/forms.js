// Forms that answer on the spot: how it went is said beside the button.
import { Refused } from "../core/api.js";

/** Do a form's work, and say where it was refused. */
export async function attempt(message, work) {
  message.className = "field-said";
  message.textContent = "";
  try {
    await work();
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    message.classList.add("is-bad");
    message.textContent = problem.message;
  }
}

export function succeed(message, text) {
  message.classList.add("is-good");
  message.textContent = text;
}
