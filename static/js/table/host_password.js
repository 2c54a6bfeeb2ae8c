// The password of a locked table, for its host: shows it and sets a new one. The server has only a hash; the password
// comes from this browser's storage.

/** @import {Send} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { storedPassword, storeHostPassword } from "../core/room_password.js";

/**
 * HostPassword({game, send(command)}) -> {element, update(isHost)}
 * @param {{ game: string, send: Send }} parts
 */
export function HostPassword({ game, send }) {
  const current = el("p", { class: "host-password-known" });
  const input = el("input", {
    id: "new-password",
    type: "text",
    maxlength: 64,
    autocomplete: "off",
    required: true,
  });
  const status = el("span", { class: "copied", role: "status" });
  const form = el(
    "form",
    { class: "invite-row", onsubmit: change },
    input,
    el("button", { class: "button button-small" }, t("Set the password")),
    status,
  );
  const element = el(
    "div",
    { class: "host-password", hidden: true },
    current,
    el(
      "details",
      {},
      el("summary", {}, t("Set a new password")),
      el("label", { for: "new-password" }, t("Table password")),
      form,
    ),
  );

  function show() {
    const word = storedPassword(game);
    current.replaceChildren(
      ...(word
        ? [t("Password:"), " ", el("code", {}, word)]
        : [t("This browser does not know the password. Set a new one if your friends need it.")]),
    );
  }

  /** @param {SubmitEvent} event */
  async function change(event) {
    event.preventDefault();
    const word = input.value.trim();
    if (!word) return;
    status.textContent = "";
    // Refused; the refusal has been shown.
    if (!(await send({ do: "password", password: word }))) return;
    storeHostPassword(game, word);
    input.value = "";
    status.textContent = t("The password has been changed. Everyone who is here may stay.");
    show();
  }
  show();

  return {
    element,
    /** @param {boolean} isHost */
    update(isHost) {
      element.hidden = !isHost;
    },
  };
}
