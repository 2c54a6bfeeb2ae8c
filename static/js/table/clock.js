// Clocks: the time left for each seat, counted down from the server's last value.

/** @import {Clock, GameState} from "../core/types.d.ts" */

import { t, tn } from "../core/i18n.js";
import { announce } from "./announce.js";
import { vibrateForTurn, withSound } from "./sound_and_vibration.js";

// The player's own clock is announced at these times.
const SPOKEN_SECONDS = [10, 30];
export const LAST_SECONDS = 10;

/**
 * Return the milliseconds that a seat has left now; null without a clock.
 * @param {Clock | null} clock
 * @param {number} seat
 * @param {number} now
 */
export function remainingMs(clock, seat, now) {
  if (!clock) return null;
  const left = clock.left[seat];
  if (left === null || left === undefined) return null;
  return clock.running.includes(seat) ? Math.max(0, left - (now - clock.at)) : left;
}

/**
 * Format as "0:42", "12:05", "2 h 10" or "3 d 4 h".
 * @param {number} milliseconds
 */
export function formatRemaining(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const hours = Math.floor(seconds / 3600);
  if (hours < 48)
    return t("{h} h {m}", { h: hours, m: String(Math.floor((seconds % 3600) / 60)).padStart(2, "0") });
  return t("{d} d {h} h", { d: Math.floor(hours / 24), h: hours % 24 });
}

/**
 * Whether a clock has just reached a time that is announced.
 * @param {number | null} before
 * @param {number} left
 */
export const shouldSpeak = (before, left) =>
  before !== null && SPOKEN_SECONDS.some((seconds) => before > seconds * 1000 && left <= seconds * 1000);

/**
 * Clocks(clockElement(seat), now(), onOwn(left, isRunning, text)) -> {update(state)}: writes the running time of every seat
 * into its element; calls `onOwn` with that of the player.
 * @param {(seat: number) => HTMLElement | null | undefined} clockElement
 * @param {() => number} now
 * @param {(left: number | null, isRunning: boolean, text: string) => void} [onOwn]
 */
export function Clocks(clockElement, now, onOwn = () => {}) {
  /** @type {Clock | null} */
  let clock = null;
  let seats = 0;
  /** @type {number | null} */
  let ownSeat = null;
  // The last value of the player's own clock.
  /** @type {number | null} */
  let previousMs = null;

  /** @param {number | null} seat */
  const isRunning = (seat) => Boolean(clock?.running.includes(/** @type {number} */ (seat)));

  /** @param {number | null} left */
  function speak(left) {
    if (left !== null && isRunning(ownSeat) && shouldSpeak(previousMs, left)) {
      const seconds = Math.ceil(left / 1000);
      announce(tn("{n} second left on your clock.", "{n} seconds left on your clock.", seconds), true);
      if (seconds <= LAST_SECONDS) {
        withSound(({ playSound }) => playSound("turn"));
        vibrateForTurn();
      }
    }
    previousMs = left;
  }

  const tick = () => {
    for (let seat = 0; seat < seats; seat += 1) {
      const box = clockElement(seat);
      if (!box) continue;
      const left = remainingMs(clock, seat, now());
      const words = left === null ? "" : formatRemaining(left);
      if (box.textContent !== words) box.textContent = words;
      box.hidden = left === null;
      if (seat === ownSeat) {
        speak(left);
        onOwn(left, isRunning(seat), words);
      }
      box.classList.toggle("short", left !== null && left < 15000 && isRunning(seat));
      box.classList.toggle("running", isRunning(seat));
    }
  };
  setInterval(tick, 250);
  return {
    /** @param {Pick<GameState, "clock" | "view" | "you">} state */
    update({ clock: next, view, you }) {
      clock = next;
      ownSeat = you.seat;
      seats = view.players.length;
      tick();
    },
  };
}
