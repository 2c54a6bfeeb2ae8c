// The seat of a player who waits for strangers and does something else meanwhile. A socket to the table keeps it listed and
// the seat taken, and every other open page announces a player who sits down there.

/** @import {LobbyRoom} from "./types.d.ts" */

import { el } from "./dom.js";
import { t } from "./i18n.js";
import { openReconnectingSocket } from "./reconnecting_socket.js";

const STORAGE_KEY = "cartagena.keptSeat";
const tablePath = (/** @type {string} */ id) => `/g/${encodeURIComponent(id)}`;

/**
 * `people`: the number of people at the table when a page last received it; `isCalled`: whether one has joined since the
 * player last looked.
 * @typedef {{ id: string, people: number, isCalled: boolean }} KeptSeat
 */

/** @returns {KeptSeat | null} */
function readKeptSeat() {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "null");
  } catch {
    return null;
  }
}

/** @param {KeptSeat | null} seat */
function storeKeptSeat(seat) {
  try {
    if (seat) localStorage.setItem(STORAGE_KEY, JSON.stringify(seat));
    else localStorage.removeItem(STORAGE_KEY);
  } catch {
    // Without storage the seat is kept by the table's own page only.
  }
}

/** @type {{ id: string, socket: ReturnType<typeof openReconnectingSocket> } | null} */
let held = null;

/**
 * Be present at the table as long as this page is open.
 * @param {string} id
 */
function holdSeat(id) {
  if (held?.id === id) return;
  held?.socket.close();
  const socket = openReconnectingSocket({
    path: `/ws/game/${encodeURIComponent(id)}`,
    onOpen: (send) => send({ do: "hello", v: 2 }),
    onMessage() {},
  });
  held = { id, socket };
}

// The tables in the last list that this page received; null before the first one.
/** @type {Set<string> | null} */
let listed = null;

const removeCall = () => document.querySelector(".toast-call")?.remove();

/**
 * Keep the seat at this table, on this page and on the next ones.
 * @param {string} id
 */
export function keepSeat(id) {
  listed ??= new Set();
  storeKeptSeat({ id, people: 1, isCalled: false });
  holdSeat(id);
}

// What this page last received of the kept table. Another page may have stored the newest count already.
/** @type {{ id: string, people: number } | null} */
let received = null;

/**
 * @param {LobbyRoom} room
 * @param {(title: string, room: LobbyRoom) => void} notify
 */
function announceNewcomer(room, notify) {
  const sentence = t("Someone has joined you at your table.");
  notify(sentence, room);
  removeCall();
  document
    .getElementById("toasts")
    ?.append(
      el(
        "p.toast.toast-call",
        {},
        sentence,
        " ",
        el("a.button.button-small", { href: tablePath(room.id) }, t("Go to the table")),
      ),
    );
}

/**
 * Hold the kept seat, if it is among the player's games, and announce players who join. Return the number of kept tables
 * that someone has joined, 0 or 1.
 * @param {Map<string, LobbyRoom>} rooms
 * @param {(title: string, room: LobbyRoom) => void} notify
 */
export function followKeptSeat(rooms, notify) {
  const before = listed;
  listed = new Set(rooms.keys());
  /** @param {string} id */
  function isOver(id) {
    const room = rooms.get(id);
    // The row of a new table may arrive after another message.
    return room ? room.status !== "open" : before === null || before.has(id);
  }
  // The player would count as present in the game.
  if (held && isOver(held.id)) {
    held.socket.close();
    held = null;
  }
  const kept = readKeptSeat();
  if (!kept || isOver(kept.id)) {
    storeKeptSeat(null);
    removeCall();
    return 0;
  }
  const room = rooms.get(kept.id);
  if (!room) return 0;
  const people = room.taken - room.bots;
  const peopleBefore = received?.id === kept.id ? received.people : kept.people;
  received = { id: kept.id, people };
  const isAtTable = location.pathname === tablePath(kept.id);
  const isCalled = !isAtTable && people > 1 && (kept.isCalled || people > kept.people);
  if (!isAtTable) holdSeat(kept.id);
  if (isCalled && people > peopleBefore) announceNewcomer(room, notify);
  if (!isCalled) removeCall();
  storeKeptSeat({ id: kept.id, people, isCalled });
  return Number(isCalled);
}
