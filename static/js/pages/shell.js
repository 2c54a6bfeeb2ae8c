// On every page: menus that close, the theme, the service worker. It imports nothing at once, so that it works offline too.

const YEAR = 365 * 24 * 3600;

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.cookie = `theme=${theme}; path=/; max-age=${YEAR}; samesite=lax`;
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
  for (const meta of document.querySelectorAll('meta[name="theme-color"]')) meta.content = paper;
  for (const button of document.querySelectorAll("[data-theme-choice]")) {
    button.setAttribute("aria-pressed", String(button.dataset.themeChoice === theme));
  }
}

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    if (menu !== except) menu.open = false;
  }
}

document.addEventListener("click", (event) => {
  const choice = event.target.closest?.("[data-theme-choice]");
  if (choice) {
    setTheme(choice.dataset.themeChoice);
    closeMenus();
    return;
  }
  closeMenus(event.target.closest?.("details[data-menu]"));
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const open = document.querySelector("details[data-menu][open]");
  if (!open) return;
  open.open = false;
  open.querySelector("summary").focus();
});

// The worker only keeps the page for "no connection"; without it (plain http, private window) all else works.
if ("serviceWorker" in navigator && window.isSecureContext) {
  navigator.serviceWorker.register("/worker.js").catch(() => {});
}

// Installing is offered after somebody's first finished game (core/install.js), and not by the browser before it.
addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  globalThis.heldInstall = event;
});

if (localStorage.getItem("push")) import("../core/push.js").then(({ refresh }) => refresh().catch(() => {})); // the next page tries again

// Only those who asked for notices pay for them; the lobby has a socket of its own.
if (localStorage.getItem("notify") === "on" && location.pathname !== "/") {
  import("../core/turn_notice.js").then(({ isWanted, listenForTurns }) => isWanted() && listenForTurns());
}
