// Sitting down from a page that is not the table's: nothing of this browser's chance goes out before it has been
// shown the table's fingerprint, and has kept it.
import { sitting } from "../core/sealing.js";
import { get, post } from "../core/api.js";
import { randomHex } from "../core/random.js";

/** `shown`: what creating or quick play answered; without it the table is asked. */
export async function sitAt(id, shown = {}, headers = {}) {
  const path = `/games/${encodeURIComponent(id)}`;
  const table = shown.commitment ? shown : (await get(path)).table;
  return post(`${path}/commands`, { do: "sit", id: randomHex(), ...sitting(id, table) }, headers);
}
