// The dialog that asks before something that can't be taken back.

import { el } from "./dom.js";
import { t } from "./i18n.js";
import { openModal } from "./modal.js";

/**
 * Ask, and resolve to whether the person agreed. The safe button has the focus; Escape means no.
 * @param {string} question Says what will happen.
 * @param {string} yes
 * @returns {Promise<boolean>}
 */
export function confirmAction(question, yes) {
  return new Promise((resolve) => {
    const dialog = el(
      "dialog",
      { class: "confirm", "aria-labelledby": "confirm-words" },
      el("p", { id: "confirm-words" }, question),
      el(
        "form",
        { method: "dialog", class: "confirm-buttons" },
        el("button", { class: "button", value: "no", autofocus: true }, t("No")),
        el("button", { class: "button button-bad", value: "yes" }, yes),
      ),
    );
    if (!openModal(dialog)) resolve(false);
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
  });
}
