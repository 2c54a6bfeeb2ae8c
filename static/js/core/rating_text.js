// Ratings in words and figures.

/** @import {RatingPool, ShownRating} from "./types.d.ts" */

import { N_, t } from "./i18n.js";

/** @type {Record<RatingPool, string>} */
const POOL_NAMES = {
  "duel-hidden": N_("Two players, hidden hands"),
  "duel-open": N_("Two players, open hands"),
  "group-hidden": N_("Three to five players, hidden hands"),
  "group-open": N_("Three to five players, open hands"),
};

/** @param {RatingPool} pool */
export const poolName = (pool) => t(POOL_NAMES[pool]);

/**
 * Return a rating as a number with its deviation: "1612 ± 80", or "1612?" while it is uncertain.
 * @param {ShownRating} rating
 */
export const ratingText = ({ number, deviation, uncertain }) =>
  uncertain ? `${number}?` : `${number} ± ${deviation}`;

/**
 * Return a rating as a sentence for screen readers.
 * @param {ShownRating} rating
 */
export function ratingWords({ number, deviation, uncertain }) {
  return uncertain
    ? t("Rating {number}, still uncertain", { number })
    : t("Rating {number}, give or take {deviation}", { number, deviation });
}

/**
 * Return a change with its sign, a real minus sign for losses.
 * @param {number} change
 */
export const signedChange = (change) => (change > 0 ? `+${change}` : change < 0 ? `−${-change}` : "±0");
