// The log of this tab: what happened is kept as events, not as text, so a reload (or another language) can tell it again.

import { tell, tellTable } from "./story.js";

const MOST = 250;

/** Logbook(game) -> {add(entry), undo(), clear(), retell(view, seats)}; an entry is {events, by} or {kind, seat}. */
export function Logbook(game) {
  const key = `log.${game}`;
  let entries = read();

  function read() {
    try {
      return JSON.parse(sessionStorage.getItem(key) ?? "[]");
    } catch {
      return [];
    }
  }

  function write() {
    entries = entries.slice(-MOST);
    try {
      sessionStorage.setItem(key, JSON.stringify(entries));
    } catch {
      // no storage: the log then lasts as long as the page
    }
  }

  return {
    lastSeq: () => entries[entries.length - 1]?.seq ?? -1,
    add(entry) {
      entries.push(entry);
      write();
    },
    clear() {
      entries = [];
      write();
    },
    /** Every line so far, in the present language. */
    retell: (view, seats) =>
      entries.map((entry) => {
        if (entry.events) return view ? tell(entry.events, view, seats, entry.by) : { text: "" };
        return { text: tellTable(entry.kind, entry.seat, seats), seat: entry.seat ?? null, traces: [] };
      }),
  };
}
