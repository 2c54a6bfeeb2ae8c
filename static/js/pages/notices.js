// "Your turn" for people who are away: the browser's own notices, e-mail and webhook, each only if wanted.
import { language, t } from "../core/i18n.js";
import { get, post, put } from "../core/api.js";
import { find } from "../core/dom.js";
import { attempt, succeed } from "./forms.js";

function browserNotices(box) {
  const supported = "Notification" in window;
  box.disabled = !supported;
  box.checked = supported && Notification.permission === "granted" && localStorage.getItem("notify") === "on";
  box.addEventListener("change", async () => {
    if (box.checked && Notification.permission !== "granted") {
      box.checked = (await Notification.requestPermission()) === "granted";
    }
    localStorage.setItem("notify", box.checked ? "on" : "off");
  });
}

/** Bring the section to life; the server says which ways it offers. */
export async function notices(section) {
  browserNotices(find("[data-notify-browser]", section));
  const form = find("[data-notice-form]", section);
  const confirm = find("[data-confirm-form]", section);
  const { person } = await get("/me").catch(() => ({}));
  if (!person) return;
  const known = await get("/me/notices").catch(() => null);
  if (!known) return;

  function show(state) {
    form.hidden = !(state.mail || state.webhooks);
    find("[data-mail-field]", form).hidden = !state.mail;
    find("[data-webhook-field]", form).hidden = !state.webhooks;
    form.elements.email.value = state.email ?? "";
    form.elements.webhook.value = state.webhook ?? "";
    confirm.hidden = !state.email || state.email_confirmed;
  }

  const onSubmit = (which, work, success) =>
    which.addEventListener("submit", (event) => {
      event.preventDefault();
      const message = find("[data-said]", which);
      attempt(message, async () => {
        const state = await work();
        show(state);
        succeed(message, success(state));
      });
    });

  onSubmit(
    form,
    () =>
      put("/me/notices", {
        email: (known.mail && form.elements.email.value.trim()) || null,
        webhook: (known.webhooks && form.elements.webhook.value.trim()) || null,
        language: language(),
      }),
    (state) => (state.email && !state.email_confirmed ? t("A code is on its way to you by e-mail.") : t("Saved.")),
  );
  onSubmit(confirm, () => post("/me/notices/confirm", { code: confirm.elements.code.value }), () => t("The address is confirmed."));
  show(known);
}
