// The account page: forms that call the API, devices, codes and blocked players.

/** @import {Person} from "../core/types.d.ts" */

import { addressBack } from "../core/account_link.js";
import { get, post, remove } from "../core/api.js";
import { confirmAction } from "../core/confirm_dialog.js";
import { el, find, findAll, namedFields, setChildren } from "../core/dom.js";
import { formatRelativeTime, t } from "../core/i18n.js";
import { forgetSubscription, keepAfterLogin } from "../core/push.js";
import { toast } from "../core/toast.js";
import { showSuccess, submitForm } from "./forms.js";
import { initNoticeSettings } from "./notice_settings.js";
import { ensureName, initNameForm } from "./player_name.js";
import { initRatingSettings } from "./rating_settings.js";
import { initVisibility } from "./visibility.js";

const page = find("[data-account]");
/** @type {HTMLDialogElement} */
const codesDialog = find("[data-codes]");
// Where a link to this page led from, such as a rated table (core/account_link.js).
const back = addressBack(location.search, location.origin);
let pathAfterCodes = "/account";
// The person of this session, once it is known.
/** @type {Person | null} */
let currentPerson = null;

/** @param {HTMLFormElement} form */
function readFields(form) {
  /** @type {Record<string, string | boolean>} */
  const body = {};
  for (const field of /** @type {Iterable<HTMLInputElement>} */ (form.elements)) {
    if (!field.name) continue;
    body[field.name] = field.type === "checkbox" ? field.checked : field.value;
  }
  return body;
}

/**
 * @param {string[]} list
 * @param {string} next
 */
function showCodes(list, next) {
  pathAfterCodes = next;
  setChildren(
    find("[data-code-list]", codesDialog),
    ...list.map((code) => el("li", {}, el("code", {}, code))),
  );
  codesDialog.showModal();
}

/**
 * Return what to ask a guest before a form that makes this browser another player; null if nothing is lost.
 * @param {string} path
 * @param {HTMLFormElement} form
 */
function lossQuestion(path, form) {
  const isSwitch = path === "/resume" || path === "/account/recover" || path === "/account/login";
  if (!currentPerson || currentPerson.is_account || !isSwitch || namedFields(form).claim?.checked)
    return null;
  return t(
    "This browser becomes another player. You can get back to {name} and {name}'s games only on a device where you are still {name}.",
    { name: currentPerson.name },
  );
}

for (const form of /** @type {HTMLFormElement[]} */ (findAll("form[data-form]", page))) {
  const path = String(form.dataset.form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const message = find("[data-said]", form);
    const question = lossQuestion(path, form);
    if (question && !(await confirmAction(question, t("Switch player")))) return;
    submitForm(message, async () => {
      const answer = await post(path, readFields(form));
      if (path.startsWith("/account/") || path === "/resume") keepAfterLogin(currentPerson?.id);
      form.reset();
      if ("showsCodes" in form.dataset && answer.recovery_codes)
        showCodes(answer.recovery_codes, back ?? "/account");
      else if (answer?.room) location.assign(`/g/${encodeURIComponent(answer.room)}`);
      else if (form.dataset.then) location.assign(back ?? form.dataset.then);
      else showSuccess(message, form.dataset.praise ?? t("Saved."));
    });
  });
}

for (const button of findAll("[data-post]", page)) {
  button.addEventListener("click", async () => {
    if (button.dataset.sure && !(await confirmAction(button.dataset.sure, button.textContent))) return;
    if (String(button.dataset.post).includes("logout")) forgetSubscription();
    await post(String(button.dataset.post)).catch((problem) => toast(problem.message, "refused"));
    location.assign(String(button.dataset.then));
  });
}

find("[data-codes-done]", codesDialog).addEventListener("click", () => location.assign(pathAfterCodes));
// The codes are not shown again, so Escape does not close the dialog: older browsers do not know `closedby`.
codesDialog.addEventListener("cancel", (event) => event.preventDefault());
find("[data-copy-codes]", codesDialog).addEventListener("click", async () => {
  const text = findAll("code", codesDialog)
    .map((code) => code.textContent)
    .join("\n");
  await navigator.clipboard?.writeText(text).then(
    () => toast(t("Copied.")),
    () => toast(t("Copying is not allowed here."), "refused"),
  );
});

/**
 * Translate the server's name of a device, such as "Firefox on Linux".
 * @param {string} label
 */
function deviceName(label) {
  const [browser, system] = label.split(" on ").map((part) => (part === "a program" ? t("a program") : part));
  return system ? t("{browser} on {system}", { browser, system }) : browser;
}

async function showDevices() {
  const { devices } = await get("/me/devices").catch(() => ({ devices: [] }));
  const rows = devices.map((/** @type {{ label: string, seen_at: number, is_this: boolean }} */ device) => {
    const seen = formatRelativeTime((device.seen_at - Date.now()) / 1000);
    return el(
      "li.row",
      {},
      el("span", {}, deviceName(device.label)),
      el("small", {}, device.is_this ? t("this device") : seen),
    );
  });
  setChildren(find("[data-devices]", page), ...rows);
}

find("[data-make-code]", page).addEventListener("click", async () => {
  try {
    await ensureName();
    const { code, qr, expires_at: until } = await post("/resume-codes", {});
    const block = find("[data-code]", page);
    block.hidden = false;
    /** @type {HTMLImageElement} */ (find("[data-qr]", block)).src =
      `data:image/svg+xml,${encodeURIComponent(qr)}`;
    find("[data-code-text]", block).textContent = code;
    find("[data-code-until]", block).textContent = t("Works once; expires {when}", {
      when: formatRelativeTime((until - Date.now()) / 1000),
    });
  } catch (problem) {
    toast(/** @type {Error} */ (problem).message, "refused");
  }
});

/** Show what friends may see; only accounts have friends. */
async function showVisibility() {
  if (!currentPerson?.is_account) return;
  const stored = await get("/me/visibility").catch(() => null);
  if (stored) initVisibility(page, stored);
}

async function showBlocks() {
  const { blocked } = await get("/blocks").catch(() => ({ blocked: [] }));
  const rows = blocked.map((/** @type {Person} */ { id, name }) => {
    const undo = async () => {
      await remove(`/blocks/${encodeURIComponent(id)}`).catch((problem) => toast(problem.message, "refused"));
      showBlocks();
    };
    return el(
      "li.row",
      {},
      el("a", { href: `/players/${encodeURIComponent(id)}` }, name),
      el("button.button.button-small", { type: "button", onclick: undo }, t("Unblock")),
    );
  });
  setChildren(find("[data-blocks]", page), ...rows);
  find("[data-no-blocks]", page).hidden = rows.length > 0;
}

async function showTokens() {
  const list = find("[data-tokens]", page);
  if (!list) return;
  const { tokens } = await get("/account/tokens").catch(() => ({ tokens: [] }));
  setChildren(
    list,
    ...tokens.map((/** @type {{ id: string, label: string }} */ { id, label }) => {
      const drop = async () => {
        const question = t(
          "Remove {label}? The program with this token can no longer play under your name.",
          {
            label,
          },
        );
        if (!(await confirmAction(question, t("Remove")))) return;
        await remove(`/account/tokens/${encodeURIComponent(id)}`).catch((problem) =>
          toast(problem.message, "refused"),
        );
        showTokens();
      };
      return el(
        "li.row",
        {},
        el("span", {}, label),
        el("button.button.button-small", { type: "button", onclick: drop }, t("Remove")),
      );
    }),
  );
}

/** @type {HTMLFormElement} */
const tokenForm = find("[data-token-form]", page);
tokenForm?.addEventListener("submit", (event) => {
  event.preventDefault();
  const message = find("[data-said]", tokenForm);
  submitForm(message, async () => {
    const { token } = await post("/account/tokens", readFields(tokenForm));
    tokenForm.reset();
    setChildren(message, t("Copy it now; it will not be shown again:"), " ", el("code", {}, token));
    showTokens();
  });
});

/** @type {HTMLFormElement} */
const deleteForm = find("[data-delete-form]", page);
deleteForm.addEventListener("submit", (event) => {
  event.preventDefault();
  submitForm(find("[data-said]", deleteForm), async () => {
    const password = namedFields(deleteForm).password?.value;
    await post("/me/delete", password === undefined ? {} : { password });
    location.assign("/");
  });
});

initNameForm(find("[data-name-form]", page), find("#name-said"));
page.setAttribute("aria-busy", "true");
const { person } = await get("/me").catch(() => ({ person: null }));
currentPerson = person;
if (!person) find("[data-no-blocks]", page).hidden = false;
// In parallel, because each list shifts what is below it. Without a person the requests would be refused.
const ratings = find("[data-rating-settings]", page);
const lists = person ? [showDevices(), showBlocks(), showTokens(), showVisibility()] : [];
if (ratings) lists.push(initRatingSettings(ratings));
await Promise.all([initNoticeSettings(find("[data-notices]", page), person), ...lists]);
page.setAttribute("aria-busy", "false");
