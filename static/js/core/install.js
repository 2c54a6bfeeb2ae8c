// Installing the site as an app: offered after somebody's first finished game, never before.
import { el } from "./dom.js";
import { t } from "./i18n.js";
import { needsInstalling } from "./push.js";

/** What stands at the end of a game: a button, on an iPhone a sentence; null where there is nothing to install. */
export function installOffer() {
  localStorage.setItem("finished", "1");
  return offerNow();
}

/** The same elsewhere, for those who have finished one. */
export const laterOffer = () => (localStorage.getItem("finished") ? offerNow() : null);

function offerNow() {
  if (needsInstalling())
    return el("p.field-hint", {}, t("To keep Cartagena on this device: share this page and choose “Add to Home Screen”."));
  const held = globalThis.heldInstall; // the browser's own offer, kept back by shell.js
  if (!held) return null;
  const button = el("button.button.button-small", { type: "button", async onclick() {
    button.remove();
    globalThis.heldInstall = null;
    await held.prompt();
  } }, t("Install it as an app"));
  return button;
}
