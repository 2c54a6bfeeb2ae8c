// Loads replays: from the record of a finished game, from a file, or from what the viewer has seen of a running game.

/** @import {GameRecord} from "../core/types.d.ts" */

import { get, postUrl, RefusedError } from "../core/api.js";
import { t } from "../core/i18n.js";
import { personName } from "../core/names.js";
import { getFromGame, getFromGamePage } from "../core/password_prompt.js";
import { describeRefusalCode } from "../core/refusals.js";

/**
 * Let the server replay a record for one viewer: "all", null (a spectator) or a seat.
 * @param {GameRecord} record
 * @param {number | "all" | null} [viewer]
 */
export const playRecord = (record, viewer = "all") => postUrl("/replay/steps", { record, eyes: viewer });

/**
 * Fetch what the viewer has seen of a running game since its start, without undone moves.
 * @param {string} room
 */
const fetchSeen = (room) => getFromGamePage(room, "/seen");

/**
 * Load the game of a table. `record` is null while the game runs, and for one's own deal of the day until that is over.
 * @param {string} room
 */
export async function loadGame(room) {
  const state = await getFromGame(room);
  const { table, you } = state;
  if (table.status === "open") throw new RefusedError(409, "not_started", describeRefusalCode("not_started"));
  const seats = table.seats;
  const loadSeen = async () => {
    const viewer = you?.seat ?? null;
    return { replay: await fetchSeen(room), seats, viewer, record: null, table };
  };
  if (table.status === "running") return loadSeen();
  // Only its player is admitted to a deal before its day is over; the record is closed until then.
  if (table.deal && !(await get(`/deal/${table.deal}`)).is_over) return loadSeen();
  const record = await getFromGame(room, "/record");
  return { ...(await loadRecord(record)), seats, table, you };
}

/**
 * @param {GameRecord} record
 * @param {number | "all" | null} [viewer]
 */
export async function loadRecord(record, viewer = "all") {
  const replay = await playRecord(record, viewer);
  const seats = record.players.map(({ name, bot }) => ({
    name: bot ? name : personName(name),
    bot,
    colour: null,
  }));
  return { replay, seats, viewer: viewer === "all" ? null : viewer, record, table: null };
}

/**
 * Parse the record in a file.
 * @param {File} file
 */
export async function readRecord(file) {
  if (file.size > 900000) throw new RefusedError(413, "too_big", describeRefusalCode("too_big"));
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new RefusedError(
      422,
      "bad_json",
      t("This file cannot be read. Choose a record that was downloaded after a game."),
    );
  }
}
