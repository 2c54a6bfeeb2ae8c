// Chance, recomputed: streams, shuffles and the set-up of a game, written apart from the server's code
// so that agreeing with it means something.

import { SYMBOLS } from "../core/names.js";
import { sha256, sha256hex } from "../core/sha256.js";

/** What the room showed before anyone sat down. */
export const commitmentOf = (serverSeed) => sha256hex(serverSeed);

/** The game's seed out of the room's secret and the seats' numbers. */
export const seedFrom = (serverSeed, nonces) => sha256hex([serverSeed, ...nonces].join("|"));

/** The number of a bot: fixed by the secret and its seat, so that nobody can choose it once the players' are known. */
export const botNonce = (serverSeed, seat) => sha256hex(`${serverSeed}|bot|${seat}`).slice(0, 32);

/** What a seat shows before the start instead of its number; it fits that number at that table only. */
export const sealOf = (commitment, nonce) => sha256hex(`${commitment}|${nonce}`);

const RANGE = 1n << 64n;

/** below(k) for one label, from the first number on. */
export function stream(seed, label) {
  let counter = 0;
  let left = [];
  const number = () => {
    if (!left.length) {
      const words = sha256(`${seed}|${label}|${counter}`);
      counter += 1;
      left = [0, 2, 4, 6].map((at) => (BigInt(words[at]) << 32n) | BigInt(words[at + 1]));
    }
    return left.shift();
  };
  return (k) => {
    const bound = BigInt(k);
    const limit = RANGE - (RANGE % bound);
    let x = number();
    while (x >= limit) x = number();
    return Number(x % bound);
  };
}

export const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** Sort as text, then shuffle. */
export function shuffle(seed, label, items) {
  const shuffled = [...items].sort(byText);
  const below = stream(seed, label);
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = below(last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other], shuffled[last]];
  }
  return shuffled;
}

const PRINTED = {
  A: "bottle pistol hat skull dagger key",
  B: "dagger bottle key pistol hat skull",
  C: "hat key pistol bottle skull dagger",
  D: "key bottle skull dagger hat pistol",
  E: "pistol key dagger hat skull bottle",
  F: "hat dagger key bottle pistol skull",
};

const TOKENS = ["1", "1", "2", "2", "3", "3", "empty", "snake"];

function layBoard(options, seed) {
  const boards = options.passage_boards + options.jungle_boards;
  if (options.board === "printed") {
    const turned = stream(seed, "turned");
    return shuffle(seed, "board", Object.keys(PRINTED)).flatMap((letter) => {
      const board = PRINTED[letter].split(" ");
      return turned(2) ? board.reverse() : board;
    });
  }
  return Array.from({ length: boards }, (_, n) => shuffle(seed, `board:${n + 1}`, SYMBOLS[options.symbols])).flat();
}

function allCards(options) {
  return SYMBOLS[options.symbols].flatMap((symbol) => {
    const dark = options.scoundrels ? 2 : 0;
    return [...Array(options.copies - dark).fill(symbol), ...Array(dark).fill(`${symbol}*`)];
  });
}

/** Lay the chest tokens for the n-th time. */
export function layChests(seed, n, board) {
  const tokens = shuffle(seed, `chests:${n}`, TOKENS);
  const spaces = board.flatMap((symbol, at) => (symbol === "chest" ? [at + 1] : []));
  const chests = Object.fromEntries(spaces.slice(0, tokens.length).map((space, at) => [space, tokens[at]]));
  return { chests, aside: tokens.slice(Math.min(spaces.length, tokens.length)) };
}

/** Everything chance decides before the first turn. */
export function setUp(options, seed) {
  const board = layBoard(options, seed);
  const deck = shuffle(seed, "deck:0", allCards(options));
  const hands = Array.from({ length: options.players }, () => deck.splice(0, 6).sort(byText));
  const row = options.supply === "row" ? deck.splice(0, options.row_size) : [];
  const first = options.first === "random" ? stream(seed, "first")(options.players) : options.first;
  const laid = options.black_magic ? layChests(seed, 0, board) : { chests: {}, aside: [] };
  return { board, hands, row, deck, first, ...laid };
}
