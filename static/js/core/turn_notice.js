// Follows the player's games on pages without a lobby: the count of those that wait, and browser notifications for players
// who switched them on, while a page is open in the background.

/** @import {LobbyRoom} from "./types.d.ts" */

import { isCorrespondence } from "./clock_kinds.js";
import { t } from "./i18n.js";
import { followKeptSeat } from "./kept_seat.js";
import { LOBBY_HELLO, openReconnectingSocket } from "./reconnecting_socket.js";
import { showTurnCount } from "./turn_count.js";

// Ids of the games that already waited for the player; null before the first list.
/** @type {Set<string> | null} */
let knownIds = null;

const isTurnNoticeOn = () =>
  "Notification" in window &&
  Notification.permission === "granted" &&
  localStorage.getItem("notify") === "on";

/**
 * Show a browser notification about a table, if they are on and the page is hidden.
 * @param {string} title
 * @param {LobbyRoom} room
 */
function notifyInBackground(title, room) {
  if (!isTurnNoticeOn() || document.visibilityState === "visible") return;
  const note = new Notification(title, {
    body: room.title || "Cartagena",
    tag: room.id,
    icon: "/icon.svg",
  });
  note.addEventListener("click", () => {
    window.focus();
    location.assign(`/g/${encodeURIComponent(room.id)}`);
  });
}

/**
 * Notify of games that have started to wait for the player since the last call. The first call notifies of none.
 * @param {LobbyRoom[]} waiting
 */
function announceTurns(waiting) {
  // The server itself sends a push for correspondence games.
  /** @param {LobbyRoom} room */
  const isPushed = (room) => isCorrespondence(room.clock) && localStorage.getItem("push") !== null;
  const before = knownIds;
  const started = before ? waiting.filter((room) => !before.has(room.id) && !isPushed(room)) : [];
  knownIds = new Set(waiting.map((room) => room.id));
  for (const room of started) notifyInBackground(t("Your turn"), room);
}

/**
 * Show how many of the player's games wait. The page of a table counts the other games.
 * @param {Map<string, LobbyRoom>} ownRooms
 */
export function showOwnTurns(ownRooms) {
  const waiting = [...ownRooms.values()].filter((room) => room.my_turn);
  const isElsewhere = (/** @type {LobbyRoom} */ { id }) =>
    !`${location.pathname}/`.startsWith(`/g/${encodeURIComponent(id)}/`);
  showTurnCount(waiting.filter(isElsewhere).length + followKeptSeat(ownRooms, notifyInBackground));
  announceTurns(waiting);
}

/** Follow the player's games on a page without a lobby. */
export function listenForTurns() {
  /** @type {Map<string, LobbyRoom>} */
  const ownRooms = new Map();
  const socket = openReconnectingSocket({
    onOpen: (say) => say({ ...LOBBY_HELLO, only: "mine" }),
    onMessage(message) {
      if (message.t === "refused" && message.code === "bad_message") {
        socket.send(LOBBY_HELLO); // a worker of release 0.1.0 knows no `only`
        return;
      }
      if (message.t === "lobby") {
        ownRooms.clear();
        for (const room of message.mine ?? []) ownRooms.set(room.id, room);
      } else if (message.t === "room" && message.list === "mine") {
        ownRooms.set(message.room.id, { ...ownRooms.get(message.room.id), ...message.room });
      } else if (message.t === "gone" && message.list === "mine") {
        ownRooms.delete(message.id);
      } else return;
      showOwnTurns(ownRooms);
    },
  });
}
