// Redeems a one-time code from another device. The code is removed from the address at once, so the API module, which
// waits for the catalogue, is loaded only on click.
import { find } from "../core/dom.js";

const page = find("[data-resume]");
const { code } = page.dataset;
history.replaceState(null, "", "/resume");

find("[data-take]", page).addEventListener("click", async (event) => {
  /** @type {HTMLElement} */ (event.currentTarget).setAttribute("aria-busy", "true");
  const { post, RefusedError } = await import("../core/api.js");
  try {
    const { room } = await post("/resume", { code });
    location.replace(room ? `/g/${encodeURIComponent(room)}` : "/me");
  } catch (problem) {
    if (!(problem instanceof RefusedError)) throw problem;
    find("[data-said]", page).textContent = problem.message;
    find("[data-take]", page).removeAttribute("aria-busy");
  }
});
