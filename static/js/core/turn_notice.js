// Browser notifications of the player's turn, for those who switched them on, while a page is open in the background.

/** @import {LobbyRoom} from "./types.d.ts" */

import { isCorrespondence } from "./clock_kinds.js";
import { t } from "./i18n.js";
import { LOBBY_HELLO, openLobbySocket } from "./lobby_socket.js";

// Ids of the games that already waited for the player; null before the first list.
/** @type {Set<string> | null} */
let knownIds = null;

export const isTurnNoticeOn = () =>
  "Notification" in window &&
  Notification.permission === "granted" &&
  localStorage.getItem("notify") === "on";

/**
 * Notify of games that have started to wait for the player since the last call. The first call notifies of none.
 * @param {LobbyRoom[]} waiting
 */
export function announceTurns(waiting) {
  // The server itself sends a push for correspondence games.
  /** @param {LobbyRoom} room */
  const isPushed = (room) => isCorrespondence(room.clock) && localStorage.getItem("push") !== null;
  const before = knownIds;
  const started = before ? waiting.filter((room) => !before.has(room.id) && !isPushed(room)) : [];
  knownIds = new Set(waiting.map((room) => room.id));
  if (!isTurnNoticeOn() || document.visibilityState === "visible") return;
  for (const room of started) {
    const note = new Notification(t("Your turn"), {
      body: room.title || "Cartagena",
      tag: room.id,
      icon: "/icon.svg",
    });
    note.addEventListener("click", () => {
      window.focus();
      location.assign(`/g/${encodeURIComponent(room.id)}`);
    });
  }
}

/** Follow the player's games on a page without a lobby. */
export function listenForTurns() {
  /** @type {Map<string, LobbyRoom>} */
  const ownRooms = new Map();
  const announce = () => announceTurns([...ownRooms.values()].filter((room) => room.my_turn));
  openLobbySocket({
    onOpen: (send) => send(LOBBY_HELLO),
    onMessage(message) {
      if (message.t === "lobby") {
        ownRooms.clear();
        for (const room of message.mine ?? []) ownRooms.set(room.id, room);
      } else if (message.t === "room" && message.list === "mine") {
        ownRooms.set(message.room.id, { ...ownRooms.get(message.room.id), ...message.room });
      } else if (message.t === "gone" && message.list === "mine") {
        ownRooms.delete(message.id);
      } else return;
      announce();
    },
  });
}
