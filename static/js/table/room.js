// What a client holds of a room, and how frames change it (docs/protocol.md §1). Pure: no socket, no DOM.

import { foldAll } from "../core/fold.js";

export function emptyRoom() {
  return {
    seq: null,
    // The seq that the server had when it said welcome: until then one is behind.
    head: null,
    chat: null,
    game: null,
    you: { seat: null, person: null, name: null, muted: [], removed: false },
    table: null,
    view: null,
    choices: [],
    undo: false,
    clock: null,
    lines: [],
    presence: { seats: [], watching: 0, away: {} },
    presets: [],
    hint: null,
    hintWhy: null,
  };
}

function may(room, frame) {
  return {
    ...room,
    seq: frame.seq,
    choices: frame.choices ?? [],
    undo: frame.undo ?? false,
    clock: frame.clock ?? room.clock,
    hint: null,
  };
}

const known = {
  welcome(room, frame) {
    const you = { ...room.you, removed: false, ...frame.you };
    return { room: { ...room, you, game: frame.game, head: frame.seq, presets: frame.presets ?? [] } };
  },
  state(room, frame) {
    const next = {
      ...may(room, frame),
      clock: frame.clock ?? null,
      table: frame.table,
      view: frame.view,
      you: { ...room.you, ...frame.you },
    };
    return { room: next, reset: true };
  },
  events(room, frame) {
    if (isOld(room, frame)) return { room };
    if (isGap(room, frame)) return { room, resync: true };
    const view = frame.events.length ? foldAll(room.view, frame.events, room.you.seat) : room.view;
    const table = frame.table ?? present(room.table, frame);
    return {
      room: { ...may(room, frame), view, table },
      events: frame.events,
      by: frame.by,
      at: frame.at,
      before: room.view,
    };
  },
  table(room, frame) {
    if (isOld(room, frame)) return { room };
    if (isGap(room, frame)) return { room, resync: true };
    const isRemoved = frame.why === "removed" && frame.seat === room.you.seat;
    const you = { ...room.you, ...frame.you, removed: frame.you?.seat === null && (room.you.removed || isRemoved) };
    const next = { ...may(room, frame), table: frame.table, you };
    if ("view" in frame) next.view = frame.view;
    return { room: next, kind: frame.kind, seat: frame.seat, at: frame.at, reset: "view" in frame };
  },
  chat(room, frame) {
    if (room.chat !== null && frame.n <= room.chat) return { room };
    const lines = frame.person ? [...room.lines, frame].slice(-300) : room.lines;
    return { room: { ...room, chat: frame.n, lines } };
  },
  presence(room, { seats, watching, away = {} }) {
    return { room: { ...room, presence: { seats, watching, away } } };
  },
  hint(room, frame) {
    return { room: { ...room, seq: frame.seq ?? room.seq, hint: frame.action, hintWhy: { why: frame.why, params: frame.params } } };
  },
  refused(room, frame) {
    if (!frame.state) return { room, refused: frame };
    return { ...known.state(room, frame.state), refused: frame };
  },
};

/** Whoever acts in person is no longer absent; the frame does not repeat the whole table for that. */
function present(table, { events, by }) {
  const seat = events[0]?.seat;
  if (by || !table?.seats[seat]?.absent) return table;
  const votes = { ...table.votes };
  delete votes[seat];
  return { ...table, votes, seats: table.seats.map((each, at) => (at === seat ? { ...each, absent: false } : each)) };
}

const isOld = (room, frame) => room.seq !== null && frame.seq <= room.seq;
const isGap = (room, frame) => room.seq === null || frame.seq > room.seq + 1;

/** The room after a frame, and what happened: {room, events?, kind?, refused?, reset?, resync?}. */
export function receive(room, frame) {
  return known[frame.t]?.(room, frame) ?? { room };
}
