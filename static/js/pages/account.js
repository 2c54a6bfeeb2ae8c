// The account page: forms that call the API, devices and codes, what is known about you.
import { ago, t } from "../core/i18n.js";
import { get, post, remove } from "../core/api.js";
import { el, find, findAll, put } from "../core/dom.js";
import { attempt, succeed } from "./forms.js";
import { ensureName, nameForm } from "./name.js";
import { notices } from "./notices.js";
import { forget, moved } from "../core/push.js";
import { toast } from "../core/toast.js";

const page = find("[data-account]");
const codes = find("[data-codes]");
let afterCodes = "/account";
let known = null; // who has this page, once that is known

function fieldsOf(form) {
  const body = {};
  for (const field of form.elements) {
    if (!field.name) continue;
    body[field.name] = field.type === "checkbox" ? field.checked : field.value;
  }
  return body;
}

function showCodes(list, next) {
  afterCodes = next;
  put(find("[data-code-list]", codes), ...list.map((code) => el("li", {}, el("code", {}, code))));
  codes.showModal();
}

for (const form of findAll("form[data-form]", page)) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const message = find("[data-said]", form);
    attempt(message, async () => {
      const answer = await post(form.dataset.form, fieldsOf(form));
      if (form.dataset.form.startsWith("/account/") || form.dataset.form === "/resume") moved(known?.id);
      form.reset();
      if ("showsCodes" in form.dataset && answer.recovery_codes) showCodes(answer.recovery_codes, "/account");
      else if (answer?.room) location.assign(`/g/${encodeURIComponent(answer.room)}`);
      else if (form.dataset.then) location.assign(form.dataset.then);
      else succeed(message, form.dataset.praise ?? t("Saved."));
    });
  });
}

for (const button of findAll("[data-post]", page)) {
  button.addEventListener("click", async () => {
    if (button.dataset.sure && !confirm(button.dataset.sure)) return;
    if (button.dataset.post.includes("logout")) forget();
    await post(button.dataset.post).catch((problem) => toast(problem.message, "refused"));
    location.assign(button.dataset.then);
  });
}

find("[data-codes-done]", codes).addEventListener("click", () => location.assign(afterCodes));
codes.addEventListener("close", () => location.assign(afterCodes));
find("[data-copy-codes]", codes).addEventListener("click", async () => {
  const text = findAll("code", codes).map((code) => code.textContent).join("\n");
  await navigator.clipboard?.writeText(text).then(() => toast(t("Copied.")), () => toast(t("Copying is not allowed here."), "refused"));
});

/** "Firefox on Linux" is how the server notes a browser; here it is said in the page's language. */
function deviceName(label) {
  const [browser, system] = label.split(" on ").map((part) => (part === "a program" ? t("a program") : part));
  return system ? t("{browser} on {system}", { browser, system }) : browser;
}

async function showDevices() {
  const { devices } = await get("/me/devices").catch(() => ({ devices: [] }));
  const rows = devices.map((device) => {
    const seen = ago((device.seen_at - Date.now()) / 1000);
    return el("li.row", {}, el("span", {}, deviceName(device.label)), el("small", {}, device.is_this ? t("this device") : seen));
  });
  put(find("[data-devices]", page), ...rows);
}

find("[data-make-code]", page).addEventListener("click", async () => {
  try {
    await ensureName();
    const { code, qr, expires_at: until } = await post("/resume-codes", {});
    const block = find("[data-code]", page);
    block.hidden = false;
    find("[data-qr]", block).src = `data:image/svg+xml,${encodeURIComponent(qr)}`;
    find("[data-code-text]", block).textContent = code;
    find("[data-code-until]", block).textContent = t("Good once, {when}", { when: ago((until - Date.now()) / 1000) });
  } catch (problem) {
    toast(problem.message, "refused");
  }
});

async function showBlocks() {
  const { blocked } = await get("/blocks").catch(() => ({ blocked: [] }));
  const rows = blocked.map(({ id, name }) => {
    const undo = async () => {
      await remove(`/blocks/${encodeURIComponent(id)}`).catch((problem) => toast(problem.message, "refused"));
      showBlocks();
    };
    return el("li.row", {}, el("a", { href: `/players/${encodeURIComponent(id)}` }, name), el("button.button.button-small", { type: "button", onclick: undo }, t("Unblock")));
  });
  put(find("[data-blocks]", page), ...rows);
  find("[data-no-blocks]", page).hidden = rows.length > 0;
}

async function showTokens() {
  const list = find("[data-tokens]", page);
  if (!list) return;
  const { tokens } = await get("/account/tokens").catch(() => ({ tokens: [] }));
  put(list, ...tokens.map(({ id, label }) => {
    const drop = async () => {
      await remove(`/account/tokens/${encodeURIComponent(id)}`).catch((problem) => toast(problem.message, "refused"));
      showTokens();
    };
    return el("li.row", {}, el("span", {}, label), el("button.button.button-small", { type: "button", onclick: drop }, t("Remove")));
  }));
}

const tokenForm = find("[data-token-form]", page);
tokenForm?.addEventListener("submit", (event) => {
  event.preventDefault();
  const message = find("[data-said]", tokenForm);
  attempt(message, async () => {
    const { token } = await post("/account/tokens", fieldsOf(tokenForm));
    tokenForm.reset();
    put(message, t("Copy it now; it is not shown again:"), " ", el("code", {}, token));
    showTokens();
  });
});

const deleteForm = find("[data-delete-form]", page);
deleteForm.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(find("[data-said]", deleteForm), async () => {
    const password = deleteForm.elements.password?.value;
    await post("/me/delete", password === undefined ? {} : { password });
    location.assign("/");
  });
});

nameForm(find("[data-name-form]", page), find("#name-said"));
// Somebody nobody knows yet has no devices or lists; asking for them would only be refused.
page.setAttribute("aria-busy", "true");
const { person } = await get("/me").catch(() => ({ person: null }));
known = person;
if (!person) find("[data-no-blocks]", page).hidden = false;
// All at once: each of them moves what is below it.
const lists = person ? [showDevices(), showBlocks(), showTokens()] : [];
await Promise.all([notices(find("[data-notices]", page), person), ...lists]);
page.setAttribute("aria-busy", "false");
