// Loaded by every page: menus, theme, service worker. It has no static imports, so that it works offline, too.

const YEAR_SECONDS = 365 * 24 * 3600;

/** @param {string} theme */
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.cookie = `theme=${theme}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
  /** @type {NodeListOf<HTMLMetaElement>} */
  const colours = document.querySelectorAll('meta[name="theme-color"]');
  for (const meta of colours) meta.content = paper;
  /** @type {NodeListOf<HTMLElement>} */
  const buttons = document.querySelectorAll("[data-theme-choice]");
  for (const button of buttons) {
    button.setAttribute("aria-pressed", String(button.dataset.themeChoice === theme));
  }
}

/** @param {Element | null} [except] */
function closeMenus(except) {
  /** @type {NodeListOf<HTMLDetailsElement>} */
  const menus = document.querySelectorAll("details[data-menu][open]");
  for (const menu of menus) {
    if (menu !== except) menu.open = false;
  }
}

document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const choice = /** @type {HTMLElement | null} */ (target.closest?.("[data-theme-choice]"));
  if (choice) {
    setTheme(String(choice.dataset.themeChoice));
    closeMenus();
    return;
  }
  closeMenus(target.closest?.("details[data-menu]"));
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  /** @type {HTMLDetailsElement | null} */
  const open = document.querySelector("details[data-menu][open]");
  if (!open) return;
  open.open = false;
  open.querySelector("summary")?.focus();
});

// The pages work without the service worker (plain http, private windows).
if ("serviceWorker" in navigator && window.isSecureContext) {
  navigator.serviceWorker.register("/worker.js").catch(() => {});
}

// Defer the browser's install prompt until after the first finished game (core/install_offer.js).
addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  globalThis.deferredInstallPrompt = event;
});

if (localStorage.getItem("push"))
  // On failure the next page tries again.
  import("../core/push.js").then(({ refreshSubscription }) => refreshSubscription().catch(() => {}));

// Loaded only if the reader has unfinished games, which the server counts without the table of this page, or waits at a
// table (core/kept_seat.js), which may be this one. The lobby has its own socket.
/** @type {HTMLElement | null} */
const ownGames = document.querySelector("[data-own-games]");
if (
  ownGames &&
  (ownGames.dataset.ownGames !== "0" ||
    localStorage.getItem("notify") === "on" ||
    localStorage.getItem("cartagena.keptSeat"))
) {
  if (location.pathname !== "/")
    import("../core/turn_notice.js").then(({ listenForTurns }) => listenForTurns());
}
