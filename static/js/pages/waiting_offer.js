// The dialog of a player who waits alone at a table: a game against bots meanwhile, the empty table, or no more waiting.

/** @import {LobbyRoom, TableState} from "../core/types.d.ts" */

import { get, post, RefusedError } from "../core/api.js";
import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { randomHex } from "../core/random.js";

/** Between two questions whether a rating has come close enough; different, so that two players do not swap tables. */
const RATED_WAIT_MS = [10_000, 20_000];

/** @typedef {(button: HTMLButtonElement, work: () => Promise<unknown>, showProblem: (sentence: string) => void) => unknown} Run */

/**
 * Give up the seat. A table with another player stays open.
 * @param {string} id
 */
export async function leaveTable(id) {
  const path = `/games/${encodeURIComponent(id)}`;
  // The list of the page may be out of date.
  const { table, you } = /** @type {TableState} */ (await get(path));
  const isAlone = table.seats.filter(({ person }) => person).length < 2;
  // The player may have left on another page.
  if (table.status === "open" && you.seat !== null)
    await post(`${path}/commands`, { id: randomHex(), do: isAlone ? "close" : "stand" });
}

/**
 * WaitingOffer({run, startBotGame, goTo, findCloser}) -> {open(id, isRated), closeIfUntrue(rooms)}. `run` runs work with a
 * button disabled and shows a refusal. `findCloser` moves from a rated table to one at which somebody with a similar rating
 * waits by now, and returns its id: how far ratings may be apart grows with the waiting time.
 * @param {{ run: Run, startBotGame: () => Promise<unknown>, goTo: (id: string) => void, findCloser: (id: string) => Promise<string | null> }} parts
 */
export function WaitingOffer({ run, startBotGame, goTo, findCloser }) {
  // The open dialog. `isListed`: whether the row of the new table has arrived.
  /** @type {{ id: string, dialog: HTMLDialogElement, isListed: boolean } | null} */
  let shown = null;

  /**
   * While the dialog is open, look now and then for somebody with a similar rating.
   * @param {HTMLDialogElement} dialog
   * @param {string} id
   */
  async function askAgain(dialog, id) {
    const [least, most] = RATED_WAIT_MS;
    for (;;) {
      await new Promise((done) => setTimeout(done, least + Math.random() * (most - least)));
      if (!dialog.open) return;
      try {
        const found = await findCloser(id);
        if (found) return goTo(found);
      } catch (problem) {
        // The next question may be answered.
        if (!(problem instanceof RefusedError)) throw problem;
      }
    }
  }

  return {
    /**
     * @param {string} id
     * @param {boolean} isRated
     */
    open(id, isRated) {
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
          isRated
            ? t(
                "No one with a rating like yours is waiting right now. We'll keep your seat open. Play against bots meanwhile?",
              )
            : t("No one is waiting right now. We'll keep your seat open. Play against bots meanwhile?"),
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
      if (isRated) askAgain(dialog, id);
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
