// The lobby socket: comes back by itself with growing pauses, at once when the network or the page returns.

import { afterClose, isFinal } from "./close_codes.js";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15000;

/** Keep a socket to the lobby open; onOpen(send), onMessage(message), onState("open"|"lost"|"over"). Gives `send`. */
export function lobbySocket({ onOpen, onMessage, onState = () => {} }) {
  let socket = null;
  let pause = FIRST_PAUSE;
  let timer = 0;

  const send = (message) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };

  function connect() {
    clearTimeout(timer);
    if (socket?.readyState === WebSocket.CONNECTING || socket?.readyState === WebSocket.OPEN) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(`${scheme}//${location.host}/ws/lobby`);
    socket.addEventListener("open", () => {
      pause = FIRST_PAUSE;
      onOpen(send);
      onState("open");
    });
    socket.addEventListener("message", (event) => onMessage(JSON.parse(event.data)));
    socket.addEventListener("close", ({ code }) => {
      const after = afterClose(code);
      if (code === 1000 || isFinal(after)) {
        if (after === "reload") location.reload();
        onState("over");
        return;
      }
      onState("lost");
      timer = setTimeout(connect, after === "again" ? 100 : pause * (0.5 + Math.random()));
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    });
  }

  window.addEventListener("online", connect);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") connect();
  });
  connect();
  return send;
}
