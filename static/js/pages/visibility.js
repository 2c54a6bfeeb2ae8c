// The switches of what friends may see (templates/parts/visibility.html). They are saved at once.

/** @import {Visibility} from "../core/types.d.ts" */

import { put } from "../core/api.js";
import { find } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { showSuccess, submitForm } from "./forms.js";

/**
 * Show the stored choice, and save every change.
 * @param {ParentNode} page
 * @param {Visibility} stored
 */
export function initVisibility(page, stored) {
  /** @type {HTMLFieldSetElement} */
  const fieldset = find("[data-visibility]", page);
  const message = find("[data-said]", fieldset);
  /** @param {keyof Visibility} name */
  const field = (name) => /** @type {HTMLInputElement} */ (find(`[name="${name}"]`, fieldset));
  let shown = stored;

  /** @param {Visibility} visibility */
  function show(visibility) {
    shown = visibility;
    field("online").checked = visibility.online;
    field("seen").checked = visibility.seen;
  }

  let isSaving = false;
  let isChanged = false;

  /** Save one choice at a time, the last one at the end: two at once could be stored in the wrong order. */
  async function save() {
    isChanged = true;
    if (isSaving) return;
    isSaving = true;
    try {
      while (isChanged) {
        isChanged = false;
        const wanted = { online: field("online").checked, seen: field("seen").checked };
        await submitForm(message, async () => {
          shown = await put("/me/visibility", wanted);
          showSuccess(message, t("Saved."));
        });
      }
    } finally {
      isSaving = false;
      show(shown); // as before, if it was refused
    }
  }

  show(stored);
  fieldset.disabled = false;
  fieldset.addEventListener("change", save);
}
