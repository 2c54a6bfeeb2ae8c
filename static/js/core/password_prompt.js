// The password prompt of a locked table, on its own page and on its replay, review and fairness pages. A table that does
// not exist looks the same.
import { get, getUrl, RefusedError } from "./api.js";
import { el } from "./dom.js";
import { t } from "./i18n.js";
import { passwordHeader, storedPassword, storePassword } from "./room_password.js";

/**
 * Open the prompt and resolve with the typed password. Without a password field it only says why access is refused.
 * @param {string} sentence
 * @param {{ hasPasswordField?: boolean }} [options]
 */
export function openPasswordPrompt(sentence, { hasPasswordField = true } = {}) {
  document.querySelector("dialog.door")?.remove();
  const input = el("input", {
    type: "password",
    id: "room-password",
    autocomplete: "off",
    required: true,
    maxlength: 100,
  });
  const form = el(
    "form",
    { method: "dialog", class: "door-form" },
    ...(hasPasswordField ? [el("label", { for: "room-password" }, t("Password")), input] : []),
    el(
      "div",
      { class: "door-ways" },
      hasPasswordField
        ? el("button", { class: "button button-main", value: "go" }, t("Open the table"))
        : null,
      el("a", { class: "button", href: "/" }, t("Go to the lobby")),
    ),
  );
  const dialog = el(
    "dialog",
    { class: "door", "aria-labelledby": "door-words" },
    el("p", { id: "door-words" }, sentence),
    form,
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      // Already removed by `closePasswordPrompt`.
      if (!dialog.isConnected) return;
      dialog.remove();
      if (dialog.returnValue === "go") resolve(input.value);
      else location.assign("/");
    });
  });
}

export const closePasswordPrompt = () => document.querySelector("dialog.door")?.remove();

/** @param {{ code?: string | number }} parts */
export const isPasswordRefusal = ({ code }) => code === "password_required" || code === "password_wrong";

/**
 * Run a request for a table, and open the password prompt as long as the table asks for a password.
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
      storePassword(game, await openPasswordPrompt(problem.message));
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
