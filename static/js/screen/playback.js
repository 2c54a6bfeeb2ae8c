// Shows changes one after the other, slowly enough for a whole room. It speeds up when it lags behind, and skips to the
// latest state when it lags too far.

/** @import {GameEvent, Cause, TableState} from "../core/types.d.ts" */

import { setDurationFactor } from "../board/animate.js";

// Animations take this many times as long as on the table page.
const DURATION_FACTOR = 2;
// How long an action stays before the next one is shown;
const HOLD_MS = 1500;
// how long the end of a turn or a table entry stays.
const SHORT_HOLD_MS = 350;
// With more changes than this in the queue, only the last one is shown.
const MAX_QUEUED = 8;
// Upper limit for one change, however long its animation takes.
const MAX_PICTURE_MS = 8000;

/** @param {number} milliseconds */
const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** @param {{ events?: GameEvent[] }} parts */
const isAction = ({ events = [] }) => events.some(({ type }) => type !== "turn_passed");

/**
 * Playback(show) -> {add(state, cause)}. show(state, cause) returns a promise that resolves when its animation is over.
 * @param {(state: TableState, cause: Cause) => Promise<unknown>} show
 */
export function Playback(show) {
  /** @type {[TableState, Cause][]} */
  const queue = [];
  let isRunning = false;

  async function run() {
    isRunning = true;
    try {
      while (queue.length) {
        const [[state, cause]] = queue.splice(0, 1);
        const speedUp = 1 + queue.length / 2;
        setDurationFactor(DURATION_FACTOR / speedUp);
        const holdMs = (isAction(cause) ? HOLD_MS : SHORT_HOLD_MS) / speedUp;
        await Promise.all([
          Promise.race([show(state, cause), sleep(MAX_PICTURE_MS)]),
          sleep(cause.reset ? 0 : holdMs),
        ]);
      }
    } finally {
      // After an error the next change is shown all the same.
      isRunning = false;
    }
  }

  return {
    /**
     * @param {TableState} state
     * @param {Cause} cause
     */
    add(state, cause) {
      if (cause.reset || queue.length >= MAX_QUEUED) queue.splice(0, queue.length, [state, { reset: true }]);
      else queue.push([state, cause]);
      if (!isRunning) run();
    },
  };
}
