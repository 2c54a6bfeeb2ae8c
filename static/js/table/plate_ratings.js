// The players' ratings at a rated table, for their plates.

/** @import {PlateRating, SeatRating, StateStore} from "../core/types.d.ts" */

import { get, RefusedError } from "../core/api.js";
import { ratingWords } from "../core/rating_text.js";
import { passwordHeader } from "../core/room_password.js";

/**
 * Fetch the ratings and put them into the state. A reader who hides ratings gets none.
 * @param {string} game
 * @param {StateStore} store
 */
export async function loadPlateRatings(game, store) {
  try {
    const path = `/games/${encodeURIComponent(game)}/seat-ratings`;
    /** @type {{ ratings: SeatRating[] }} */
    const { ratings } = await get(path, passwordHeader(store.state.password));
    /** @type {Record<number, PlateRating>} */
    const plateRatings = {};
    for (const rating of ratings)
      plateRatings[rating.seat] = {
        text: rating.uncertain ? `${rating.number}?` : String(rating.number),
        words: ratingWords(rating),
      };
    store.set({ plateRatings });
  } catch (problem) {
    // The table is complete without them.
    if (!(problem instanceof RefusedError)) throw problem;
  }
}
