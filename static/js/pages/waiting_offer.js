// The dialog of a player who waits alone at a table: a game against bots meanwhile, the empty table, or no more waiting.

/** @import {LobbyRoom, TableState} from "../core/types.d.ts" */

import { get, post } from "../core/api.js";
import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { randomHex } from "../core/random.js";

/** @typedef {(button: HTMLButtonElement, work: () => Promise<unknown>, showProblem: (sentence: string) => void) => unknown} Run */

/**
 * Give up the seat. A table with another player stays open.
 * @param {string} id
 */
async function leaveTable(id) {
  const path = `/games/${encodeURIComponent(id)}`;
  // The list of the page may be out of date.
  const { table, you } = /** @type {TableState} */ (await get(path));
  const isAlone = table.seats.filter(({ person }) => person).length < 2;
  // The player may have left on another page.
  if (table.status === "open" && you.seat !== null)
    await post(`${path}/commands`, { id: randomHex(), do: isAlone ? "close" : "stand" });
}

/**
 * WaitingOffer({run, startBotGame, goTo}) -> {open(id), closeIfUntrue(rooms)}. `run` runs work with a button disabled and
 * shows a refusal.
 * @param {{ run: Run, startBotGame: () => Promise<unknown>, goTo: (id: string) => void }} parts
 */
export function WaitingOffer({ run, startBotGame, goTo }) {
  // The open dialog. `isListed`: whether the row of the new table has arrived.
  /** @type {{ id: string, dialog: HTMLDialogElement, isListed: boolean } | null} */
  let shown = null;

  return {
    /** @param {string} id */
    open(id) {
      async function stopWaiting() {
        await leaveTable(id);
        dialog.close();
      }
      // A toast would be behind the dialog.
      const problem = el("p.field-said.is-bad", { role: "alert" });
      /**
       * @param {string} name
       * @param {string} words
       * @param {() => unknown} work
       */
      const button = (name, words, work) =>
        el(
          name,
          {
            type: "button",
            onclick: (/** @type {Event & { currentTarget: HTMLButtonElement }} */ event) =>
              run(
                event.currentTarget,
                async () => work(),
                (sentence) => {
                  problem.textContent = sentence;
                },
              ),
          },
          words,
        );
      const dialog = el(
        "dialog.door",
        { "aria-labelledby": "queue-words" },
        el(
          "p",
          { id: "queue-words" },
          t("No one is waiting right now. We'll keep your seat open. Play against bots meanwhile?"),
        ),
        el(
          "div.door-ways",
          {},
          button("button.button.button-main", t("Play against bots"), startBotGame),
          button("button.button", t("Wait at the table"), () => goTo(id)),
          button("button.button.button-quiet", t("Stop waiting"), stopWaiting),
        ),
        problem,
      );
      dialog.addEventListener("close", () => {
        dialog.remove();
        shown = null;
      });
      document.body.append(dialog);
      dialog.showModal();
      shown = { id, dialog, isListed: false };
    },
    /**
     * Close the dialog when another player has come, the game has started or the seat is lost. A toast behind it could not
     * be used.
     * @param {Map<string, LobbyRoom>} rooms The player's tables.
     */
    closeIfUntrue(rooms) {
      if (!shown) return;
      const room = rooms.get(shown.id);
      shown.isListed ||= room !== undefined;
      const isTrue = room ? room.status === "open" && room.taken - room.bots < 2 : !shown.isListed;
      if (!isTrue) shown.dialog.close();
    },
  };
}
