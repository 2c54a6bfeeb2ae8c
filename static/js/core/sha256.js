// SHA-256 in plain JavaScript: WebCrypto is not available over plain http in a home network.

const K = new Uint32Array(64);
const H0 = new Uint32Array(8);
{
  // The constants are the first fractional bits of the roots of the first primes, computed here.
  /** @param {number} n */
  const isPrime = (n) => {
    for (let d = 2; d * d <= n; d += 1) if (n % d === 0) return false;
    return true;
  };
  /**
   * @param {number} prime
   * @param {number} power
   */
  const root = (prime, power) => {
    // floor(prime^(1/power) · 2^32) without its integer part
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

/**
 * @param {number} x
 * @param {number} n
 */
const rotateRight = (x, n) => (x >>> n) | (x << (32 - n));

/**
 * Return the SHA-256 of a text as eight 32-bit words.
 * @param {string} text
 */
export function sha256(text) {
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
        const s0 = rotateRight(w[i - 15], 7) ^ rotateRight(w[i - 15], 18) ^ (w[i - 15] >>> 3);
        const s1 = rotateRight(w[i - 2], 17) ^ rotateRight(w[i - 2], 19) ^ (w[i - 2] >>> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
      }
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i += 1) {
      const t1 =
        (h +
          (rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)) +
          ((e & f) ^ (~e & g)) +
          K[i] +
          w[i]) |
        0;
      const t2 =
        ((rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => (state[i] += value));
  }
  return state;
}

/**
 * Return the SHA-256 of a text as 64 lower-case hex digits.
 * @param {string} text
 */
export const sha256hex = (text) =>
  [...sha256(text)].map((word) => word.toString(16).padStart(8, "0")).join("");
