// "Start a table for this room": a table that nobody sits at yet, opened by the screen that shows it.
import { createOnce } from "./creating.js";

const SEATS = 5; // those that stay empty close up at the start
/** What makes a table one for a room; bots take their time, so that everybody sees what they do. */
export const ON_SCREEN = { screen: true, pace: 1600 };

export const screenPage = (id) => `/g/${encodeURIComponent(id)}/screen`;

/** Opens it, and gives its id. Whoever scans the code sits down; it begins when all who sit are ready. */
export async function openForRoom() {
  const { id } = await createOnce("/games?make_room=true", {
    options: { preset: "jamaica", players: SEATS },
    visibility: "unlisted",
    ...ON_SCREEN,
  });
  return id;
}
