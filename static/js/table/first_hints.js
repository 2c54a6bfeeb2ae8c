// Hints that appear by themselves in a newcomer's first games against bots, where the table allows hints.

/** @import {Command, StateStore} from "../core/types.d.ts" */

import { pref } from "./preferences.js";

// The server gives one hint every five seconds to a player who has just had many.
const RETRY_MS = 5_000;

/**
 * Ask for a hint at each position in which the player has a choice.
 * @param {StateStore} store
 * @param {(command: Command) => Promise<string | null>} send Returns the code of the refusal, or null.
 * @param {number} [retryMs]
 */
export function FirstHints(store, send, retryMs = RETRY_MS) {
  // The position of the last question. The log's number will not do: each hint is noted there, and raises it.
  /** @type {import("../core/types.d.ts").View | null} */
  let asked = null;
  async function ask() {
    const { table, view, choices, selection, hint, isWaiting, seq } = store.state;
    if (!pref("hints") || !table?.hints || hint || isWaiting || choices.length < 2 || view === asked) return;
    // The player is already choosing.
    if (selection.card !== undefined || selection.from !== undefined) return;
    asked = view;
    const refusal = await send({ do: "hint", version: seq });
    if (refusal !== "hint_too_fast") return;
    setTimeout(() => {
      if (asked !== view || store.state.view !== view) return;
      asked = null;
      ask();
    }, retryMs);
  }
  store.subscribe(["choices", "isWaiting"], ask);
  ask();
}
