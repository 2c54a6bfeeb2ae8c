// Commands that a player can't take back: each is sent after a confirmation.

/** @import {Seat, Send} from "../core/types.d.ts" */

import { confirmAction } from "../core/confirm_dialog.js";
import { t } from "../core/i18n.js";

/**
 * What commands about another player need. `currentSeats()` returns the seats at the time of the call.
 * @typedef {{ send: Send, currentSeats: () => Seat[], refuse: (text: string) => void }} TableAccess
 */

/**
 * Send a command about the seat that the person has now: people can move while the question is open.
 * @param {TableAccess} table
 * @param {"host" | "remove"} command
 * @param {string} person
 * @param {string} name
 */
function sendAbout({ send, currentSeats, refuse }, command, person, name) {
  const seat = currentSeats().findIndex((info) => info.person === person);
  if (seat >= 0) send({ do: command, seat });
  else refuse(t("{name} no longer has a seat at this table.", { name }));
}

/**
 * Hand the host role over.
 * @param {TableAccess} table
 * @param {string} person
 * @param {string} name
 */
export async function makeHost(table, person, name) {
  const question = t("Make {name} the host? Only {name} can make you the host again.", { name });
  if (await confirmAction(question, t("Make {name} the host", { name })))
    sendAbout(table, "host", person, name);
}

/**
 * Remove a player from their seat.
 * @param {TableAccess} table
 * @param {string} person
 * @param {string} name
 * @param {boolean} isStarting Whether the start waits for that player's browser.
 */
export async function removePlayer(table, person, name, isStarting) {
  const question = isStarting
    ? t("Remove {name}? The start is called off. {name} can sit down again, if a seat is free.", { name })
    : t("Remove {name} from this table? {name} can't sit down here for ten minutes, unless you allow it.", {
        name,
      });
  if (await confirmAction(question, t("Remove {name}", { name }))) sendAbout(table, "remove", person, name);
}

/**
 * Stand up as the host: the role passes on.
 * @param {Send} send
 */
export async function standUpAsHost(send) {
  if (await confirmAction(t("Stand up? Another player becomes the host."), t("Stand up")))
    send({ do: "stand" });
}

/**
 * Vote to end the game because a player is absent.
 * @param {Send} send
 * @param {number} seat The absent player's seat.
 */
export async function voteToEnd(send, seat) {
  const question = t(
    "Vote to end this game? It ends for everyone, without a winner, as soon as most of the players who are here agree.",
  );
  if (await confirmAction(question, t("End the game"))) send({ do: "vote", seat, choice: "end" });
}
