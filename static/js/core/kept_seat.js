// The seat of a player who waits for strangers elsewhere. A socket to the table keeps it listed and its seat taken, and a
// player who sits down there is announced on whatever page is open.

/** @import {LobbyRoom} from "./types.d.ts" */

import { el } from "./dom.js";
import { t } from "./i18n.js";
import { openLobbySocket } from "./lobby_socket.js";

const STORAGE_KEY = "cartagena.keptSeat";
const tablePath = (/** @type {string} */ id) => `/g/${encodeURIComponent(id)}`;

/**
 * `people`: how many people sat there at last; `isCalled`: whether one has come since the player looked.
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

/**
 * Keep the seat at this table while the player is on other pages.
 * @param {string} id
 */
export const keepSeat = (id) => storeKeptSeat({ id, people: 1, isCalled: false });

let heldId = "";

/**
 * Be present at the table as long as this page is open.
 * @param {string} id
 */
function holdSeat(id) {
  if (heldId === id) return;
  heldId = id;
  openLobbySocket({
    path: `/ws/game/${encodeURIComponent(id)}`,
    onOpen: (send) => send({ do: "hello", v: 2 }),
    onMessage() {},
  });
}

/**
 * @param {LobbyRoom} room
 * @param {(title: string, room: LobbyRoom) => void} notify
 */
function announceNewcomer(room, notify) {
  const sentence = t("Someone has joined you at your table.");
  notify(sentence, room);
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
 * Hold the kept seat, if it is among the player's games, and announce who comes. Return the number of kept tables where
 * somebody has come, 0 or 1.
 * @param {Map<string, LobbyRoom>} rooms
 * @param {(title: string, room: LobbyRoom) => void} notify
 */
export function followKeptSeat(rooms, notify) {
  const kept = readKeptSeat();
  if (!kept) return 0;
  const room = rooms.get(kept.id);
  if (room?.status !== "open") {
    storeKeptSeat(null);
    return 0;
  }
  const people = room.taken - room.bots;
  const isAtTable = location.pathname === tablePath(kept.id);
  if (!isAtTable) {
    holdSeat(kept.id);
    if (people > kept.people) announceNewcomer(room, notify);
  }
  const isCalled = !isAtTable && people > 1 && (kept.isCalled || people > kept.people);
  storeKeptSeat({ id: kept.id, people, isCalled });
  return Number(isCalled);
}
