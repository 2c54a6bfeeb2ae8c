// A client's copy of a room and how frames change it (docs/protocol.md §1). Pure: no socket, no DOM.

/** @import {EventsFrame, Frame, FrameOf, Cause, Room, StateFrame, Table, TableFrame, View} from "../core/types.d.ts" */

import { foldAll } from "../core/fold.js";

/** @returns {Room} */
export function emptyRoom() {
  return {
    seq: null,
    // The server's seq in its welcome. The client is behind while `seq` is less.
    serverSeq: null,
    chat: null,
    game: null,
    you: { seat: null, person: null, name: null, muted: [], removed: false },
    table: null,
    view: null,
    choices: [],
    undo: false,
    clock: null,
    chatLines: [],
    presence: { seats: [], watching: 0, away: {} },
    chatPresets: [],
    hint: null,
    hintWhy: null,
  };
}

/**
 * @param {Room} room
 * @param {StateFrame | EventsFrame | TableFrame} frame
 */
function withChoices(room, frame) {
  return {
    ...room,
    seq: frame.seq,
    choices: frame.choices ?? [],
    undo: frame.undo ?? false,
    clock: frame.clock ?? room.clock,
    hint: null,
  };
}

/**
 * Replace the room with a `state` frame.
 * @param {Room} room
 * @param {StateFrame} frame
 */
function replaceState(room, frame) {
  const next = {
    ...withChoices(room, frame),
    clock: frame.clock ?? null,
    table: frame.table,
    view: frame.view,
    you: { ...room.you, ...frame.you },
  };
  return { room: next, reset: true };
}

/** @typedef {(room: Room, frame: Frame) => { room: Room } & Cause} Receiver */

/** @type {{ [T in Frame["t"]]?: (room: Room, frame: FrameOf<T>) => { room: Room } & Cause }} */
const handlers = {
  welcome(room, frame) {
    const you = { ...room.you, removed: false, removed_until: undefined, ...frame.you };
    return {
      room: { ...room, you, game: frame.game, serverSeq: frame.seq, chatPresets: frame.presets ?? [] },
    };
  },
  state: replaceState,
  events(room, frame) {
    if (isOld(room, frame)) return { room };
    if (isGap(room, frame)) return { room, resync: true };
    const view = frame.events.length
      ? foldAll(/** @type {View} */ (room.view), frame.events, room.you.seat)
      : room.view;
    const table = frame.table ?? markPresent(room.table, frame);
    return {
      room: { ...withChoices(room, frame), view, table },
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
    const you = {
      ...room.you,
      ...frame.you,
      removed: frame.you?.seat === null && (room.you.removed || isRemoved),
      removed_until: isRemoved ? frame.removed_until : room.you.removed_until,
    };
    const next = { ...withChoices(room, frame), table: frame.table, you };
    if ("view" in frame) next.view = /** @type {View | null} */ (frame.view);
    return { room: next, kind: frame.kind, seat: frame.seat, at: frame.at, reset: "view" in frame };
  },
  chat(room, frame) {
    if (room.chat !== null && frame.n <= room.chat) return { room };
    const chatLines = frame.person ? [...room.chatLines, frame].slice(-300) : room.chatLines;
    return { room: { ...room, chat: frame.n, chatLines } };
  },
  presence(room, { seats, watching, away = {} }) {
    return { room: { ...room, presence: { seats, watching, away } } };
  },
  hint(room, frame) {
    return {
      room: {
        ...room,
        seq: frame.seq ?? room.seq,
        hint: frame.action,
        hintWhy: { why: frame.why, params: frame.params },
      },
    };
  },
  refused(room, frame) {
    if (!frame.state) return { room, refused: frame };
    return { ...replaceState(room, frame.state), refused: frame };
  },
};

/**
 * Clear the absence of a person who acts. An events frame does not repeat the table for that.
 * @param {Table | null} table
 * @param {FrameOf<"events">} options
 */
function markPresent(table, { events, by }) {
  const seat = events[0]?.seat;
  if (by || seat === undefined || !table?.seats[seat]?.absent) return table;
  const votes = { ...table.votes };
  delete votes[seat];
  return {
    ...table,
    votes,
    seats: table.seats.map((info, at) => (at === seat ? { ...info, absent: false } : info)),
  };
}

/**
 * @param {Room} room
 * @param {FrameOf<"state" | "events" | "table">} frame
 */
const isOld = (room, frame) => room.seq !== null && frame.seq <= room.seq;
/**
 * @param {Room} room
 * @param {FrameOf<"state" | "events" | "table">} frame
 */
const isGap = (room, frame) => room.seq === null || frame.seq > room.seq + 1;

/**
 * Apply a frame. Return the new room and the cause: {room, events?, kind?, refused?, reset?, resync?}.
 * @param {Room} room
 * @param {Frame} frame
 */
export function receive(room, frame) {
  return /** @type {Receiver | undefined} */ (handlers[frame.t])?.(room, frame) ?? { room };
}
