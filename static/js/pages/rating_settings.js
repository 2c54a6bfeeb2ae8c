// The switches for ratings on the account page. Each change is saved at once.

/** @import {RatingSettings} from "../core/types.d.ts" */

import { get, post, RefusedError } from "../core/api.js";
import { find, findAll } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { showSuccess, submitForm } from "./forms.js";

/**
 * Fill the switches and save what the person changes. A refused change is taken back.
 * @param {HTMLElement} section
 */
export async function initRatingSettings(section) {
  const switches = /** @type {HTMLInputElement[]} */ (findAll("input", section));
  const said = find("[data-said]", section);
  /** @type {RatingSettings} */
  let saved = { hides_ratings: false, withheld: false };
  // Changes are saved one after the other, so that the last one wins.
  let saving = Promise.resolve();

  function show() {
    for (const each of switches) each.checked = saved[/** @type {keyof RatingSettings} */ (each.name)];
  }

  /** @param {Partial<RatingSettings>} change */
  async function save(change) {
    await submitForm(said, async () => {
      saved = await post("/me/ratings", { ...saved, ...change });
      showSuccess(said, t("Saved."));
    });
    show();
  }

  try {
    saved = await get("/me/ratings");
  } catch (problem) {
    if (!(problem instanceof RefusedError)) throw problem;
    said.textContent = problem.message;
    return;
  }
  show();
  for (const each of switches) {
    each.disabled = false;
    each.addEventListener("change", () => {
      const change = { [each.name]: each.checked };
      saving = saving.then(() => save(change));
    });
  }
}
