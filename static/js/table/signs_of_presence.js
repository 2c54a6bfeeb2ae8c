// Tells the server that the player is at the page: any sign means that they are thinking, not away.

/** @import {Command, StateStore} from "../core/types.d.ts" */

const INTERVAL_MS = 30000;
const ABSENT_INTERVAL_MS = 1000;
const SIGNS = ["pointerdown", "pointermove", "keydown", "wheel", "scroll", "visibilitychange"];

/**
 * @param {StateStore} store
 * @param {{ sendOneWay(command: Command): void }} socket
 */
export function sendSigns(store, socket) {
  let sentAt = 0;
  function onSign() {
    const { table, you } = store.state;
    if (document.hidden || !table || you.seat === null) return;
    if (Date.now() - sentAt < (table.seats[you.seat].absent ? ABSENT_INTERVAL_MS : INTERVAL_MS)) return;
    sentAt = Date.now();
    socket.sendOneWay({ do: "here" });
  }
  for (const sign of SIGNS) addEventListener(sign, onSign, { passive: true, capture: true });
  // The sign that loaded this script.
  onSign();
}
