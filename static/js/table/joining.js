// Getting in: a name on first sitting down, a code for another device.

import { el } from "../core/dom.js";
import { get, post } from "../core/api.js";
import { t } from "../core/i18n.js";

/** Make sure the server knows us before we sit; true when that is news to the open socket. */
export async function becomeSomebody(you, name) {
  if (you.person) return false;
  const { person } = await get("/me");
  if (!person) await post("/me", name ? { name } : {});
  return true;
}

/** Show a one-time code with which this seat can be taken to another device. */
export async function deviceCode(room) {
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
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
