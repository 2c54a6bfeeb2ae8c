// What the host of a locked table sees of its password: the word, to tell friends, and the way to another one. The server
// has only a hash; the word is what this browser has kept.

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { keepAsHost, keptPassword } from "../core/room_password.js";

/** HostPassword({game, send(command)}) -> {element, update(isHost)} */
export function HostPassword({ game, send }) {
  const known = el("p", { class: "host-password-known" });
  const input = el("input", { id: "new-password", type: "text", maxlength: 64, autocomplete: "off", required: true });
  const said = el("span", { class: "copied", role: "status" });
  const form = el(
    "form",
    { class: "invite-row", onsubmit: change },
    input,
    el("button", { class: "button button-small" }, t("Set it")),
    said,
  );
  const element = el(
    "div",
    { class: "host-password", hidden: true },
    known,
    el("details", {}, el("summary", {}, t("Set a new password")), el("label", { for: "new-password" }, t("Password of the table")), form),
  );

  function show() {
    const word = keptPassword(game);
    known.replaceChildren(
      ...(word
        ? [t("Password:"), " ", el("code", {}, word)]
        : [t("This browser does not know the password. Set a new one if your friends need it.")]),
    );
  }

  async function change(event) {
    event.preventDefault();
    const word = input.value.trim();
    if (!word) return;
    said.textContent = "";
    if (!(await send({ do: "password", password: word }))) return; // refused, and said so
    keepAsHost(game, word);
    input.value = "";
    said.textContent = t("Changed. Whoever is here may stay.");
    show();
  }
  show();

  return {
    element,
    update(isHost) {
      element.hidden = !isHost;
    },
  };
}
