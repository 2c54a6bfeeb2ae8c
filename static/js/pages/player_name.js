// The player's name. A guest gets one before the first table and may change it at any time.

/** @import {Person} from "../core/types.d.ts" */

import { get, post } from "../core/api.js";
import { find } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { showSuccess, submitForm } from "./forms.js";

const nameField = () => /** @type {HTMLInputElement | null} */ (document.getElementById("name"));

/**
 * Make sure that the session has a person, and save a name that was typed but not submitted.
 * @param {() => void} [onNewGuest] called after the session got a person
 */
export async function ensureName(onNewGuest = () => {}) {
  const typed = nameField()?.value.trim();
  const { person } = await get("/me");
  if (person && (!typed || typed === person.name)) return;
  showName((await post("/me", typed ? { name: typed } : {})).person);
  if (!person) onNewGuest();
}

/** @param {Person | null} me */
function showName(me) {
  const header = find(".who-name");
  if (header && me?.name) header.textContent = me.name;
  const input = nameField();
  if (input && me?.name) input.value = me.name;
}

/**
 * Set up a form with a name field. `message` shows the result.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} message
 * @param {() => void} [onNewGuest]
 */
export function initNameForm(form, message, onNewGuest) {
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    submitForm(message, async () => {
      await ensureName(onNewGuest);
      showSuccess(message, t("Saved."));
    });
  });
}
