// Taking a seat over HTTP. The browser stores the table's commitment before it sends a seal or nonce. Against bots only,
// it also gets ready and starts the game.

/** @import {Seat} from "./types.d.ts" */

import { get, post } from "./api.js";
import { randomHex } from "./random.js";
import { sitFields } from "./sealing.js";

/** @param {string} id */
const gamePath = (id) => `/games/${encodeURIComponent(id)}`;
/**
 * @param {string} id
 * @param {{ do: string, [field: string]: unknown }} body
 * @param {Record<string, string>} headers
 */
const postCommand = (id, body, headers) =>
  post(`${gamePath(id)}/commands`, { id: randomHex(), ...body }, headers);

/** Refusal codes of a command whose effect is already there. */
const ALREADY_DONE_CODES = new Set(["no_change", "opening", "started"]);

/** @param {Promise<unknown>} work */
const ignoreAlreadyDone = (work) =>
  work.catch((problem) => {
    if (!ALREADY_DONE_CODES.has(problem.code)) throw problem;
  });

/**
 * Fetch the current table.
 * @param {string} id
 */
export const fetchTable = async (id) => (await get(gamePath(id))).table;

/**
 * Whether all seats but one have bots; a person may have taken that one.
 * @param {{ seats: Seat[] }} parts
 */
export const isAgainstBotsOnly = ({ seats }) =>
  seats.length > 1 && seats.filter(({ person, bot }) => person || !bot).length === 1;

/**
 * Take a seat. `shown` is the answer of creating or quick play; without it the table is fetched.
 * @param {string} id
 * @param {{ commitment?: string, seats?: Seat[] }} [shown]
 * @param {Record<string, string>} [headers]
 */
export async function takeSeat(id, shown = {}, headers = {}) {
  const table = shown.commitment ? shown : await fetchTable(id);
  await postCommand(id, { do: "sit", ...sitFields(id, table) }, headers);
  if (table.seats && isAgainstBotsOnly(table)) await startGame(id, headers);
}

/**
 * Declare the own seat ready.
 * @param {string} id
 * @param {Record<string, string>} [headers]
 */
export const setReady = (id, headers = {}) =>
  ignoreAlreadyDone(postCommand(id, { do: "ready", ready: true }, headers));

/**
 * Get ready and start the game.
 * @param {string} id
 * @param {Record<string, string>} [headers]
 */
export async function startGame(id, headers = {}) {
  await setReady(id, headers);
  await ignoreAlreadyDone(postCommand(id, { do: "start" }, headers));
}
