// The dialog at an open table that invites friends: those who are online come first.

/** @import {FriendLists} from "../core/types.d.ts" */

import { get, post, RefusedError } from "../core/api.js";
import { el, setChildren } from "../core/dom.js";
import { presenceText, sortByPresence } from "../core/friend_presence.js";
import { t } from "../core/i18n.js";

/**
 * Open the dialog.
 * @param {string} game
 */
export function openFriendInvitations(game) {
  const list = el("ul", { class: "invite-friends" });
  const words = el("p", { role: "status" }, t("Loading your friends…"));

  /** @param {FriendLists["friends"][number]} friend */
  function row(friend) {
    const said = el("small", { role: "status" }, presenceText(friend));
    const button = el(
      "button",
      {
        type: "button",
        class: "button button-small",
        "aria-label": t("Invite {name}", { name: friend.name }),
        onclick: invite,
      },
      t("Invite"),
    );
    async function invite() {
      button.disabled = true;
      try {
        await post(`/games/${encodeURIComponent(game)}/invitations`, { player: friend.id });
        button.remove();
        said.textContent = t("Invited.");
      } catch (problem) {
        if (!(problem instanceof RefusedError)) throw problem;
        button.disabled = false;
        said.textContent = problem.message;
      }
    }
    return el(
      "li",
      { class: friend.online ? "is-online" : "" },
      el("span", { class: "invite-friend" }, el("b", {}, friend.name), said),
      button,
    );
  }

  async function fill() {
    /** @type {FriendLists} */
    const { friends } = await get("/friends");
    const sorted = sortByPresence(friends);
    setChildren(list, ...sorted.map(row));
    if (sorted.length) words.remove();
    else
      setChildren(
        words,
        t("You have no friends here yet. After a game, you can add the people you played with."),
        " ",
        el("a", { href: "/friends" }, t("Friends")),
      );
  }

  const dialog = el(
    "dialog",
    { class: "confirm", "aria-labelledby": "invite-title" },
    el("h2", { id: "invite-title" }, t("Invite friends")),
    words,
    list,
    el("form", { method: "dialog", class: "confirm-buttons" }, el("button", { class: "button" }, t("Close"))),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  fill().catch((problem) => {
    if (!(problem instanceof RefusedError)) throw problem;
    words.textContent = problem.message;
  });
}
