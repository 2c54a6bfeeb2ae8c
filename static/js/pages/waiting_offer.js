// The dialog of a player who waits alone for strangers: play against bots meanwhile, wait at the table, or stop waiting.

/** @import {LobbyRoom, TableState} from "../core/types.d.ts" */

import { get, post, RefusedError } from "../core/api.js";
import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { randomHex } from "../core/random.js";

/** Between two questions whether a rating has come close enough; different, so that two players do not swap tables. */
const RATED_WAIT_MS = [10_000, 20_000];

/** @typedef {Event & { currentTarget: HTMLButtonElement }} Press */

/**
 * Leave a table before the start. The list may be out of date: a table with another player stays open.
 * @param {string} id
 */
export async function leaveTable(id) {
  const path = `/games/${encodeURIComponent(id)}`;
  const { table } = /** @type {TableState} */ (await get(path));
  const isAlone = table.seats.filter(({ person }) => person).length < 2;
  await post(`${path}/commands`, { id: randomHex(), do: isAlone ? "close" : "stand" });
}

/**
 * WaitingOffer({ownRoom(id), startBotGame(), goTo(id), findCloser(id), runWithName(button, work, showProblem)}) -> {open(id, isRated), update()}
 * @param {object} lobby
 * @param {(id: string) => LobbyRoom | undefined} lobby.ownRoom
 * @param {() => Promise<void>} lobby.startBotGame
 * @param {(id: string) => void} lobby.goTo
 * @param {(id: string) => Promise<string | null>} lobby.findCloser Moves to a table at which somebody waits, if any is
 *   suitable by now: how far ratings may be apart grows with the waiting time.
 * @param {(button: HTMLButtonElement, work: () => Promise<unknown>, showProblem: (sentence: string) => void) => unknown} lobby.runWithName
 */
export function WaitingOffer({ ownRoom, startBotGame, goTo, findCloser, runWithName }) {
  // The open dialog of a player who waits alone at this table.
  /** @type {{ id: string, dialog: HTMLDialogElement } | null} */
  let offer = null;

  /** Close the dialog when another player has come or the game has started. A toast behind it could not be used. */
  function update() {
    const room = offer && ownRoom(offer.id);
    if (room && (room.status !== "open" || room.taken - room.bots > 1)) offer?.dialog.close();
  }

  /**
   * Let the player choose between a game against bots and the empty table.
   * @param {string} id
   * @param {boolean} isRated
   */
  function open(id, isRated) {
    /** @param {() => unknown} work */
    const onclick = (work) => (/** @type {Press} */ event) =>
      runWithName(
        event.currentTarget,
        async () => work(),
        (sentence) => {
          problem.textContent = sentence;
        },
      );
    const stopWaiting = async () => {
      await leaveTable(id);
      dialog.close();
    };
    // A toast would be behind the dialog.
    const problem = el("p.field-said.is-bad", { role: "alert" });
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
        el(
          "button.button.button-main",
          { type: "button", onclick: onclick(startBotGame) },
          t("Play against bots"),
        ),
        el("button.button", { type: "button", onclick: onclick(() => goTo(id)) }, t("Wait at the table")),
        el(
          "button.button.button-quiet",
          { type: "button", onclick: onclick(stopWaiting) },
          t("Stop waiting"),
        ),
      ),
      problem,
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      offer = null;
    });
    document.body.append(dialog);
    dialog.showModal();
    offer = { id, dialog };
    update();
    if (isRated) askAgain(dialog, id);
  }

  /**
   * While the dialog is open, ask now and then for a table of somebody with a similar rating.
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

  return { open, update };
}
