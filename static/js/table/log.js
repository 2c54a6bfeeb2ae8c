// The log: what happened is kept as events, not as text, so a reload (or another language) can tell it again.
// What this tab did not hear itself (it joined late, or the line was down) is asked for, as far as one may know it.

import { tell, tellTable } from "../core/event_text.js";

const MOST = 400; // as many lines as the page shows

/** Logbook(game) -> a log of entries {seq, events, by} or {seq, kind, seat}, in the order of their numbers. */
export function Logbook(game) {
  const key = `logbook.${game}`;
  // `through`: everything from the start to this number is here, as `seat` knows it
  let kept = read() ?? { entries: [], through: null, seat: null };
  let asking = false;

  function read() {
    try {
      return JSON.parse(sessionStorage.getItem(key));
    } catch {
      return null;
    }
  }

  function write() {
    kept.entries = kept.entries.slice(-MOST);
    try {
      sessionStorage.setItem(key, JSON.stringify(kept));
    } catch {
      // no storage: the log then lasts as long as the page
    }
  }

  return {
    add(entry) {
      kept.entries.push(entry);
      write();
    },
    /** The game begins: from here on nothing is missing. */
    begin(seq, seat) {
      kept = { entries: [], through: seq, seat };
      write();
    },
    /** A numbered frame was taken in; whether or not it was worth a line. */
    heard(seq) {
      if (kept.through !== seq - 1) return;
      kept.through = seq;
      write();
    },
    reaches: (seq, seat) => kept.through === seq && kept.seat === seat,
    /** Ask for what happened before; true when the log has become whole and is to be told anew. */
    async fill(password, now) {
      if (asking) return false;
      asking = true;
      const past = await fetch(`/g/${encodeURIComponent(game)}/seen`, {
        headers: { Accept: "application/json", ...(password ? { "X-Room-Password": password } : {}) },
      })
        .then((answer) => (answer.ok ? answer.json() : null))
        .catch(() => null); // then the log begins where this tab came in
      asking = false;
      if (!past) return false;
      const { seq, seat } = now();
      const whole = new Map(kept.entries.map((entry) => [entry.seq, entry]));
      whole.set(past.began, { seq: past.began, kind: "started" });
      // What is newer than the table on screen is still on its way here as a frame of its own.
      for (const { seq: at, events, by } of past.steps) if (at <= seq) whole.set(at, { seq: at, events, by });
      const entries = [...whole.values()].filter((entry) => entry.seq >= past.began).sort((a, b) => a.seq - b.seq);
      kept = { entries, through: seq, seat };
      write();
      return true;
    },
    /** Every line so far, in the present language. */
    retell: (view, seats) =>
      kept.entries.map((entry) => {
        if (entry.events) return view ? tell(entry.events, view, seats, entry.by) : { text: "" };
        return { text: tellTable(entry.kind, entry.seat, seats), seat: entry.seat ?? null, traces: [] };
      }),
  };
}
