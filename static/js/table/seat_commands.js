// Commands that most visits do without: sit down, leave a game against bots, mute a person.

/** @import {Send, StateStore, Table, TableState} from "../core/types.d.ts" */

import { sitFields } from "../core/sealing.js";
import { isAgainstBotsOnly } from "../core/take_seat.js";

/**
 * @typedef {object} Access
 * @property {string} game
 * @property {StateStore} store
 * @property {{ reconnect(): void, resync(): void }} socket
 * @property {Send} send
 * @property {() => Promise<boolean>} resign
 * @property {(text: string) => void} refuse
 */

/**
 * SeatCommands(access) -> {sit(seat, ensurePlayer), leaveBots(), mute(person, on)}
 * @param {Access} access
 */
export function SeatCommands({ game, store, socket, send, resign, refuse }) {
  const tableNow = () => /** @type {Table} */ (store.state.table);

  /**
   * Take a seat; at a table with bots on all others, start the game.
   * @param {number} seat
   * @param {(table: Table) => Promise<boolean | null>} ensurePlayer Returns whether the socket does not know the
   *   person yet; null if the person may not sit here and has been told why.
   */
  async function sit(seat, ensurePlayer) {
    try {
      const isNew = await ensurePlayer(tableNow());
      if (isNew === null) return;
      if (isNew) socket.reconnect();
    } catch (problem) {
      refuse(/** @type {Error} */ (problem).message);
      return;
    }
    const againstBots = isAgainstBotsOnly(tableNow());
    // The refusal has been shown; those of the next commands would replace it.
    if (!(await send({ do: "sit", seat, ...sitFields(game, tableNow()) }))) return;
    // A new hello tells the room that this seat is connected.
    socket.resync();
    if (!againstBots) return;
    send({ do: "ready", ready: true });
    send({ do: "start" });
  }

  /** Leave a game against bots for good. */
  async function leaveBots() {
    const { table, you } = /** @type {TableState} */ (store.state);
    if (table.seats[/** @type {number} */ (you.seat)].bot) await send({ do: "return" });
    if (await resign()) location.assign("/");
  }

  /**
   * Mute a person's chat lines, or unmute and fetch those that were hidden meanwhile.
   * @param {string} person
   * @param {boolean} on
   */
  async function mute(person, on) {
    if (!(await send({ do: "mute", person, on }))) return;
    const { you, chatLines } = store.state;
    const others = you.muted.filter((id) => id !== person);
    if (on) {
      store.set({
        you: { ...you, muted: [...others, person] },
        chatLines: chatLines.filter((line) => line.person !== person),
      });
    } else {
      store.set({ you: { ...you, muted: others }, chat: null, chatLines: [] });
      socket.resync();
    }
  }

  return { sit, leaveBots, mute };
}
