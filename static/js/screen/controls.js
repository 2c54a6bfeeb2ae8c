// Keeps a big screen awake and hides its buttons until the pointer or a key is used.

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";

const SHOWN_MS = 4000;

/** Hold a wake lock, and request it again whenever the page becomes visible. */
export function stayAwake() {
  /** @type {WakeLockSentinel | null} */
  let lock = null;
  async function requestLock() {
    if (!navigator.wakeLock || document.visibilityState !== "visible" || (lock && !lock.released)) return;
    try {
      lock = await navigator.wakeLock.request("screen");
    } catch {
      // The device may refuse, for example at low battery.
      lock = null;
    }
  }
  document.addEventListener("visibilitychange", requestLock);
  requestLock();
}

/** ScreenTools() -> {element, setGame(game)}: the buttons for full screen, table and lobby. */
export function ScreenTools() {
  const isFull = () => document.fullscreenElement !== null;
  const fullScreenButton = el("button", { type: "button", class: "button button-small" });
  const table = el("a", { class: "button button-small" }, t("Go to the table"));
  const lobby = el("a", { class: "button button-small", href: "/" }, t("Go to the lobby"));
  const updateLabel = () =>
    (fullScreenButton.textContent = isFull() ? t("Leave full screen") : t("Go full screen"));
  fullScreenButton.hidden = !document.documentElement.requestFullscreen;
  fullScreenButton.addEventListener("click", () => {
    const done = isFull() ? document.exitFullscreen() : document.documentElement.requestFullscreen();
    // Not allowed on this device.
    done.catch(() => (fullScreenButton.hidden = true));
  });
  document.addEventListener("fullscreenchange", updateLabel);
  updateLabel();
  const element = el(
    "nav",
    { class: "screen-tools", "aria-label": t("This screen") },
    fullScreenButton,
    table,
    lobby,
  );
  let timer = 0;
  const show = () => {
    document.body.classList.add("is-touched");
    clearTimeout(timer);
    timer = setTimeout(() => document.body.classList.remove("is-touched"), SHOWN_MS);
  };
  for (const event of ["pointermove", "pointerdown", "keydown"])
    addEventListener(event, show, { passive: true });
  show();
  return {
    element,
    /** @param {string} game */
    setGame: (game) => (table.href = `/g/${encodeURIComponent(game)}`),
  };
}
