// A socket that reconnects with back-off, and at once when the network or the page comes back: to the lobby, or to a table
// where it only keeps a seat.

/** @import {LobbyMessage} from "./types.d.ts" */

import { isFinal, reactionToClose } from "./close_codes.js";

/** The first message of a connection to the lobby. */
export const LOBBY_HELLO = { do: "hello", v: 2 };

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 15000;

/**
 * Keep a socket open, by default to the lobby. `reconnect` applies the identity in the current session cookie.
 * @param {{ path?: string, onOpen: (send: (message: object) => void) => void, onMessage: (message: LobbyMessage) => void, onState?: (state: "open" | "lost" | "over") => void }} parts
 */
export function openReconnectingSocket({ path = "/ws/lobby", onOpen, onMessage, onState = () => {} }) {
  /** @type {WebSocket | null} */
  let socket = null;
  let retryMs = FIRST_RETRY_MS;
  let timer = 0;
  let isClosed = false;

  /** @param {object} message */
  const send = (message) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };

  function connect() {
    clearTimeout(timer);
    if (isClosed || socket?.readyState === WebSocket.CONNECTING || socket?.readyState === WebSocket.OPEN)
      return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const opened = new WebSocket(`${scheme}//${location.host}${path}`);
    socket = opened;
    opened.addEventListener("open", () => {
      if (socket !== opened) return;
      retryMs = FIRST_RETRY_MS;
      onOpen(send);
      onState("open");
    });
    opened.addEventListener("message", (event) => socket === opened && onMessage(JSON.parse(event.data)));
    opened.addEventListener("close", ({ code }) => socket === opened && onLost(code));
  }

  /** @param {number} code */
  function onLost(code) {
    const reaction = reactionToClose(code);
    if (code === 1000 || isFinal(reaction)) {
      if (reaction === "reload") location.reload();
      onState("over");
      return;
    }
    onState("lost");
    timer = setTimeout(connect, reaction === "again" ? 100 : retryMs * (0.5 + Math.random()));
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  }

  function drop() {
    const old = socket;
    socket = null;
    old?.close(1000);
  }

  window.addEventListener("online", connect);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") connect();
  });
  connect();
  return {
    send,
    reconnect() {
      drop();
      connect();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      drop();
    },
  };
}
