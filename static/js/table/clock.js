// Clocks: what is left for each seat, counted on from what the server last said.

import { t } from "../core/i18n.js";

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

/** Clocks(place, now) -> {update(state)}: a running figure in place(seat) for every seat. */
export function Clocks(place, now) {
  let clock = null;
  let seats = 0;
  const tick = () => {
    for (let seat = 0; seat < seats; seat += 1) {
      const box = place(seat);
      if (!box) continue;
      const left = leftNow(clock, seat, now());
      const words = left === null ? "" : spell(left);
      if (box.textContent !== words) box.textContent = words;
      box.classList.toggle("short", left !== null && left < 15000 && clock.running.includes(seat));
      box.classList.toggle("running", Boolean(clock?.running.includes(seat)));
    }
  };
  setInterval(tick, 250);
  return {
    update({ clock: next, view }) {
      clock = next;
      seats = view.players.length;
      tick();
    },
  };
}
