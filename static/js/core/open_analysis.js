// The way from a page with a game that is over to the analysis board.

/** @import {View} from "./types.d.ts" */

import { postUrl } from "./api.js";

/**
 * Whether a view can be analysed: every hand is known, no choice is pending, and the game is not over.
 * @param {View} view
 */
export const canAnalyse = (view) =>
  view.winner === null && !view.pending && view.players.every(({ hand }) => hand);

/**
 * Open the analysis board with a view. Rejects with a RefusedError.
 * @param {View} view
 */
export async function openAnalysis(view) {
  const { start } = await postUrl("/analysis/play", { view });
  location.assign(`/analysis?p=${encodeURIComponent(start)}`);
}
