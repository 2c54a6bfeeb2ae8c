// What this browser keeps of a table's chance: the fingerprint it was shown, the numbers it made, what the start froze.
// Whoever keeps that and compares it with the record afterwards knows that nobody chose the deck.

import { randomHex } from "./random.js";
import { sha256hex } from "./sha256.js";

const PREFIX = "cartagena.chance.";
const MOST = 300; // tables; the oldest is forgotten
const inMemory = new Map(); // where storage is refused: it lasts as long as the page

/** {commitment, scheme, nonces: {seal: nonce}, rounds, at} of a table, or null when this browser was never there. */
function kept(game) {
  try {
    const text = localStorage.getItem(PREFIX + game);
    if (text) return JSON.parse(text);
  } catch {
    // then what this page remembers is all there is
  }
  return inMemory.get(game) ?? null;
}

function keep(game, what) {
  const whole = { ...what, at: Date.now() };
  inMemory.set(game, whole);
  try {
    if (!localStorage.getItem(PREFIX + game)) forgetOldest();
    localStorage.setItem(PREFIX + game, JSON.stringify(whole));
  } catch {
    // private windows may refuse
  }
}

function forgetOldest() {
  const all = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  if (all.length < MOST) return;
  const age = (key) => JSON.parse(localStorage.getItem(key)).at;
  localStorage.removeItem(all.reduce((oldest, key) => (age(key) < age(oldest) ? key : oldest)));
}

/** A new number of this browser's, kept before anything of it goes out; what may be shown of it. */
function made(game, { commitment, scheme }) {
  const known = kept(game);
  const before = known?.commitment === commitment ? known : { rounds: [], nonces: {} };
  const nonce = randomHex();
  const shown = scheme === 2 ? sha256hex(`${commitment}|${nonce}`) : nonce;
  keep(game, { ...before, commitment, scheme, nonces: { ...before.nonces, [shown]: nonce } });
  return shown;
}

/** What goes with `sit`; `table` is anything that has the table's commitment and scheme, as this page was shown them. */
export function sitting(game, table) {
  const shown = made(game, table);
  return table.scheme === 2 ? { seal: shown } : { nonce: shown };
}

const FROZEN = ["order", "options", "bots", "seals"];

/** Whether this browser has the number under the seal that was frozen for the seat. */
export function canOpen(game, table, seat) {
  const number = table.opening.order.indexOf(seat);
  const known = kept(game);
  return known?.commitment === table.commitment && Boolean(known.nonces[table.opening.seals[number]]);
}

/** Whether the seat has opened, or has nothing to open. */
export function hasOpened({ opening }, seat) {
  const number = opening.order.indexOf(seat);
  return number < 0 || opening.nonces[number] !== null || opening.seals[number] === null;
}

/** Keep what the start froze, then the command that opens. */
function opened(game, table, seat) {
  const { opening, commitment } = table;
  const frozen = { seq: opening.seq, commitment, ...Object.fromEntries(FROZEN.map((name) => [name, opening[name]])) };
  const known = kept(game);
  const others = known.rounds.filter(({ seq }) => seq !== opening.seq);
  keep(game, { ...known, rounds: [...others, frozen] });
  const nonce = known.nonces[opening.seals[opening.order.indexOf(seat)]];
  return { do: "open", nonce, next_seal: made(game, table) };
}

/** The command that gives a round up: this browser no longer has the number. */
export const givenUp = (game, table) => ({ do: "void", next_seal: made(game, table) });

/** The command that seals the seat anew. */
const sealedAnew = (game, table) => ({ do: "seal", seal: made(game, table) });

/** Whether the seal of the seat is one of this browser's. */
const isOwnSeal = (game, table, seat) => Boolean(kept(game)?.nonces[table.seals[seat]]);

/**
 * AutoSeal(game, send) -> (state) => void: answers by itself what a table with sealed seats asks of this browser.
 * A seal of another device's is replaced once, when the page is loaded: two devices must not go on for ever.
 */
export function AutoSeal(game, send) {
  let answered = "";
  let isNew = true;
  return ({ table, you }) => {
    if (table.status !== "open" || table.scheme !== 2 || you.seat === null) return;
    const { opening } = table;
    const asked = JSON.stringify(opening ? [opening.seq, opening.asked] : ["seal", table.void_rounds, you.seat]);
    if (asked === answered) return;
    if (opening) {
      if (hasOpened(table, you.seat) || !canOpen(game, table, you.seat)) return;
      answered = asked;
      send(opened(game, table, you.seat));
    } else {
      const isOwn = isOwnSeal(game, table, you.seat);
      if (isOwn || (table.seals[you.seat] !== null && !isNew)) {
        isNew = false;
        return;
      }
      isNew = false;
      answered = asked;
      send(sealedAnew(game, table));
    }
  };
}

/** What this browser kept of the table with that commitment. */
function keptUnder(commitment) {
  const games = [...inMemory.keys()];
  try {
    games.push(...Object.keys(localStorage).flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : [])));
  } catch {
    // then what this page remembers is all there is
  }
  return games.map(kept).find((known) => known?.commitment === commitment) ?? null;
}

/**
 * What was kept beside a record (of a game, or out of a file): "same", "other" (it is not the game that this browser
 * was shown), "unused" (its numbers are not in the game), "absent" (it never sat there).
 */
export function compared(record, game = null) {
  const known = game === null ? keptUnder(record.commitment) : kept(game);
  if (!known) return "absent";
  if (known.commitment !== record.commitment || known.scheme !== (record.scheme ?? 1)) return "other";
  const own = new Set(Object.values(known.nonces));
  if ((record.scheme ?? 1) === 1) return record.nonces.some((nonce) => own.has(nonce)) ? "same" : "unused";
  const told = { options: record.options, bots: record.players.map(({ bot }) => bot), seals: record.seals };
  const isGame = (round) => ["options", "bots", "seals"].every((name) => sameJson(round[name], told[name]));
  const isVoid = (round) => record.void_rounds.some(({ seals }) => sameJson(seals, round.seals));
  if (!known.rounds.every((round) => isGame(round) || isVoid(round))) return "other";
  if (!known.rounds.some(isGame)) return "unused";
  return record.seals.every((seal, seat) => !known.nonces[seal] || known.nonces[seal] === record.nonces[seat])
    ? "same"
    : "other";
}

/** Equal whatever the order of their names. */
function sameJson(one, other) {
  const plain = (value) =>
    value && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.keys(value).sort().map((name) => [name, plain(value[name])]))
      : value;
  return JSON.stringify(plain(one)) === JSON.stringify(plain(other));
}
