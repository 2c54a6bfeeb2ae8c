// Commands that a player can't take back: each is sent after a confirmation.

/** @import {Send} from "../core/types.d.ts" */

import { confirmAction } from "../core/confirm_dialog.js";
import { t } from "../core/i18n.js";

/**
 * Hand the host role over.
 * @param {Send} send
 * @param {number} seat
 * @param {string} name
 */
export async function makeHost(send, seat, name) {
  const question = t("Make {name} the host? Only {name} can make you the host again.", { name });
  if (await confirmAction(question, t("Make {name} the host", { name }))) send({ do: "host", seat });
}

/**
 * Remove a player from a seat.
 * @param {Send} send
 * @param {number} seat
 * @param {string} name
 * @param {boolean} isStarting Whether the start waits for that player's browser.
 */
export async function removePlayer(send, seat, name, isStarting) {
  const question = isStarting
    ? t("Remove {name}? The start is called off. {name} can sit down again, if a seat is free.", { name })
    : t("Remove {name} from this table? {name} can't sit down here for ten minutes, unless you allow it.", {
        name,
      });
  if (await confirmAction(question, t("Remove {name}", { name }))) send({ do: "remove", seat });
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
