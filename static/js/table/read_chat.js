// Which chat lines were read in this browser, by table and seat.

/** @import {TableState} from "../core/types.d.ts" */

import { changePref, pref } from "./preferences.js";

const MAX_TABLES = 50;

/** @param {TableState} state */
const keyOf = ({ table, you }) => `${table.id}.${you.seat ?? ""}`;

/**
 * Return the number of the last chat line that was read.
 * @param {TableState} state
 */
export const lastReadLine = (state) => pref("chatRead").find(([key]) => key === keyOf(state))?.[1] ?? 0;

/**
 * Remember that all lines were read.
 * @param {TableState} state
 */
export function rememberReadLine(state) {
  const last = state.chatLines.at(-1)?.n ?? 0;
  if (last <= lastReadLine(state)) return;
  /** @type {[string, number]} */
  const row = [keyOf(state), last];
  changePref("chatRead", (rows) => [...rows.filter(([key]) => key !== row[0]), row].slice(-MAX_TABLES));
}
