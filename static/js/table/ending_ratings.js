// What a rated game changed, on the end card. The server counts a game a few seconds after its end, or later; the card
// asks a few times and then says where to look.

/** @import {GameRatings, SeatChange, TableState} from "../core/types.d.ts" */

import { get, RefusedError } from "../core/api.js";
import { el, find, findAll, setChildren } from "../core/dom.js";
import { formatPercent, t } from "../core/i18n.js";
import { ratingText, ratingWords, signedChange } from "../core/rating_text.js";
import { passwordHeader } from "../core/room_password.js";

/** Waiting times before each request. */
const DELAYS_MS = [0, 1500, 2000, 3000, 5000, 8000, 13_000, 21_000, 34_000];

/** @param {number} ms */
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Whether the server may answer later: it was not reached, or had too much to do.
 * @param {RefusedError} problem
 */
const isTemporary = ({ status }) => status === 0 || status === 429 || status >= 500;

/**
 * Ask until the game has been counted, while `isWanted()`. Return null if it never was.
 * @param {() => Promise<GameRatings>} ask
 * @param {() => boolean} isWanted
 * @param {number[]} [delays]
 */
export async function pollRatings(ask, isWanted, delays = DELAYS_MS) {
  for (const delay of delays) {
    await wait(delay);
    if (!isWanted()) return null;
    try {
      const found = await ask();
      if (found.counted || found.hidden) return found;
    } catch (problem) {
      if (!(problem instanceof RefusedError && isTemporary(problem))) throw problem;
    }
  }
  return null;
}

/**
 * Say why a game counted less, or not at all; "" if it counted fully.
 * @param {GameRatings} ratings
 */
export function countingText({ void: reason, weight }) {
  if (reason === "timed_out_again")
    return t(
      "This game was not counted: a player had already lost another correspondence game on time in the 24 hours before.",
    );
  if (reason) return t("This game was not counted for ratings.");
  if (weight >= 1) return "";
  return t("You have played together often this week, so this game counted for {share}.", {
    share: formatPercent(weight),
  });
}

/** @param {SeatChange} change */
function Change({ before, after }) {
  const points = after.number - before.number;
  return [
    el("span", { "aria-hidden": "true" }, `${ratingText(after)}, `, el("b", {}, signedChange(points))),
    el(
      "span",
      { class: "hidden" },
      `${ratingWords(after)}, ${t("change: {points}", { points: signedChange(points) })}`,
    ),
  ];
}

/**
 * Fill the card's places for changes (`data-change` with the seat), and its note. Nobody who hides ratings sees any.
 * @param {HTMLElement} card
 * @param {TableState} state
 */
export async function showRatingChanges(card, { table, password }) {
  const note = find("[data-rating-note]", card);
  const places = findAll("[data-change]", card);
  const clear = () => places.forEach((place) => place.remove());
  if (table.status === "aborted") {
    clear();
    note.textContent = t("Stopped early: this game was not counted for ratings.");
    return;
  }
  const path = `/games/${encodeURIComponent(table.id)}/ratings`;
  try {
    // A card that was drawn again has other places.
    const found = await pollRatings(
      () => get(path, passwordHeader(password)),
      () => note.isConnected,
    );
    if (!found || found.hidden || found.void) clear();
    if (found === null)
      note.textContent = t("The new ratings are not there yet. You will find them on your profile.");
    if (!found || found.hidden) return;
    note.textContent = countingText(found);
    for (const place of places) {
      const change = found.changes.find(({ seat }) => seat === Number(place.dataset.change));
      if (change) setChildren(place, ...Change(change));
      else place.remove();
    }
  } catch (problem) {
    if (!(problem instanceof RefusedError)) throw problem;
    clear();
    note.textContent = problem.message;
  }
}
