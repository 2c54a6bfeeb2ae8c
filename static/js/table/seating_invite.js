// The part of the seating that brings other people to the table: the link, its QR code, the password, and friends.

/** @import {Send, Table, TableState} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { t, withWholeCatalogue } from "../core/i18n.js";
import { icon } from "../core/icons.js";
import { HostPassword } from "./host_password.js";

/** @param {Table} table */
const hasFreeSeat = ({ seats }) => seats.some(({ person, bot, reserved }) => !person && !bot && !reserved);

/**
 * Return what the link is good for; "" if the table is full and can't be watched.
 * @param {Table} table
 */
function linkText(table) {
  const { spectators, locked, rated } = table;
  if (hasFreeSeat(table)) {
    if (rated)
      return locked
        ? t("Anyone with this link, the password and an account can join.")
        : t("Anyone with this link and an account can join.");
    return locked
      ? t("Anyone with this link and the password can join.")
      : t("Anyone with this link can join.");
  }
  if (!spectators) return "";
  return locked
    ? t("Anyone with this link and the password can watch.")
    : t("Anyone with this link can watch.");
}

/**
 * InviteSection({game, send(command)}) -> {element, update(state)}
 * @param {{ game: string, send: Send }} options
 */
export function InviteSection({ game, send }) {
  const link = el("input", { type: "text", readonly: true, id: "invite-link" });
  const copied = el("span", { class: "copied", role: "status" });
  const copy = el(
    "button",
    { type: "button", class: "button button-small", onclick: copyLink },
    icon("ui", "ui-link"),
    t("Copy the link"),
  );
  const share = el(
    "button",
    {
      type: "button",
      class: "button button-small",
      hidden: !navigator.share,
      onclick: () => navigator.share({ title: document.title, url: link.value }).catch(() => {}),
    },
    t("Share"),
  );
  const qr = el("img", {
    class: "qr",
    alt: t("The link as a QR code"),
    width: 148,
    height: 148,
    loading: "lazy",
  });
  const friends = el(
    "button",
    {
      type: "button",
      class: "button button-small",
      onclick: () =>
        withWholeCatalogue(import("./invite_friends.js")).then(({ openFriendInvitations }) =>
          openFriendInvitations(game),
        ),
    },
    t("Invite friends"),
  );
  const linkWords = el("label", { for: "invite-link" });
  const password = HostPassword({ game, send });
  const element = el(
    "section",
    { class: "invite" },
    el("h3", {}, t("Invite")),
    el("p", { class: "invite-row" }, friends),
    password.element,
    linkWords,
    el("div", { class: "invite-row" }, link, copy, share, copied),
    qr,
  );

  async function copyLink() {
    try {
      await navigator.clipboard.writeText(link.value);
      copied.textContent = t("Copied.");
    } catch {
      link.select();
      copied.textContent = t("Press Ctrl+C to copy.");
    }
  }

  return {
    element,
    /** @param {TableState} state */
    update({ table, you }) {
      // The edition selects the preview picture of a shared link; the page ignores it.
      link.value = `${location.href.split(/[?#]/)[0]}?edition=${table.options.preset}`;
      linkWords.textContent = linkText(table);
      password.update(table.locked && you.person !== null && table.host === you.person);
      /** @type {HTMLElement} */ (friends.parentElement).hidden = you.seat === null || !hasFreeSeat(table);
      element.hidden = table.status === "closed" || !linkWords.textContent;
      if (!qr.src) qr.src = `/qr/g/${encodeURIComponent(table.id)}.svg`;
    },
  };
}
