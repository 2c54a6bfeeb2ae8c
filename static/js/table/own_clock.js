// The player's own running clock, large at the edge of the bench, and the notice that the time has run out.

/** @import {Cause, GameState, State} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { icon } from "../core/icons.js";
import { LAST_SECONDS } from "./clock.js";

// With more time than this the clock in the player's plate is enough.
const MAX_SHOWN_MS = 3_600_000;

/**
 * Return the sentence for a player whose time has run out, from the cause of a change; null if it has not.
 * @param {number | null} ownSeat
 * @param {number | null} left The last value of the player's clock.
 * @param {Cause} cause
 */
export function timeUpSentence(ownSeat, left, { by, events = [], kind, seat }) {
  if (ownSeat === null) return null;
  if (by === "clock" && events.some((event) => event.seat === ownSeat))
    return t("Your time ran out, and a move was made for you.");
  // A bot may also take over after a vote.
  if (kind === "takeover" && seat === ownSeat && left === 0)
    return t("Your time ran out. A bot is playing for you.");
  return null;
}

/**
 * OwnClock(bench, {onTimeUp(text)}) -> {show(left, isRunning, text), update(state, before, cause)}
 * @param {HTMLElement} bench
 * @param {{ onTimeUp: (text: string) => void }} options
 */
export function OwnClock(bench, { onTimeUp }) {
  const words = el("span");
  // Screen readers find the same time in the player's plate.
  const box = el(
    "div",
    { class: "own-clock", "aria-hidden": "true", hidden: true },
    icon("ui", "ui-hourglass"),
    words,
  );
  bench.append(box);
  // The server may make several moves for one turn; the notice is shown once.
  let isTimeUpShown = false;
  /** @type {number | null} */
  let lastLeft = null;

  return {
    /**
     * @param {number | null} left
     * @param {boolean} isRunning
     * @param {string} text
     */
    show(left, isRunning, text) {
      lastLeft = left;
      box.hidden = left === null || left > MAX_SHOWN_MS || !isRunning;
      if (words.textContent !== text) words.textContent = text;
      box.classList.toggle("last", left !== null && left <= LAST_SECONDS * 1000);
    },
    /**
     * @param {GameState} state
     * @param {State} _
     * @param {Cause} cause
     */
    update({ you }, _, cause) {
      const text = timeUpSentence(you.seat, lastLeft, cause);
      if (text && !isTimeUpShown) onTimeUp(text);
      isTimeUpShown = text !== null;
    },
  };
}
