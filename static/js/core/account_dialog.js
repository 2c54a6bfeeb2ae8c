// The dialog for a guest who wants to sit down at a rated table: a link to the account page, which leads back.

import { accountPath } from "./account_link.js";
import { el } from "./dom.js";
import { t } from "./i18n.js";
import { openModal } from "./modal.js";

/**
 * Open the dialog.
 * @param {string} [back] The address to come back to.
 */
export function openAccountDialog(back) {
  const dialog = el(
    "dialog",
    { class: "confirm", "aria-labelledby": "account-words" },
    el("p", { id: "account-words" }, t("This table is rated. Log in or create an account to sit down.")),
    el("p", {}, t("You come back here afterwards.")),
    el(
      "form",
      { method: "dialog", class: "confirm-buttons" },
      el("button", { class: "button" }, t("Not now")),
      el(
        "a",
        { class: "button button-main", href: accountPath(back), autofocus: true },
        t("Log in or register"),
      ),
    ),
  );
  openModal(dialog);
}
