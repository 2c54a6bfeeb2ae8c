// The dialog that brings a friend to a table: one's own open table, the last one together once more, or a new one.

/** @import {TablesToShare} from "../core/types.d.ts" */

import { get, post, RefusedError } from "../core/api.js";
import { createOnce, withBusyButton } from "../core/create_once.js";
import { el } from "../core/dom.js";
import { formatList, t, tn } from "../core/i18n.js";
import { presetName } from "../core/names.js";
import { takeSeat } from "../core/take_seat.js";
import { toast } from "../core/toast.js";

let isOpening = false;

/**
 * Open the dialog. A no-op while another one is being opened.
 * @param {{ id: string, name: string }} friend
 */
export async function openInviteDialog(friend) {
  if (isOpening) return;
  isOpening = true;
  try {
    showDialog(friend, await get(`/friends/${encodeURIComponent(friend.id)}/tables`));
  } finally {
    isOpening = false;
  }
}

/**
 * @param {{ id: string, name: string }} friend
 * @param {TablesToShare} tables
 */
function showDialog({ id, name }, { open, last }) {
  const said = el("p", { class: "field-said is-bad", role: "alert" });

  /**
   * @param {string} words
   * @param {string} facts
   * @param {() => Promise<unknown>} work
   */
  function Way(words, facts, work) {
    const button = el(
      "button",
      { type: "button", class: "button invite-way" },
      el("span", {}, words),
      el("small", {}, facts),
    );
    button.addEventListener("click", () => {
      said.textContent = "";
      withBusyButton(button, work).catch((problem) => {
        if (!(problem instanceof RefusedError)) throw problem;
        said.textContent = problem.message;
      });
    });
    return button;
  }

  /** @param {string} game */
  async function invite(game) {
    await post(`/games/${encodeURIComponent(game)}/invitations`, { player: id });
    dialog.close();
    toast(t("Invitation sent, if they accept invitations."));
  }

  /** @param {string} game */
  async function openAgain(game) {
    const table = await createOnce(`/games/${encodeURIComponent(game)}/again`, {});
    await takeSeat(table.id, table);
    location.assign(`/g/${encodeURIComponent(table.id)}`);
  }

  const dialog = el(
    "dialog",
    { class: "confirm", "aria-labelledby": "invite-title" },
    el("h2", { id: "invite-title" }, t("Invite {name}", { name })),
    el(
      "div",
      { class: "invite-ways" },
      ...open.map((table) =>
        Way(
          t("Invite to your open table"),
          `${table.title || presetName(table.preset)} · ${t("{taken} of {seats} seats", { taken: table.taken, seats: table.seats })}`,
          () => invite(table.id),
        ),
      ),
      last
        ? Way(
            t("Open the same table again"),
            tn("{edition}: {names} is invited.", "{edition}: {names} are invited.", last.company.length, {
              edition: presetName(last.preset),
              names: formatList(last.company),
            }),
            () => openAgain(last.id),
          )
        : null,
      el(
        "a",
        { class: "button invite-way", href: `/new?friends=1&invite=${encodeURIComponent(id)}` },
        el("span", {}, t("Open a new table")),
        el("small", {}, t("You choose the edition and the options.")),
      ),
    ),
    said,
    el("form", { method: "dialog", class: "confirm-buttons" }, el("button", { class: "button" }, t("Close"))),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
