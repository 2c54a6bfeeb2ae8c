// Shares as percentage points.

import { language } from "./i18n.js";

/** @param {number} share */
export const toPoints = (share) => Math.round(share * 100);

/**
 * Format as "+4", "−12" or "0".
 * @param {number} share
 */
export const formatSignedPoints = (share) =>
  new Intl.NumberFormat(language(), { signDisplay: "exceptZero" }).format(toPoints(share));
