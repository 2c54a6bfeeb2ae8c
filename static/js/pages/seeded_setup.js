// The set-up of a game computed from its seed. Written independently of the server's code, so that the verifier really
// checks it.

/** @import {Options} from "../core/types.d.ts" */

import { SYMBOLS } from "../core/names.js";
import { sha256, sha256hex } from "../core/sha256.js";

/**
 * Return the commitment that the table showed before anyone sat down.
 * @param {string} serverSeed
 */
export const commitmentOf = (serverSeed) => sha256hex(serverSeed);

/**
 * Derive the game's seed from the server's secret and the seats' nonces.
 * @param {string} serverSeed
 * @param {string[]} nonces
 */
export const deriveSeed = (serverSeed, nonces) => sha256hex([serverSeed, ...nonces].join("|"));

/**
 * Return the nonce of a bot. It follows from the secret and the seat, so it cannot be chosen later.
 * @param {string} serverSeed
 * @param {number} seat
 */
export const botNonce = (serverSeed, seat) => sha256hex(`${serverSeed}|bot|${seat}`).slice(0, 32);

/**
 * Return the seal of a nonce. It is bound to the table's commitment.
 * @param {string} commitment
 * @param {string} nonce
 */
export const sealOf = (commitment, nonce) => sha256hex(`${commitment}|${nonce}`);

const STREAM_RANGE = 1n << 64n;

/**
 * Return a function below(k) that draws numbers from the stream of a label.
 * @param {string} seed
 * @param {string} label
 */
function makeRandomStream(seed, label) {
  let counter = 0;
  /** @type {bigint[]} */
  let left = [];
  const number = () => {
    if (!left.length) {
      const words = sha256(`${seed}|${label}|${counter}`);
      counter += 1;
      left = [0, 2, 4, 6].map((at) => (BigInt(words[at]) << 32n) | BigInt(words[at + 1]));
    }
    return /** @type {bigint} */ (left.shift());
  };
  return (/** @type {number} */ k) => {
    const bound = BigInt(k);
    const limit = STREAM_RANGE - (STREAM_RANGE % bound);
    let x = number();
    while (x >= limit) x = number();
    return Number(x % bound);
  };
}

/**
 * @param {string} a
 * @param {string} b
 */
export const byCodePoint = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Return the items sorted and then shuffled.
 * @param {string} seed
 * @param {string} label
 * @param {string[]} items
 */
export function shuffle(seed, label, items) {
  const shuffled = [...items].sort(byCodePoint);
  const below = makeRandomStream(seed, label);
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = below(last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other], shuffled[last]];
  }
  return shuffled;
}

/** @type {Record<string, string>} */
const PRINTED_BOARDS = {
  A: "bottle pistol hat skull dagger key",
  B: "dagger bottle key pistol hat skull",
  C: "hat key pistol bottle skull dagger",
  D: "key bottle skull dagger hat pistol",
  E: "pistol key dagger hat skull bottle",
  F: "hat dagger key bottle pistol skull",
};

const CHEST_TOKENS = ["1", "1", "2", "2", "3", "3", "empty", "snake"];

/**
 * @param {Options} options
 * @param {string} seed
 */
function layBoard(options, seed) {
  const boards = options.passage_boards + options.jungle_boards;
  if (options.board === "printed") {
    const isReversed = makeRandomStream(seed, "turned");
    return shuffle(seed, "board", Object.keys(PRINTED_BOARDS)).flatMap((letter) => {
      const board = PRINTED_BOARDS[letter].split(" ");
      return isReversed(2) ? board.reverse() : board;
    });
  }
  return Array.from({ length: boards }, (_, n) =>
    shuffle(seed, `board:${n + 1}`, SYMBOLS[options.symbols]),
  ).flat();
}

/** @param {Options} options */
function buildDeck(options) {
  return SYMBOLS[options.symbols].flatMap((symbol) => {
    const dark = options.scoundrels ? 2 : 0;
    return [...Array(options.copies - dark).fill(symbol), ...Array(dark).fill(`${symbol}*`)];
  });
}

/**
 * Place the chest tokens for the n-th time.
 * @param {string} seed
 * @param {number} n
 * @param {string[]} board
 */
export function layChests(seed, n, board) {
  const tokens = shuffle(seed, `chests:${n}`, CHEST_TOKENS);
  const spaces = board.flatMap((symbol, at) => (symbol === "chest" ? [at + 1] : []));
  const chests = Object.fromEntries(spaces.slice(0, tokens.length).map((space, at) => [space, tokens[at]]));
  return { chests, aside: tokens.slice(Math.min(spaces.length, tokens.length)) };
}

/**
 * Return everything that is random in the set-up of a game.
 * @param {Options} options
 * @param {string} seed
 */
export function setUp(options, seed) {
  const board = layBoard(options, seed);
  const deck = shuffle(seed, "deck:0", buildDeck(options));
  const hands = Array.from({ length: options.players }, () => deck.splice(0, 6).sort(byCodePoint));
  const row = options.supply === "row" ? deck.splice(0, options.row_size) : [];
  const first = options.first === "random" ? makeRandomStream(seed, "first")(options.players) : options.first;
  const laid = options.black_magic ? layChests(seed, 0, board) : { chests: {}, aside: [] };
  return { board, hands, row, deck, first, ...laid };
}
