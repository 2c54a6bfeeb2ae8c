// The player's identity: a guest for the first seat, and a code to continue on another device.

/** @import {Table, You} from "../core/types.d.ts" */

import { openAccountDialog } from "../core/account_dialog.js";
import { get, post } from "../core/api.js";
import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { openModal } from "../core/modal.js";

/**
 * Make sure that the session has a person. Return whether the open socket does not know that person yet.
 * @param {You} you
 * @param {string} name
 */
async function ensureGuest(you, name) {
  if (you.person) return false;
  const { person } = await get("/me");
  if (!person) await post("/me", name ? { name } : {});
  return true;
}

/**
 * Make sure that the session has a person who may sit at the table. Return whether the open socket does not know that person
 * yet; null after a dialog has said that a rated table needs an account.
 * @param {Table} table
 * @param {You} you
 * @param {string} name
 */
export async function ensurePlayer({ rated }, you, name) {
  if (rated) {
    const { person } = await get("/me");
    if (!person?.is_account) {
      openAccountDialog();
      return null;
    }
  }
  return ensureGuest(you, name);
}

/** Say that a rated table needs an account. */
export const offerAccount = openAccountDialog;

/**
 * Show a one-time code that moves this seat to another device.
 * @param {string} room
 */
export async function showDeviceCode(room) {
  const { code, url, qr } = await post("/resume-codes", { room });
  const picture = el("img", {
    class: "qr",
    alt: t("The link as a QR code"),
    width: 180,
    height: 180,
    src: `data:image/svg+xml;utf8,${encodeURIComponent(qr)}`,
  });
  const dialog = el(
    "dialog",
    { class: "confirm", "aria-labelledby": "device-words" },
    el("p", { id: "device-words" }, t("Open this address on the other device. It works once.")),
    picture,
    el("p", {}, el("code", {}, url)),
    el("p", {}, el("b", {}, code)),
    el("form", { method: "dialog", class: "confirm-buttons" }, el("button", { class: "button" }, t("Close"))),
  );
  openModal(dialog);
}
