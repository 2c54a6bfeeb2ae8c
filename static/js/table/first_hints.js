// Hints that appear by themselves in a newcomer's first games against bots, where the table allows hints.

/** @import {Command, StateStore} from "../core/types.d.ts" */

import { pref } from "./preferences.js";

/**
 * Ask for a hint at each position in which the player has a choice.
 * @param {StateStore} store
 * @param {(command: Command) => void} send
 */
export function FirstHints(store, send) {
  // The position of the last question. The log's number will not do: each hint is noted there, and raises it.
  /** @type {import("../core/types.d.ts").View | null} */
  let asked = null;
  const ask = () => {
    const { table, view, choices, selection, isWaiting, seq } = store.state;
    if (!pref("hints") || !table?.hints || isWaiting || choices.length < 2 || view === asked) return;
    // The player is already choosing.
    if (selection.card !== undefined || selection.from !== undefined) return;
    asked = view;
    send({ do: "hint", version: seq });
  };
  store.subscribe(["choices", "isWaiting"], ask);
  ask();
}
