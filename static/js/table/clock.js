// Clocks: what is left for each seat, counted on from what the server last said.

import { t, tn } from "../core/i18n.js";
import { announce } from "./announce.js";

const SPOKEN = [10, 30]; // seconds left at which one's own clock is read out

/** Milliseconds a seat has left now. */
export function leftNow(clock, seat, now) {
  if (!clock) return null;
  const left = clock.left[seat];
  if (left === null || left === undefined) return null;
  return clock.running.includes(seat) ? Math.max(0, left - (now - clock.at)) : left;
}

/** "0:42", "12:05", "2 h 10", "3 d 4 h". */
export function spell(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const hours = Math.floor(seconds / 3600);
  if (hours < 48) return t("{h} h {m}", { h: hours, m: String(Math.floor((seconds % 3600) / 60)).padStart(2, "0") });
  return t("{d} d {h} h", { d: Math.floor(hours / 24), h: hours % 24 });
}

/** Whether a clock has just come down to a time that is read out. */
export const isSpoken = (before, left) =>
  before !== null && SPOKEN.some((seconds) => before > seconds * 1000 && left <= seconds * 1000);

/** Clocks(place, now) -> {update(state)}: a running figure in place(seat) for every seat. */
export function Clocks(place, now) {
  let clock = null;
  let seats = 0;
  let own = null; // the seat whose clock is one's own
  let before = null; // what it had left

  function speak(left) {
    const isRunning = left !== null && clock.running.includes(own);
    if (isRunning && isSpoken(before, left)) {
      const seconds = Math.ceil(left / 1000);
      announce(tn("{n} second left on your clock.", "{n} seconds left on your clock.", seconds), true);
    }
    before = left;
  }

  const tick = () => {
    for (let seat = 0; seat < seats; seat += 1) {
      const box = place(seat);
      if (!box) continue;
      const left = leftNow(clock, seat, now());
      const words = left === null ? "" : spell(left);
      if (box.textContent !== words) box.textContent = words;
      box.hidden = left === null;
      if (seat === own) speak(left);
      box.classList.toggle("short", left !== null && left < 15000 && clock.running.includes(seat));
      box.classList.toggle("running", Boolean(clock?.running.includes(seat)));
    }
  };
  setInterval(tick, 250);
  return {
    update({ clock: next, view, you }) {
      clock = next;
      own = you.seat;
      seats = view.players.length;
      tick();
    },
  };
}
