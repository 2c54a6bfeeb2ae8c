// The door of a table that does not let the viewer in: it asks for a password, or says why not. A table that does not
// exist looks like an unlisted one with a password; only the link's owner knows that there is one.
import { get, getUrl, RefusedError } from "./api.js";
import { el } from "./dom.js";
import { t } from "./i18n.js";
import { passwordHeader, storedPassword, storePassword } from "./room_password.js";

/** Hides the page behind the door, where an empty table would be. */
const SHUT_CLASS = "is-shut";

/**
 * Open the door and resolve with the typed password. A table that may not exist gets a button that opens the password
 * field; a refusal for another reason has no field.
 * @param {string} sentence
 * @param {{ code?: string | number, why?: string }} refusal
 * @returns {Promise<string>}
 */
export function openDoor(sentence, { code, why }) {
  document.querySelector("dialog.door")?.remove();
  const input = el("input", {
    type: "password",
    id: "room-password",
    autocomplete: "off",
    required: true,
    maxlength: 100,
  });
  const label = el("label", { for: "room-password" }, t("Password"));
  const open = el("button", { class: "button button-main", value: "go" }, t("Open the table"));
  const lobby = el("a", { class: "button", href: "/" }, t("Go to the lobby"));
  const form = el("form", { method: "dialog", class: "door-form" });
  const words = el("p", { id: "door-words" }, sentence);
  const askForPassword = () =>
    form.replaceChildren(label, input, el("div", { class: "door-ways" }, open, lobby));
  const hasPassword = el(
    "button",
    {
      type: "button",
      class: "button button-small button-quiet",
      onclick: () => {
        words.textContent = t("Enter the password of the table.");
        askForPassword();
        input.focus();
      },
    },
    t("It has a password"),
  );
  if (code === "password_wrong" || (code === "password_required" && why === "listed")) askForPassword();
  else
    form.append(el("div", { class: "door-ways" }, code === "password_required" ? hasPassword : null, lobby));
  const dialog = el("dialog", { class: "door", "aria-labelledby": "door-words" }, words, form);
  document.body.append(dialog);
  document.body.classList.add(SHUT_CLASS);
  dialog.showModal();
  // Nothing is lost by going to the lobby.
  if (!input.isConnected) lobby.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      // Already removed by `closeDoor`.
      if (!dialog.isConnected) return;
      if (dialog.returnValue !== "go") {
        location.assign("/");
        return;
      }
      closeDoor();
      resolve(input.value);
    });
  });
}

/** Show the page again. */
export function closeDoor() {
  document.querySelector("dialog.door")?.remove();
  document.body.classList.remove(SHUT_CLASS);
}

/** @param {{ code?: string | number }} parts */
const isPasswordRefusal = ({ code }) => code === "password_required" || code === "password_wrong";

/**
 * Run a request for a table, and open the door as long as the table asks for a password.
 * @template T
 * @param {string} game
 * @param {(headers: Record<string, string>) => Promise<T>} request
 * @returns {Promise<T>}
 */
async function withPassword(game, request) {
  for (;;) {
    try {
      return await request(passwordHeader(storedPassword(game)));
    } catch (problem) {
      if (!(problem instanceof RefusedError) || !isPasswordRefusal(problem)) throw problem;
      storePassword(game, await openDoor(problem.message, problem));
    }
  }
}

/**
 * @param {string} game
 * @param {string} [path]
 */
export const getFromGame = (game, path = "") =>
  withPassword(game, (headers) => get(`/games/${encodeURIComponent(game)}${path}`, headers));

/**
 * Like `getFromGame`, for addresses outside the API.
 * @param {string} game
 * @param {string} path
 */
export const getFromGamePage = (game, path) =>
  withPassword(game, (headers) => getUrl(`/g/${encodeURIComponent(game)}${path}`, headers));
