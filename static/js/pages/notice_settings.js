// Settings of turn notices: browser, push, e-mail and webhook.

/** @import {NoticeChannels, NoticeWishes, Person} from "../core/types.d.ts" */

import { get, post, put } from "../core/api.js";
import { find, findAll, namedFields } from "../core/dom.js";
import { formatList, language, t } from "../core/i18n.js";
import { offerInstallLater } from "../core/install_offer.js";
import { canPush, isPushOn, needsInstalling, pushEndpoint, subscribe, unsubscribe } from "../core/push.js";
import { toast } from "../core/toast.js";
import { showSuccess, submitForm } from "./forms.js";

/** @param {HTMLElement} message */
function showTestNotice(message) {
  const refuse = () => {
    message.className = "field-said is-bad";
    message.textContent = t(
      "This browser does not allow notifications from this site. You can change that in its settings.",
    );
  };
  try {
    const note = new Notification("Cartagena", {
      body: t("Notifications work in this browser."),
      icon: "/icon.svg",
    });
    note.addEventListener("show", () => showSuccess(message, t("The test is on its way.")));
    note.addEventListener("error", refuse);
  } catch {
    // Chrome on Android shows only those of a service worker.
    refuse();
  }
}

/** @param {HTMLElement} section */
function initBrowserNotices(section) {
  /** @type {HTMLInputElement} */
  const box = find("[data-notify-browser]", section);
  const test = find("[data-browser-test]", section);
  const showTest = () => (test.hidden = !box.checked);
  find("button", test).addEventListener("click", () => showTestNotice(find("span", test)));
  const supported = "Notification" in window;
  box.disabled = !supported;
  box.checked = supported && Notification.permission === "granted" && localStorage.getItem("notify") === "on";
  box.addEventListener("change", async () => {
    if (box.checked && Notification.permission !== "granted") {
      box.checked = (await Notification.requestPermission()) === "granted";
    }
    localStorage.setItem("notify", box.checked ? "on" : "off");
    showTest();
  });
  showTest();
}

/** After so many failures in a row the server stops calling a webhook. */
const MAX_WEBHOOK_FAILURES = 10;

/**
 * Send a test on one channel and say how it went.
 * @param {"push" | "mail" | "webhook"} channel
 * @param {HTMLElement} message
 */
async function sendTest(channel, message) {
  const endpoint = channel === "push" ? await pushEndpoint() : undefined;
  const { outcome } = await post("/me/notices/test", { channel, ...(endpoint && { endpoint }) });
  if (outcome === "sent") {
    showSuccess(message, t("The test is on its way."));
    return;
  }
  message.classList.add("is-bad");
  const status = String(outcome).match(/^answered (\d+)$/)?.[1];
  message.textContent =
    outcome === "ended"
      ? t("This device no longer receives notifications. Turn them off and on again.")
      : status
        ? t("The test was refused with status {status}.", { status })
        : t("The test could not be delivered: the address cannot be reached.");
}

/**
 * Set up the "Send a test" buttons, which show the result beside them.
 * @param {HTMLElement} section
 */
function initTests(section) {
  for (const button of /** @type {HTMLButtonElement[]} */ (findAll("[data-test]", section))) {
    const message = find("[data-test-said]", /** @type {HTMLElement} */ (button.parentElement));
    button.addEventListener("click", () =>
      submitForm(message, async () => {
        button.disabled = true;
        const channel = /** @type {"push" | "mail" | "webhook"} */ (button.dataset.test);
        await sendTest(channel, message).finally(() => (button.disabled = false));
      }),
    );
  }
  find("[data-copy-key]", section).addEventListener("click", async () => {
    const copied = await navigator.clipboard?.writeText(find("[data-key]", section).textContent ?? "").then(
      () => true,
      () => false,
    );
    toast(
      copied ? t("Copied.") : t("This browser does not allow copying. Select the key and copy it yourself."),
    );
  });
}

/**
 * Set up the push switch of this device, and say what is needed before it can be used.
 * @param {HTMLElement} part
 * @param {Person} person
 */
function initPushSwitch(part, person) {
  /** @type {HTMLInputElement} */
  const box = find("[data-push-switch]", part);
  const message = find("[data-said]", part);
  const showTest = () => (find("[data-push-test]", part).hidden = !box.checked);
  part.hidden = !canPush() && !needsInstalling();
  box.disabled = !canPush();
  box.checked = isPushOn(person.id);
  showTest();
  find("[data-push-install]", part).hidden = !needsInstalling();
  const offer = offerInstallLater();
  if (offer) find("[data-install]", part).append(offer);
  box.addEventListener("change", () =>
    submitForm(message, async () => {
      box.disabled = true;
      try {
        if (!box.checked) await unsubscribe();
        else if (!(await subscribe()))
          throw new Error(
            t(
              "This browser does not allow notifications from this site. You can change that in its settings.",
            ),
          );
        showSuccess(message, t("Saved."));
      } finally {
        box.disabled = false;
        box.checked = isPushOn(person.id);
        showTest();
      }
    }),
  );
}

/** @param {string} text */
const parseMinutes = (text) => text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
/** @param {number} minute */
const formatMinutes = (minute) =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");

/**
 * Return the wish for notices on every channel; "" if the server offers fewer than two.
 * @param {{ push?: unknown, mail: boolean, webhooks: boolean }} offered
 */
export function everyChannelText({ push, mail, webhooks }) {
  const channels = [push ? t("this device") : "", mail ? t("e-mail") : "", webhooks ? t("webhook") : ""];
  const names = channels.filter(Boolean);
  return names.length > 1 ? t("On every channel at once: {channels}", { channels: formatList(names) }) : "";
}

/**
 * Set up the form for which notices are wanted and when. It applies to every channel. Return what saves its edits, and
 * whether there were any.
 * @param {HTMLFormElement} form
 * @param {{ wishes: NoticeWishes, push?: unknown, mail: boolean, webhooks: boolean }} settings
 */
function initWishes(form, settings) {
  const { wishes } = settings;
  let isEdited = false;
  const every = find("[data-every-channel]", form);
  every.hidden = !everyChannelText(settings);
  find("span", every).textContent = everyChannelText(settings);
  const fields = namedFields(form);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  for (const [event, on] of Object.entries(wishes.switches)) fields[event].checked = on;
  fields.quiet.checked = wishes.quiet !== null;
  if (wishes.quiet) [fields.quiet_from.value, fields.quiet_to.value] = wishes.quiet.map(formatMinutes);
  fields.digest.checked = wishes.digest_at !== null;
  if (wishes.digest_at !== null) fields.digest_at.value = formatMinutes(wishes.digest_at);
  fields.every_channel.checked = wishes.every_channel;
  /** @param {string} name */
  const nameZone = (name) =>
    (find("[data-zone]", form).textContent = t("Time zone: {zone}.", {
      zone: name.replaceAll("_", " "),
    }));
  // Stored times are in the stored time zone. A change is saved in this browser's zone.
  nameZone(wishes.quiet || wishes.digest_at !== null ? wishes.zone : zone);
  form.addEventListener("change", () => nameZone(zone));
  const fold = () => {
    find("[data-quiet-row]", form).hidden = !fields.quiet.checked;
    find("[data-digest-row]", form).hidden = !fields.digest.checked;
  };
  form.addEventListener("change", fold);
  fold();
  form.addEventListener("input", () => (isEdited = true));
  // Without a channel there is nothing to wish for.
  form.hidden = !settings.push && !settings.mail && !settings.webhooks;
  // The button of the addresses below saves both forms.
  find("[data-save-wishes]", form).hidden = settings.mail || settings.webhooks;

  async function save() {
    await put("/me/notices/wishes", {
      switches: Object.fromEntries(Object.keys(wishes.switches).map((name) => [name, fields[name].checked])),
      zone,
      quiet: fields.quiet.checked
        ? [parseMinutes(fields.quiet_from.value), parseMinutes(fields.quiet_to.value)]
        : null,
      digest_at: fields.digest.checked ? parseMinutes(fields.digest_at.value) : null,
      every_channel: fields.every_channel.checked,
      language: language(),
    });
    isEdited = false;
    nameZone(zone);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const message = find("[data-said]", form);
    submitForm(message, async () => {
      await save();
      showSuccess(message, t("Saved."));
    });
  });

  return async () => {
    const hadEdits = isEdited;
    if (hadEdits) await save();
    return hadEdits;
  };
}

/**
 * Set up the section. The server says which channels it offers.
 * @param {HTMLElement} section
 * @param {Person | null} person
 */
export async function initNoticeSettings(section, person) {
  initBrowserNotices(section);
  /** @type {HTMLFormElement} */
  const form = find("[data-notice-form]", section);
  /** @type {HTMLFormElement} */
  const confirm = find("[data-confirm-form]", section);
  if (!person) return;
  const settings = await get("/me/notices").catch(() => null);
  if (!settings) return;

  if (settings.push) initPushSwitch(find("[data-push]", section), person);
  const saveEditedWishes = initWishes(find("[data-wishes]", section), settings);
  initTests(section);

  /** @type {NoticeChannels} */
  let saved = settings;
  const contact = namedFields(form);
  const isMailEdited = () => contact.email.value.trim() !== (saved.email ?? "");
  const isWebhookEdited = () =>
    contact.webhook.value.trim() !== (saved.webhook ?? "") ||
    contact.discord.checked !== (saved.webhook_form === "discord");

  /** A test goes to the saved address: offer none beside another one. */
  function guardTests() {
    for (const [channel, isEdited] of /** @type {const} */ ([
      ["mail", isMailEdited()],
      ["webhook", isWebhookEdited()],
    ])) {
      /** @type {HTMLButtonElement} */
      const button = find(`[data-test="${channel}"]`, form);
      const message = find("[data-test-said]", /** @type {HTMLElement} */ (button.parentElement));
      button.disabled = isEdited;
      message.className = "field-said";
      message.textContent = isEdited ? t("Save first.") : "";
    }
  }
  form.addEventListener("input", guardTests);

  /** @param {NoticeChannels} state */
  function fill(state) {
    contact.email.value = state.email ?? "";
    contact.webhook.value = state.webhook ?? "";
    contact.discord.checked = state.webhook_form === "discord";
  }

  /** @param {NoticeChannels} state */
  function show(state) {
    saved = state;
    form.hidden = !(state.mail || state.webhooks);
    find("[data-said]", form).textContent = "";
    find("[data-mail-field]", form).hidden = !state.mail;
    find("[data-webhook-field]", form).hidden = !state.webhooks;
    confirm.hidden = !state.email || state.email_confirmed;
    const mailState = find("[data-mail-state]", form);
    mailState.hidden = !state.email;
    mailState.textContent = state.email_confirmed
      ? t("{address} is confirmed.", { address: state.email ?? "" })
      : t("{address} is not confirmed yet. Enter the code from the e-mail below.", {
          address: state.email ?? "",
        });
    find("[data-mail-test]", form).hidden = !(state.mail && state.email && state.email_confirmed);
    const webhookState = find("[data-webhook-state]", form);
    webhookState.hidden = !state.webhook || !state.webhook_failures;
    webhookState.textContent =
      state.webhook_failures < MAX_WEBHOOK_FAILURES
        ? t("The last call failed.")
        : t("The last calls failed, so the webhook is paused. Save again to resume it.");
    find("[data-webhook-saved]", form).hidden = !state.webhook;
    // Discord checks no signature.
    find("[data-webhook-key]", form).hidden = state.webhook_form === "discord";
    find("[data-key]", form).textContent = state.webhook_key ?? "";
    guardTests();
  }

  /**
   * @param {HTMLFormElement} which
   * @param {() => Promise<NoticeChannels>} work
   * @param {(state: NoticeChannels) => string} success
   */
  const onSubmit = (which, work, success) =>
    which.addEventListener("submit", (event) => {
      event.preventDefault();
      const message = find("[data-said]", which);
      submitForm(message, async () => {
        const state = await work();
        // Confirming an address keeps the edits of the other form.
        if (which === form) fill(state);
        show(state);
        showSuccess(message, success(state));
      });
    });

  let sendsCode = true;
  onSubmit(
    form,
    async () => {
      // If nothing was edited, saving sends the address's code again or resumes the webhook.
      const isEdited = (await saveEditedWishes()) || isWebhookEdited();
      sendsCode = !isEdited || isMailEdited();
      if (!sendsCode && !isWebhookEdited()) return saved;
      return put("/me/notices", {
        email: (settings.mail && contact.email.value.trim()) || null,
        webhook: (settings.webhooks && contact.webhook.value.trim()) || null,
        webhook_form: contact.discord.checked ? "discord" : "plain",
        language: language(),
        zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      });
    },
    (state) =>
      sendsCode && state.email && !state.email_confirmed
        ? t("A code is on its way to you by e-mail.")
        : t("Saved."),
  );
  onSubmit(
    confirm,
    () => post("/me/notices/confirm", { code: namedFields(confirm).code.value }),
    () => t("The address has been confirmed."),
  );
  fill(settings);
  show(settings);
}
