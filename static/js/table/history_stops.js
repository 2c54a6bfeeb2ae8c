// Where the history player starts and stops, and for how long.

/** @import {Step, View} from "../core/types.d.ts" */

import { DRAWING_FACTORS } from "./pace.js";

// Time for a look at the board
const LOOK_MS = 1000;
// and per letter of the sentence.
const LETTER_MS = 24;
// A playback of more actions than this is accelerated.
const LONG_PLAYBACK = 30;
const MIN_FACTOR = 0.4;

/** @param {Step} step */
export const endsTurn = ({ events }) => events.some(({ type }) => type === "turn_passed");

/** @param {Step} step */
export const isStop = ({ events }) => events.some(({ type }) => type !== "turn_passed");

/**
 * Return the numbers of steps after which to stop: 0, every step that does more than end a turn, and `start`.
 * @param {Step[]} steps
 * @param {number} [start]
 */
export const findStops = (steps, start = 0) => [
  0,
  ...steps.flatMap((step, at) => (isStop(step) || at + 1 === start ? [at + 1] : [])),
];

/**
 * Return the number of steps before the part that the seat missed: up to its last own action, or up to the seq `mark` that
 * this browser has already shown. Null if a playback is not worthwhile: at most one turn of the others was missed, or the
 * seat has not acted yet. It is always worthwhile if a bot or the clock acted for the seat.
 * @param {Step[]} steps
 * @param {View[]} views
 * @param {number | null} seat
 * @param {number} mark
 */
export function missedStart(steps, views, seat, mark) {
  /** @param {Step} step */
  const isOwn = ({ seat: who, by }) => who === seat && by === "person";
  const from = steps.findLastIndex((step) => isOwn(step) || step.seq <= mark) + 1;
  const missed = steps.slice(from);
  if (!missed.some(isStop)) return null;
  if (missed.some((step) => step.seat === seat)) return from;
  const turns = missed.filter(
    (_, at) => views[from + at].turn.seat !== seat && (at === 0 || endsTurn(missed[at - 1])),
  );
  return turns.length > 1 && steps.some(isOwn) ? from : null;
}

/**
 * Return how long a sentence is shown, in milliseconds, in a playback of `actions` actions.
 * @param {string} text
 * @param {string} pace
 * @param {number} actions
 */
export const stopDuration = (text, pace, actions) =>
  (LOOK_MS + LETTER_MS * text.length) *
  (DRAWING_FACTORS[pace] ?? 1) *
  Math.max(MIN_FACTOR, Math.min(1, LONG_PLAYBACK / actions));
