// "Your turn" as the browser's own notice, while some page is open but none is looked at, for those who asked for it.
import { t } from "./i18n.js";
import { lobbySocket } from "./lobby_socket.js";

let known = null; // the games that wait, as told before; null until told once

export const isWanted = () =>
  "Notification" in window && Notification.permission === "granted" && localStorage.getItem("notify") === "on";

/** Tell of games that have begun to wait; the first list only says what was known already. */
export function announceTurns(waiting) {
  // A game over days is told by the server's push where this browser has that.
  const isPushed = (room) => room.clock === "days" && localStorage.getItem("push") !== null;
  const fresh = known ? waiting.filter((room) => !known.has(room.id) && !isPushed(room)) : [];
  known = new Set(waiting.map((room) => room.id));
  if (!isWanted() || document.visibilityState === "visible") return;
  for (const room of fresh) {
    const note = new Notification(t("Your turn"), { body: room.title || "Cartagena", tag: room.id, icon: "/icon.svg" });
    note.addEventListener("click", () => {
      window.focus();
      location.assign(`/g/${encodeURIComponent(room.id)}`);
    });
  }
}

/** Listen on a page that has no lobby of its own. */
export function listenForTurns() {
  const mine = new Map();
  const announce = () => announceTurns([...mine.values()].filter((room) => room.my_turn));
  lobbySocket({
    onOpen: (send) => send({ do: "hello", v: 1 }),
    onMessage(message) {
      if (message.t === "lobby") {
        mine.clear();
        for (const room of message.mine ?? []) mine.set(room.id, room);
      } else if (message.t === "room" && message.list === "mine") {
        mine.set(message.room.id, { ...mine.get(message.room.id), ...message.room });
      } else if (message.t === "gone" && message.list === "mine") {
        mine.delete(message.id);
      } else return;
      announce();
    },
  });
}
