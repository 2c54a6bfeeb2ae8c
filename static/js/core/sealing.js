// What this browser stores about a table's randomness: the commitment it was shown, its own nonces, and what the start
// froze. Comparing that with the record afterwards proves that nobody chose the deck (docs/protocol.md §9).

/** @import {Command, GameRecord, Opening, Table, You} from "./types.d.ts" */

import { randomHex } from "./random.js";
import { sha256hex } from "./sha256.js";

/**
 * What a start froze, as this browser was shown it.
 * @typedef {Pick<Opening, "seq" | "order" | "options" | "bots" | "seals"> & { commitment: string }} FrozenRound
 *
 * What this browser stores about a table. `nonces` is keyed by seal.
 * @typedef {object} StoredTable
 * @property {string} commitment
 * @property {number} scheme
 * @property {Record<string, string>} nonces
 * @property {FrozenRound[]} rounds
 * @property {number} at
 *
 * A table whose seats are sealed.
 * @typedef {Table & { seals: (string | null)[] }} SealedTable
 *
 * A table whose start waits until all seals are open.
 * @typedef {Table & { opening: Opening }} OpeningTable
 */

const STORAGE_PREFIX = "cartagena.chance.";
const MAX_STORED_TABLES = 300;
// Fallback for browsers that refuse storage; lost when the page closes.
/** @type {Map<string, StoredTable>} */
const inMemory = new Map();

/**
 * Return what is stored about a table; null if this browser never sat there.
 * @param {string} game
 * @returns {StoredTable | null}
 */
function readStored(game) {
  try {
    const text = localStorage.getItem(STORAGE_PREFIX + game);
    if (text) return JSON.parse(text);
  } catch {
    // No storage: fall back to memory.
  }
  return inMemory.get(game) ?? null;
}

/**
 * @param {string} game
 * @param {Omit<StoredTable, "at">} what
 */
function writeStored(game, what) {
  const whole = { ...what, at: Date.now() };
  inMemory.set(game, whole);
  try {
    if (!localStorage.getItem(STORAGE_PREFIX + game)) dropOldest();
    localStorage.setItem(STORAGE_PREFIX + game, JSON.stringify(whole));
  } catch {
    // Private windows may refuse.
  }
}

function dropOldest() {
  const all = Object.keys(localStorage).filter((key) => key.startsWith(STORAGE_PREFIX));
  if (all.length < MAX_STORED_TABLES) return;
  /** @param {string} key */
  const age = (key) => JSON.parse(/** @type {string} */ (localStorage.getItem(key))).at;
  localStorage.removeItem(all.reduce((oldest, key) => (age(key) < age(oldest) ? key : oldest)));
}

/**
 * Create and store a nonce; return its seal.
 * @param {string} game
 * @param {{ commitment: string }} table
 */
function createNonce(game, { commitment }) {
  const stored = readStored(game);
  const before = stored?.commitment === commitment ? stored : { rounds: [], nonces: {} };
  const nonce = randomHex();
  const seal = sha256hex(`${commitment}|${nonce}`);
  writeStored(game, { ...before, commitment, scheme: 2, nonces: { ...before.nonces, [seal]: nonce } });
  return seal;
}

/**
 * Return the fields that `sit` needs. `table` has the commitment that this page was shown.
 * @param {string} game
 * @param {{ commitment: string }} table
 */
export function sitFields(game, table) {
  return { seal: createNonce(game, table) };
}

/** @type {("order" | "options" | "bots" | "seals")[]} */
const FROZEN_FIELDS = ["order", "options", "bots", "seals"];

/**
 * Whether this browser has the nonce of the seal that was frozen for the seat.
 * @param {string} game
 * @param {OpeningTable} table
 * @param {number} seat
 */
export function canOpen(game, table, seat) {
  const number = table.opening.order.indexOf(seat);
  const stored = readStored(game);
  return (
    stored?.commitment === table.commitment && Boolean(stored.nonces[String(table.opening.seals[number])])
  );
}

/**
 * Whether the seat has opened its seal or has none.
 * @param {OpeningTable} parts
 * @param {number} seat
 */
export function hasOpened({ opening }, seat) {
  const number = opening.order.indexOf(seat);
  return number < 0 || opening.nonces[number] !== null || opening.seals[number] === null;
}

/**
 * Store what the start froze and return the command that opens the seal.
 * @param {string} game
 * @param {OpeningTable} table
 * @param {number} seat
 */
function openCommand(game, table, seat) {
  const { opening, commitment } = table;
  const frozen = {
    seq: opening.seq,
    commitment,
    .../** @type {Omit<FrozenRound, "seq" | "commitment">} */ (
      Object.fromEntries(FROZEN_FIELDS.map((name) => [name, opening[name]]))
    ),
  };
  // Not null: canOpen() was true.
  const stored = /** @type {StoredTable} */ (readStored(game));
  const others = stored.rounds.filter(({ seq }) => seq !== opening.seq);
  writeStored(game, { ...stored, rounds: [...others, frozen] });
  const nonce = stored.nonces[String(opening.seals[opening.order.indexOf(seat)])];
  return { do: "open", nonce, next_seal: createNonce(game, table) };
}

/**
 * Return the command that voids a round: this browser no longer has the nonce.
 * @param {string} game
 * @param {Table} table
 */
export const voidCommand = (game, table) => ({ do: "void", next_seal: createNonce(game, table) });

/**
 * Return the command that seals the seat again.
 * @param {string} game
 * @param {Table} table
 */
const sealCommand = (game, table) => ({ do: "seal", seal: createNonce(game, table) });

/**
 * Whether this browser made the seal of the seat.
 * @param {string} game
 * @param {SealedTable} table
 * @param {number} seat
 */
const isOwnSeal = (game, table, seat) => Boolean(readStored(game)?.nonces[String(table.seals[seat])]);

/**
 * AutoSeal(game, send) -> (state) => void: seals and opens the seat whenever the table asks for it.
 * A seal of another device is replaced only when the page loads, so that two devices do not replace each other's forever.
 * @param {string} game
 * @param {(command: Command) => void} send
 */
export function AutoSeal(game, send) {
  let answeredRequest = "";
  let isFirstCall = true;
  return (/** @type {{ table: Table, you: You }} */ { table, you }) => {
    if (table.status !== "open" || table.scheme !== 2 || you.seat === null) return;
    const { opening } = table;
    const request = JSON.stringify(
      opening ? [opening.seq, opening.asked] : ["seal", table.void_rounds, you.seat],
    );
    if (request === answeredRequest) return;
    if (opening) {
      const waiting = { ...table, opening };
      if (hasOpened(waiting, you.seat) || !canOpen(game, waiting, you.seat)) return;
      answeredRequest = request;
      send(openCommand(game, waiting, you.seat));
    } else {
      const sealed = /** @type {SealedTable} */ (table);
      const isOwn = isOwnSeal(game, sealed, you.seat);
      if (isOwn || (sealed.seals[you.seat] !== null && !isFirstCall)) {
        isFirstCall = false;
        return;
      }
      isFirstCall = false;
      answeredRequest = request;
      send(sealCommand(game, table));
    }
  };
}

/**
 * Return what is stored about the table with this commitment.
 * @param {string} commitment
 */
function findByCommitment(commitment) {
  const games = [...inMemory.keys()];
  try {
    games.push(
      ...Object.keys(localStorage).flatMap((key) =>
        key.startsWith(STORAGE_PREFIX) ? [key.slice(STORAGE_PREFIX.length)] : [],
      ),
    );
  } catch {
    // No storage: fall back to memory.
  }
  return games.map(readStored).find((stored) => stored?.commitment === commitment) ?? null;
}

/**
 * Compare what is stored with a record: "same"; "other" if it is not the game that this browser was shown; "unused" if
 * the game contains none of its nonces; "absent" if it never sat there.
 * @param {GameRecord} record
 * @param {string | null} [game]
 */
export function compareWithRecord(record, game = null) {
  const stored = game === null ? findByCommitment(record.commitment) : readStored(game);
  if (!stored) return "absent";
  if (stored.commitment !== record.commitment || stored.scheme !== (record.scheme ?? 1)) return "other";
  const own = new Set(Object.values(stored.nonces));
  if ((record.scheme ?? 1) === 1) return record.nonces.some((nonce) => own.has(nonce)) ? "same" : "unused";
  const started = {
    options: record.options,
    bots: record.players.map(({ bot }) => bot),
    seals: record.seals,
  };
  /** @param {FrozenRound} round */
  const isGame = (round) =>
    /** @type {(keyof typeof started)[]} */ (["options", "bots", "seals"]).every((name) =>
      isSameJson(round[name], started[name]),
    );
  /** @param {FrozenRound} round */
  const isVoid = (round) => record.void_rounds.some(({ seals }) => isSameJson(seals, round.seals));
  if (!stored.rounds.every((round) => isGame(round) || isVoid(round))) return "other";
  if (!stored.rounds.some(isGame)) return "unused";
  return record.seals.every(
    (seal, seat) => !stored.nonces[String(seal)] || stored.nonces[String(seal)] === record.nonces[seat],
  )
    ? "same"
    : "other";
}

/**
 * Whether two JSON values are equal regardless of key order.
 * @param {unknown} one
 * @param {unknown} other
 */
function isSameJson(one, other) {
  /** @type {(value: unknown) => unknown} */
  const plain = (value) =>
    value && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((name) => [name, plain(/** @type {Record<string, unknown>} */ (value)[name])]),
        )
      : value;
  return JSON.stringify(plain(one)) === JSON.stringify(plain(other));
}
