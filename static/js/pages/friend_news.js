// How many friend requests and invitations wait, in the navigation. The server counts them for the first paint.

import { find } from "../core/dom.js";
import { tn } from "../core/i18n.js";

/** @param {number} count */
export function showFriendNews(count) {
  const badge = find("[data-friend-news]");
  if (!badge) return;
  badge.hidden = count === 0;
  find("[data-number]", badge).textContent = String(count);
  find("[data-words]", badge).textContent =
    ` ${tn("{n} friend request or invitation is waiting for you.", "{n} friend requests or invitations are waiting for you.", count)}`;
}
