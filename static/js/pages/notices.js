// "Your turn" for people who are away: the browser's own notices, e-mail and webhook, each only if wanted.
import { language, t } from "../core/i18n.js";
import { get, post, put } from "../core/api.js";
import { find } from "../core/dom.js";
import { laterOffer } from "../core/install.js";
import { begin, canPush, end, isOn, needsInstalling } from "../core/push.js";
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

/** The switch for this device, and what must be done before it can be had. */
function pushSwitch(part, person) {
  const box = find("[data-push-switch]", part);
  const message = find("[data-said]", part);
  part.hidden = !canPush() && !needsInstalling();
  box.disabled = !canPush();
  box.checked = isOn(person.id);
  find("[data-push-install]", part).hidden = !needsInstalling();
  const offer = laterOffer();
  if (offer) find("[data-install]", part).append(offer);
  box.addEventListener("change", () =>
    attempt(message, async () => {
      box.disabled = true;
      try {
        if (!box.checked) await end();
        else if (!(await begin())) throw new Error(t("This browser does not allow notices from this site. Its settings can change that."));
        succeed(message, t("Saved."));
      } finally {
        box.disabled = false;
        box.checked = isOn(person.id);
      }
    }),
  );
}

const minutes = (text) => text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
const clock = (minute) => [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");

/** What somebody wants to hear and when; the same for every channel. */
function wishes(form, known) {
  const fields = form.elements;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  for (const [event, on] of Object.entries(known.switches)) fields[event].checked = on;
  fields.quiet.checked = known.quiet !== null;
  if (known.quiet) [fields.quiet_from.value, fields.quiet_to.value] = known.quiet.map(clock);
  fields.digest.checked = known.digest_at !== null;
  if (known.digest_at !== null) fields.digest_at.value = clock(known.digest_at);
  fields.every_channel.checked = known.every_channel;
  const nameZone = (name) => (find("[data-zone]", form).textContent = t("Times are those of {zone}.", { zone: name.replaceAll("_", " ") }));
  // Kept times are those of the place where they were set; what is changed here is saved as this browser's.
  nameZone(known.quiet || known.digest_at !== null ? known.zone : zone);
  form.addEventListener("change", () => nameZone(zone));
  const fold = () => {
    find("[data-quiet-row]", form).hidden = !fields.quiet.checked;
    find("[data-digest-row]", form).hidden = !fields.digest.checked;
  };
  form.addEventListener("change", fold);
  fold();
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const message = find("[data-said]", form);
    attempt(message, async () => {
      await put("/me/notices/wishes", {
        switches: Object.fromEntries(Object.keys(known.switches).map((name) => [name, fields[name].checked])),
        zone,
        quiet: fields.quiet.checked ? [minutes(fields.quiet_from.value), minutes(fields.quiet_to.value)] : null,
        digest_at: fields.digest.checked ? minutes(fields.digest_at.value) : null,
        every_channel: fields.every_channel.checked,
        language: language(),
      });
      nameZone(zone);
      succeed(message, t("Saved."));
    });
  });
}

/** Bring the section to life; the server says which ways it offers. */
export async function notices(section, person) {
  browserNotices(find("[data-notify-browser]", section));
  const form = find("[data-notice-form]", section);
  const confirm = find("[data-confirm-form]", section);
  if (!person) return;
  const known = await get("/me/notices").catch(() => null);
  if (!known) return;

  if (known.push) pushSwitch(find("[data-push]", section), person);
  wishes(find("[data-wishes]", section), known.wishes);

  function show(state) {
    form.hidden = !(state.mail || state.webhooks);
    find("[data-mail-field]", form).hidden = !state.mail;
    find("[data-webhook-field]", form).hidden = !state.webhooks;
    form.elements.email.value = state.email ?? "";
    form.elements.webhook.value = state.webhook ?? "";
    form.elements.discord.checked = state.webhook_form === "discord";
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
        webhook_form: form.elements.discord.checked ? "discord" : "plain",
        language: language(),
      }),
    (state) => (state.email && !state.email_confirmed ? t("A code is on its way to you by e-mail.") : t("Saved.")),
  );
  onSubmit(confirm, () => post("/me/notices/confirm", { code: confirm.elements.code.value }), () => t("The address is confirmed."));
  show(known);
}
