// Chance, recomputed: SHA-256, streams, shuffles and the set-up of a game, written apart from the server's code
// so that agreeing with it means something. No WebCrypto: that is missing on plain http in a home network.

const K = new Uint32Array(64);
const H0 = new Uint32Array(8);
{
  // The constants of SHA-256 are the first bits of roots of the first primes: derived, not copied.
  const isPrime = (n) => {
    for (let d = 2; d * d <= n; d += 1) if (n % d === 0) return false;
    return true;
  };
  const root = (prime, power) => {
    // floor(prime^(1/power) · 2^32) in whole numbers, the integer part cut off
    const target = BigInt(prime) << BigInt(32 * power);
    let low = 0n;
    let high = 1n << 40n;
    while (low < high - 1n) {
      const middle = (low + high) >> 1n;
      if (middle ** BigInt(power) <= target) low = middle;
      else high = middle;
    }
    return Number(low & 0xffffffffn);
  };
  for (let n = 2, at = 0; at < 64; n += 1) {
    if (!isPrime(n)) continue;
    K[at] = root(n, 3);
    if (at < 8) H0[at] = root(n, 2);
    at += 1;
  }
}

const turn = (x, n) => (x >>> n) | (x << (32 - n));

/** SHA-256 of a text of ASCII characters, as eight 32-bit words. */
function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  const blocks = ((bytes.length + 8) >> 6) + 1;
  const words = new Uint32Array(blocks * 16);
  bytes.forEach((byte, at) => (words[at >> 2] |= byte << (24 - (at & 3) * 8)));
  words[bytes.length >> 2] |= 0x80 << (24 - (bytes.length & 3) * 8);
  words[words.length - 1] = bytes.length * 8;
  const state = H0.slice();
  const w = new Uint32Array(64);
  for (let start = 0; start < words.length; start += 16) {
    for (let i = 0; i < 64; i += 1) {
      if (i < 16) w[i] = words[start + i];
      else {
        const s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >>> 3);
        const s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >>> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
      }
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i += 1) {
      const t1 = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
      const t2 = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => (state[i] += value));
  }
  return state;
}

/** SHA-256 of a text as 64 lower-case hex digits. */
export const sha256hex = (text) => [...sha256(text)].map((word) => word.toString(16).padStart(8, "0")).join("");

/** What the room showed before anyone sat down. */
export const commitmentOf = (serverSeed) => sha256hex(serverSeed);

/** The game's seed out of the room's secret and the seats' numbers. */
export const seedFrom = (serverSeed, nonces) => sha256hex([serverSeed, ...nonces].join("|"));

/** The number of a bot: fixed by the secret and its seat, so that nobody can choose it once the players' are known. */
export const botNonce = (serverSeed, seat) => sha256hex(`${serverSeed}|bot|${seat}`).slice(0, 32);

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

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

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

const SYMBOLS = {
  classic: ["bottle", "dagger", "hat", "key", "pistol", "skull"],
  escape: ["chest", "hook", "lantern", "parrot", "pistol", "rum"],
};

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
