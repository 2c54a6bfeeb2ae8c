// The log: what happened is kept as events, not as text, so that after a reload (or in another language) it can be
// written again. What this tab did not receive (it joined late, or was cut off) is asked for, as far as one may know it.

import { eventLine, tableLine, tracesOf } from "../core/event_text.js";
import { passwordHeader } from "../core/room_password.js";

const MOST = 400; // lines

// Under way: whoever comes back is told a story from what the log is filled with.
let asked = null;

/** What one has seen of a running game from its start, as far as one may know it; null when it cannot be had now. */
export const seen = (game, password) =>
  (asked ??= fetch(`/g/${encodeURIComponent(game)}/seen`, {
    headers: { Accept: "application/json", ...passwordHeader(password) },
  })
    .then((answer) => (answer.ok ? answer.json() : null))
    .catch(() => null)
    .finally(() => (asked = null)));

/** The moves of the others since the seat last ended its turn, those that were taken back left out. */
export function movesSince(entries, seat) {
  const steps = [];
  for (const { events, kind } of entries) {
    if (kind === "undo") steps.pop();
    else if (events?.some((event) => event.type === "turn_passed" && event.seat === seat)) steps.length = 0;
    else if (events) steps.push(tracesOf(events));
  }
  return steps.flat();
}

/** Log(game) -> what this tab has of a game: entries {seq, events, by} or {seq, kind, seat}, in the order of seq. */
export function Log(game) {
  const key = `logbook.${game}`;
  // `through`: everything from the start to this seq is here, as `seat` knows it
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

  function add(entry) {
    kept.entries.push(entry);
    write();
  }

  function lineOf({ seq, events, by, kind, seat }, view, seats) {
    if (events) return { seq, ...(view ? eventLine(events, view, seats, by) : { text: "" }) };
    return { seq, text: tableLine(kind, seat, seats), seat: seat ?? null, traces: [] };
  }

  /** Every line so far, in the present language: {seq, text, seat, traces}. */
  const lines = ({ view, table }) =>
    kept.entries.map((entry) => lineOf(entry, view, table.seats)).filter(({ text }) => text);

  return {
    lines,
    /** The lines after what happened, and the new one among them: {log, line}. */
    follow(state, before, { events, by, kind, seat }) {
      const earlier = kind === "started" ? [] : (before.log ?? lines(state));
      let entry = null;
      if (events?.length) entry = { seq: state.seq, events, by };
      // a host who set a new password is the host as before
      else if (kind && (kind !== "host" || before.table?.host !== state.table.host)) entry = { seq: state.seq, kind, seat };
      if (!entry) return { log: earlier };
      // a seat that was left has no name any more
      const seats = events || state.table.seats.some(({ name }) => name) ? state.table.seats : before.table?.seats;
      const line = lineOf(entry, before.view, seats);
      if (kind === "started") kept = { entries: [], through: state.seq, seat: state.you.seat }; // nothing is missing
      if (events || line.text) add(entry);
      return line.text ? { log: [...earlier, line].slice(-MOST), line } : { log: earlier };
    },
    movesSince: (seat) => movesSince(kept.entries, seat),
    /** A numbered frame came, whether or not it was worth a line. */
    received(seq) {
      if (kept.through !== seq - 1) return;
      kept.through = seq;
      write();
    },
    isComplete: ({ seq, you }) => kept.through === seq && kept.seat === you.seat,
    /** Ask for what happened before; true when the log has become complete. `now` gives the present state. */
    async fill(password, now) {
      if (asking) return false;
      asking = true;
      const past = await seen(game, password); // without it the log begins where this tab came in
      asking = false;
      if (!past) return false;
      const { seq, you } = now();
      const whole = new Map(kept.entries.map((entry) => [entry.seq, entry]));
      whole.set(past.began, { seq: past.began, kind: "started" });
      // What is newer than the table on screen is still on its way here as a frame of its own.
      for (const { seq: at, events, by } of past.steps) if (at <= seq) whole.set(at, { seq: at, events, by });
      const entries = [...whole.values()].filter((entry) => entry.seq >= past.began).sort((a, b) => a.seq - b.seq);
      kept = { entries, through: seq, seat: you.seat };
      write();
      return true;
    },
  };
}
