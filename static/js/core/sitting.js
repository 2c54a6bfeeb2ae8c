// Sitting down over HTTP: nothing of this browser's chance goes out before it has been shown the table's fingerprint,
// and has kept it. Whoever sits with bots alone need not say that they are ready, nor begin: that is done for them.
import { get, post } from "./api.js";
import { randomHex } from "./random.js";
import { sitting } from "./sealing.js";

const path = (id) => `/games/${encodeURIComponent(id)}`;
const command = (id, body, headers) => post(`${path(id)}/commands`, { id: randomHex(), ...body }, headers);

/** What a command is refused with when somebody, or the server by itself, has done it before. */
const DONE = new Set(["no_change", "opening", "started"]);

const unlessDone = (work) =>
  work.catch((problem) => {
    if (!DONE.has(problem.code)) throw problem;
  });

/** The table as it is now. */
export const tableOf = async (id) => (await get(path(id))).table;

/** Whether one seat is left for a person, or taken by one, and bots have all the others. */
export const isForOne = ({ seats }) => seats.length > 1 && seats.filter(({ person, bot }) => person || !bot).length === 1;

/** `shown`: what creating or quick play answered; without it the table is asked. */
export async function sitAt(id, shown = {}, headers = {}) {
  const table = shown.commitment ? shown : await tableOf(id);
  await command(id, { do: "sit", ...sitting(id, table) }, headers);
  if (table.seats && isForOne(table)) await begin(id, headers);
}

/** For whoever sits: ready for the game. */
export const beReady = (id, headers = {}) => unlessDone(command(id, { do: "ready", ready: true }, headers));

/** For whoever sits with bots alone: nobody is waited for. */
export async function begin(id, headers = {}) {
  await beReady(id, headers);
  await unlessDone(command(id, { do: "start" }, headers));
}
