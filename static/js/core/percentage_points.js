// Shares of the chance to win as percentage points.

import { language, tn } from "./i18n.js";

/** @param {number} share */
export const toPoints = (share) => Math.round(share * 100);

/**
 * Describe as "12 points".
 * @param {number} share
 */
export const describePoints = (share) => tn("{n} point", "{n} points", toPoints(share));

/**
 * Describe as "+4 points", "−12 points" or "0 points".
 * @param {number} share
 */
export function describeSignedPoints(share) {
  const n = toPoints(share);
  const points = new Intl.NumberFormat(language(), { signDisplay: "exceptZero" }).format(n);
  return tn("{points} point", "{points} points", Math.abs(n), { points });
}
