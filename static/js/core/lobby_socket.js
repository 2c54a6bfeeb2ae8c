// The lobby socket, and sockets to tables that only keep a seat. Reconnects with back-off, and at once when the network or the page comes back.

/** @import {LobbyMessage} from "./types.d.ts" */

import { isFinal, reactionToClose } from "./close_codes.js";

/** The first message of a connection. */
export const LOBBY_HELLO = { do: "hello", v: 2 };

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 15000;

/**
 * Keep a socket open, by default to the lobby, and return its `send` function.
 * @param {{ path?: string, onOpen: (send: (message: object) => void) => void, onMessage: (message: LobbyMessage) => void, onState?: (state: "open" | "lost" | "over") => void }} parts
 */
export function openLobbySocket({ path = "/ws/lobby", onOpen, onMessage, onState = () => {} }) {
  /** @type {WebSocket | null} */
  let socket = null;
  let retryMs = FIRST_RETRY_MS;
  let timer = 0;

  /** @param {object} message */
  const send = (message) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };

  function connect() {
    clearTimeout(timer);
    if (socket?.readyState === WebSocket.CONNECTING || socket?.readyState === WebSocket.OPEN) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(`${scheme}//${location.host}${path}`);
    socket.addEventListener("open", () => {
      retryMs = FIRST_RETRY_MS;
      onOpen(send);
      onState("open");
    });
    socket.addEventListener("message", (event) => onMessage(JSON.parse(event.data)));
    socket.addEventListener("close", ({ code }) => {
      const reaction = reactionToClose(code);
      if (code === 1000 || isFinal(reaction)) {
        if (reaction === "reload") location.reload();
        onState("over");
        return;
      }
      onState("lost");
      timer = setTimeout(connect, reaction === "again" ? 100 : retryMs * (0.5 + Math.random()));
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    });
  }

  window.addEventListener("online", connect);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") connect();
  });
  connect();
  return send;
}
