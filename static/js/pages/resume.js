// A one-time code from another device: exchanged by a click, then gone from the address.
// Asking is loaded with the click: what it needs (the catalogue) must not keep the code in the address meanwhile.
import { find } from "../core/dom.js";

const page = find("[data-resume]");
const { code } = page.dataset;
history.replaceState(null, "", "/resume");

find("[data-take]", page).addEventListener("click", async (event) => {
  event.currentTarget.setAttribute("aria-busy", "true");
  const { post, Refused } = await import("../core/api.js");
  try {
    const { room } = await post("/resume", { code });
    location.replace(room ? `/g/${encodeURIComponent(room)}` : "/me");
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    find("[data-said]", page).textContent = problem.message;
    find("[data-take]", page).removeAttribute("aria-busy");
  }
});
