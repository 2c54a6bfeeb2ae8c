// Getting in: a name on first sitting down, a password where one is asked for, a code for another device.

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

/** The room wants a password (or does not exist: the two look alike). */
export function admit({ code }, onPassword, sentence) {
  document.querySelector("dialog.password")?.remove();
  const input = el("input", { type: "password", id: "room-password", autocomplete: "off", required: true });
  const asks = code === "password_required" || code === "password_wrong";
  const dialog = el(
    "dialog",
    { class: "confirm password", "aria-labelledby": "password-words" },
    el("p", { id: "password-words" }, sentence),
    el(
      "form",
      { method: "dialog", class: "confirm-buttons" },
      ...(asks
        ? [
            el("label", { for: "room-password" }, t("Password")),
            input,
            el("button", { class: "button button-main", value: "go" }, t("Go in")),
          ]
        : []),
      el("a", { class: "button", href: "/" }, t("To the lobby")),
    ),
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (input.value) onPassword(input.value);
  });
  document.body.append(dialog);
  dialog.showModal();
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
