// Tables opened from a big screen, with all seats free.
import { createOrMakeRoom } from "./make_room.js";

// Seats that stay empty are removed at the start.
const SEAT_COUNT = 5;
/** Fields of a table for a big screen. Bots move slowly so that the whole room can follow. */
export const SCREEN_TABLE_FIELDS = { screen: true, pace: 1600 };

/** @param {string} id */
export const screenPath = (id) => `/g/${encodeURIComponent(id)}/screen`;

/** Open a table and return its id. Players join by scanning its code; the game starts when all of them are ready. */
export async function openScreenTable() {
  const { id } = await createOrMakeRoom({
    options: { preset: "jamaica", players: SEAT_COUNT },
    visibility: "unlisted",
    ...SCREEN_TABLE_FIELDS,
  });
  return id;
}
