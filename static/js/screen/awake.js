// A screen that nobody touches: it stays lit while the page is shown, and its few buttons hide until somebody moves.

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";

const SHOWN_FOR = 4000; // milliseconds after the last move of a pointer

/** Ask the device not to dim; again whenever the page comes back to the front, where the last lock has lapsed. */
export function stayAwake() {
  let lock = null;
  async function take() {
    if (!navigator.wakeLock || document.visibilityState !== "visible" || (lock && !lock.released)) return;
    try {
      lock = await navigator.wakeLock.request("screen");
    } catch {
      lock = null; // a low battery, say: the device decides, and is asked again when the page is shown anew
    }
  }
  document.addEventListener("visibilitychange", take);
  take();
}

/** The buttons in the corner: the whole screen, and the way back. Gives {element, follow(game)}. */
export function Tools() {
  const isFull = () => document.fullscreenElement !== null;
  const whole = el("button", { type: "button", class: "button button-small" });
  const table = el("a", { class: "button button-small" }, t("To the table"));
  const lobby = el("a", { class: "button button-small", href: "/" }, t("To the lobby"));
  const label = () => (whole.textContent = isFull() ? t("Leave the full screen") : t("Full screen"));
  whole.hidden = !document.documentElement.requestFullscreen;
  whole.addEventListener("click", () => {
    const done = isFull() ? document.exitFullscreen() : document.documentElement.requestFullscreen();
    done.catch(() => (whole.hidden = true)); // a device that does not allow it
  });
  document.addEventListener("fullscreenchange", label);
  label();
  const element = el("nav", { class: "screen-tools", "aria-label": t("This screen") }, whole, table, lobby);
  let timer = 0;
  const show = () => {
    document.body.classList.add("is-touched");
    clearTimeout(timer);
    timer = setTimeout(() => document.body.classList.remove("is-touched"), SHOWN_FOR);
  };
  for (const event of ["pointermove", "pointerdown", "keydown"]) addEventListener(event, show, { passive: true });
  show();
  return { element, follow: (game) => (table.href = `/g/${encodeURIComponent(game)}`) };
}
