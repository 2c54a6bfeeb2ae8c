// How many games wait for the player: in the navigation, and in the tab's title and icon. The server counts them for the
// first paint; on the page of a table, without that table.

import { find } from "./dom.js";
import { tn } from "./i18n.js";
import { iconUrl } from "./icons.js";

const badge = () => find("[data-turns]");

export const countTurns = () =>
  badge() && !badge().hidden ? Number(find("[data-number]", badge()).textContent) : 0;

/**
 * Put the count in front of a title, as the server does.
 * @param {string} title
 */
export function withTurnCount(title) {
  const count = countTurns();
  return count ? `(${count}) ${title}` : title;
}

/** @param {boolean} isTurn */
export function showTabIcon(isTurn) {
  const link = /** @type {HTMLLinkElement | null} */ (find('link[rel="icon"]'));
  const href = iconUrl(isTurn ? "favicon-turn.svg" : "favicon.svg");
  if (link && link.getAttribute("href") !== href) link.setAttribute("href", href);
}

/** @param {number} count */
export function showTurnCount(count) {
  if (!badge()) return;
  badge().hidden = count === 0;
  find("[data-number]", badge()).textContent = String(count);
  find("[data-words]", badge()).textContent =
    ` ${tn("{n} game is waiting for you.", "{n} games are waiting for you.", count)}`;
  const title = withTurnCount(document.title.replace(/^\(\d+\) /, ""));
  if (document.title !== title) document.title = title;
  // The table page also shows whether its own game waits.
  showTabIcon(count > 0 || document.getElementById("table")?.dataset.mine === "true");
}
