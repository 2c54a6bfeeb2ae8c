// Where a replay comes from: a finished game's record, a record file, or what one has seen of a running game.
import { postTo, Refused } from "../core/api.js";
import { t } from "../core/i18n.js";
import { personName } from "../core/names.js";
import { refusal } from "../core/refusals.js";
import { getOfGame, getOfPage } from "../core/password_door.js";

/** Have the rules play a record through for one viewer: "all", null (a spectator) or a seat. */
export const playThrough = (record, viewer = "all") => postTo("/replay/steps", { record, eyes: viewer });

/** What this viewer has seen of a running game, from its start; undone moves are left out. */
const seenSoFar = (room) => getOfPage(room, "/seen");

/** {replay, seats, viewer, record}: record is null while the game runs. */
export async function fromRoom(room) {
  const state = await getOfGame(room);
  const { table, you } = state;
  if (table.status === "open") throw new Refused(409, "not_started", refusal("not_started"));
  const seats = table.seats;
  if (table.status === "running") {
    const viewer = you?.seat ?? null;
    return { replay: await seenSoFar(room), seats, viewer, record: null, table };
  }
  const record = await getOfGame(room, "/record");
  return { ...(await fromRecord(record)), seats, table, you };
}

export async function fromRecord(record, viewer = "all") {
  const replay = await playThrough(record, viewer);
  const seats = record.players.map(({ name, bot }) => ({ name: bot ? name : personName(name), bot, colour: null }));
  return { replay, seats, viewer: viewer === "all" ? null : viewer, record, table: null };
}

/** The JSON of a chosen file. */
export async function readRecord(file) {
  if (file.size > 900000) throw new Refused(413, "too_big", refusal("too_big"));
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new Refused(422, "bad_json", t("This file cannot be read. Choose a record that was downloaded after a game."));
  }
}
