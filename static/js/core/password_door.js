// The door of a locked table (or of one that is not there: the two look alike), in front of its own page and of those of
// its replay, review and chance.
import { get, getFrom, Refused } from "./api.js";
import { el } from "./dom.js";
import { t } from "./i18n.js";
import { keepPassword, keptPassword, passwordHeader } from "./room_password.js";

/** The door: asks for the word, or only says why nobody gets in. Resolves with what was typed. */
export function passwordDoor(sentence, { asks = true } = {}) {
  document.querySelector("dialog.door")?.remove();
  const input = el("input", { type: "password", id: "room-password", autocomplete: "off", required: true, maxlength: 100 });
  const form = el(
    "form",
    { method: "dialog", class: "door-form" },
    ...(asks ? [el("label", { for: "room-password" }, t("Password")), input] : []),
    el(
      "div",
      { class: "door-ways" },
      asks ? el("button", { class: "button button-main", value: "go" }, t("Go in")) : null,
      el("a", { class: "button", href: "/" }, t("To the lobby")),
    ),
  );
  const dialog = el("dialog", { class: "door", "aria-labelledby": "door-words" }, el("p", { id: "door-words" }, sentence), form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      if (!dialog.isConnected) return; // opened by another way meanwhile
      dialog.remove();
      if (dialog.returnValue === "go") resolve(input.value);
      else location.assign("/"); // closed without a word: there is nothing behind it to see
    });
  });
}

/** It was opened by another way. */
export const closeDoor = () => document.querySelector("dialog.door")?.remove();

export const isLocked = ({ code }) => code === "password_required" || code === "password_wrong";

/** Ask something of a table from a page that is not its own; the door opens in front of it where that is needed. */
async function atDoor(game, ask) {
  for (;;) {
    try {
      return await ask(passwordHeader(keptPassword(game)));
    } catch (problem) {
      if (!(problem instanceof Refused) || !isLocked(problem)) throw problem;
      keepPassword(game, await passwordDoor(problem.message));
    }
  }
}

export const getOfGame = (game, path = "") => atDoor(game, (headers) => get(`/games/${encodeURIComponent(game)}${path}`, headers));

/** The same for what pages ask outside the API. */
export const getOfPage = (game, path) => atDoor(game, (headers) => getFrom(`/g/${encodeURIComponent(game)}${path}`, headers));
