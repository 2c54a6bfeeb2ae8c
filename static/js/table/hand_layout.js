// The layout of a phone beside a big screen (large cards and choices, small map), and the menu items for it.

import { el, find, loadStylesheet } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { icon } from "../core/icons.js";
import { changePref } from "./preferences.js";

// The layout is remembered for this many tables.
const MAX_TABLES = 20;

let stylesheet = null;

export const isHandLayoutOn = () => document.body.classList.contains("hand-layout");

/**
 * @param {string} game
 * @param {boolean} isWanted
 */
export function rememberHandLayout(game, isWanted) {
  changePref("hands", (games) => {
    const others = games.filter((id) => id !== game);
    return isWanted ? [...others, game].slice(-MAX_TABLES) : others;
  });
}

/**
 * @param {string} game
 * @param {boolean} isWanted
 */
async function setHandLayout(game, isWanted) {
  rememberHandLayout(game, isWanted);
  stylesheet ??= isWanted ? loadStylesheet("hand_layout") : null;
  await stylesheet;
  document.body.classList.toggle("hand-layout", isWanted);
  // The map measures itself again.
  dispatchEvent(new Event("resize"));
}

/**
 * Switch to this layout and remember it for the table.
 * @param {string} game
 */
export function startHandLayout(game) {
  const address = new URL(location.href);
  // The layout is stored now. Without this, a reload would switch it on again.
  address.searchParams.delete("hand");
  history.replaceState(history.state, "", address);
  return setHandLayout(game, true);
}

/**
 * Return the menu items: the big-screen page and, on small screens, the switch of this layout.
 * @param {string} game
 * @param {(sign: string, words: string, onclick: () => void) => HTMLElement} item
 */
export function screenMenuItems(game, item) {
  const screen = el(
    "a",
    { class: "menu-item", href: `/g/${encodeURIComponent(game)}/screen`, target: "_blank", rel: "noopener" },
    icon("ui", "ui-eye"),
    el("span", {}, t("Show the board on a big screen")),
  );
  const words = () => (isHandLayoutOn() ? t("Use the usual layout") : t("Use large cards and a small board"));
  const layout = item("ui-cards", words(), async () => {
    await setHandLayout(game, !isHandLayoutOn());
    find("span", layout).textContent = words();
  });
  layout.hidden = !matchMedia("(max-width: 61.99rem)").matches;
  return [screen, layout];
}
