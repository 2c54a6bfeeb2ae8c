// Telling people what happens when they do not look: live region, page title, favicon.

import { iconUrl } from "../core/dom.js";
import { t } from "../core/i18n.js";

let said = 0;

/** Read a sentence out. Two regions in turn, so that the same sentence twice is heard twice. */
export function announce(text, urgent = false) {
  if (!text) return;
  const kind = urgent ? "alert" : "polite";
  said += 1;
  const region = document.getElementById(`live-${kind}-${said % 2}`);
  const other = document.getElementById(`live-${kind}-${(said + 1) % 2}`);
  if (other) other.textContent = "";
  if (region) region.textContent = text;
}

let plainIcon = null;
let plainTitle = null;

/** The tab says whether it is your turn; seen also by those who hear the title. */
export function showTurn(isMine, title) {
  plainTitle = title ?? plainTitle ?? document.title;
  const wanted = isMine ? t("Your turn – {title}", { title: plainTitle }) : plainTitle;
  if (document.title !== wanted) document.title = wanted;
  const link = document.querySelector('link[rel="icon"]');
  if (!link) return;
  plainIcon ??= link.href;
  const href = isMine ? iconUrl("favicon-turn.svg") : plainIcon;
  if (link.getAttribute("href") !== href) link.setAttribute("href", href);
}
