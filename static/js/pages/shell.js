// The frame of every page: menus that close, the theme, and short notices.

const YEAR = 365 * 24 * 3600;

/** Show a short notice; it leaves by itself and is read out by screen readers. */
export function toast(sentence, kind = "note") {
  const shelf = document.getElementById("toasts");
  if (!shelf) return;
  const note = document.createElement("p");
  note.className = `toast toast-${kind}`;
  note.textContent = sentence;
  shelf.append(note);
  setTimeout(() => note.remove(), 7000);
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.cookie = `theme=${theme}; path=/; max-age=${YEAR}; samesite=lax`;
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

// Only those who asked for notices pay for them; the lobby has a socket of its own.
if (localStorage.getItem("notify") === "on" && location.pathname !== "/") {
  import("../core/turn_notice.js").then(({ isWanted, listenForTurns }) => isWanted() && listenForTurns());
}
