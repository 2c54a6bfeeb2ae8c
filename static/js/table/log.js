// The log of the game. It stores events, not text, so that it can be written again after a reload or in another language.
// Entries that this tab missed are fetched, as far as the viewer may know them.

/** @import {Actor, GameEvent, Cause, LogLine, Replay, SeatLooks, State, TableState, Trace, View} from "../core/types.d.ts" */

import { describeEvents, describeTableEntry, tracesOf } from "../core/event_text.js";
import { passwordHeader } from "../core/room_password.js";

/**
 * A log entry: a game action with its events, or an entry of another kind.
 * @typedef {object} Entry
 * @property {number} seq
 * @property {GameEvent[]} [events]
 * @property {Actor} [by]
 * @property {string} [kind]
 * @property {number} [seat]
 * @property {string} [name] Of the player who sat down, who may have left since.
 */

const MAX_LINES = 400;

// The request in progress; the log and the history player share it.
/** @type {Promise<Replay | null> | null} */
let seenRequest = null;

/**
 * Fetch what the viewer has seen of a running game since its start; null on failure.
 * @param {string} game
 * @param {string | undefined} password
 */
export const fetchSeen = (game, password) =>
  (seenRequest ??= fetch(`/g/${encodeURIComponent(game)}/seen`, {
    headers: { Accept: "application/json", ...passwordHeader(password) },
  })
    .then((answer) => (answer.ok ? answer.json() : null))
    .catch(() => null)
    .finally(() => (seenRequest = null)));

/**
 * Return the moves since the seat ended its last turn, without undone ones.
 * @param {Entry[]} entries
 * @param {number} seat
 */
export function movesSince(entries, seat) {
  /** @type {Trace[][]} */
  const steps = [];
  for (const { events, kind } of entries) {
    if (kind === "undo") steps.pop();
    else if (events?.some((event) => event.type === "turn_passed" && event.seat === seat)) steps.length = 0;
    else if (events) steps.push(tracesOf(events));
  }
  return steps.flat();
}

/**
 * GameLog(game) -> the log of a game in this tab. Entries are {seq, events, by} or {seq, kind, seat, name}, ordered by seq.
 * @param {string} game
 */
export function GameLog(game) {
  const key = `logbook.${game}`;
  // The entries are complete up to the seq `through`, as `seat` may know them.
  /** @type {{ entries: Entry[], through: number | null, seat: number | null }} */
  let stored = read() ?? { entries: [], through: null, seat: null };
  let isFilling = false;

  function read() {
    try {
      return JSON.parse(String(sessionStorage.getItem(key)));
    } catch {
      return null;
    }
  }

  function write() {
    stored.entries = stored.entries.slice(-MAX_LINES);
    try {
      sessionStorage.setItem(key, JSON.stringify(stored));
    } catch {
      // Without storage the log is lost when the page closes.
    }
  }

  /** @param {Entry} entry */
  function add(entry) {
    stored.entries.push(entry);
    write();
  }

  /**
   * @param {Entry} entry
   * @param {View | null} view
   * @param {SeatLooks} seats
   * @returns {LogLine}
   */
  function lineOf({ seq, events, by, kind, seat, name }, view, seats) {
    if (events)
      return {
        seq,
        ...(view ? describeEvents(events, view, seats, by) : { text: "", seat: null, traces: [] }),
      };
    return { seq, text: describeTableEntry(String(kind), seat, seats, name), seat: seat ?? null, traces: [] };
  }

  /**
   * Return the name of a player who sits down, for their log entry: seats change hands before the game.
   * @param {string} kind
   * @param {number | undefined} seat
   * @param {SeatLooks} seats
   */
  const nameOf = (kind, seat, seats) => {
    const name = kind === "seated" && seat !== undefined ? seats?.[seat].name : null;
    return name ? { name } : {};
  };

  /**
   * Return all lines in the current language.
   * @param {Pick<TableState, "view" | "table">} state
   */
  const lines = ({ view, table }) =>
    stored.entries.map((entry) => lineOf(entry, view, table.seats)).filter(({ text }) => text);

  return {
    lines,
    /**
     * Add an entry for a state change. Return {log, line}: all lines, and the new one if there is one.
     * @param {TableState} state
     * @param {State} before
     * @param {Cause} cause
     */
    addChange(state, before, { events, by, kind, seat }) {
      const earlier = kind === "started" ? [] : (before.log ?? lines(state));
      /** @type {Entry | null} */
      let entry = null;
      if (events?.length) entry = { seq: state.seq, events, by };
      // A new password is an entry of kind "host", too, but the host stays the same.
      else if (kind && (kind !== "host" || before.table?.host !== state.table.host))
        entry = { seq: state.seq, kind, seat, ...nameOf(kind, seat, state.table.seats) };
      if (!entry) return { log: earlier };
      // A vacated seat has lost its name.
      const seats =
        events || state.table.seats.some(({ name }) => name) ? state.table.seats : before.table?.seats;
      const line = lineOf(entry, before.view, seats);
      // The log is complete from the start.
      if (kind === "started") stored = { entries: [], through: state.seq, seat: state.you.seat };
      // A trial or an analysis goes on from a position; nothing starts.
      if (kind === "started" && state.table.trial) return { log: [] };
      if (events || line.text) add(entry);
      return line.text ? { log: [...earlier, line].slice(-MAX_LINES), line } : { log: earlier };
    },
    /** @param {number} seat */
    movesSince: (seat) => movesSince(stored.entries, seat),
    /**
     * Note that the frame with this seq was received, even if it added no line.
     * @param {number} seq
     */
    markReceived(seq) {
      if (stored.through !== seq - 1) return;
      stored.through = seq;
      write();
    },
    /** @param {State} state */
    isComplete: ({ seq, you }) => stored.through === seq && stored.seat === you.seat,
    /**
     * Fetch missing entries; true if the log is complete now. `now` returns the current state.
     * @param {string | undefined} password
     * @param {() => State} now
     */
    async fill(password, now) {
      if (isFilling) return false;
      isFilling = true;
      // On failure the log begins where this tab joined.
      const past = await fetchSeen(game, password);
      isFilling = false;
      if (!past) return false;
      const { seq, you } = /** @type {TableState} */ (now());
      const whole = new Map(stored.entries.map((entry) => [entry.seq, entry]));
      whole.set(past.began, { seq: past.began, kind: "started" });
      // Newer steps will still arrive as frames.
      for (const { seq: at, events, by } of past.steps) if (at <= seq) whole.set(at, { seq: at, events, by });
      const entries = [...whole.values()]
        .filter((entry) => entry.seq >= past.began)
        .sort((a, b) => a.seq - b.seq);
      stored = { entries, through: seq, seat: you.seat };
      write();
      return true;
    },
  };
}
