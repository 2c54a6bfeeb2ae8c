// A socket that comes back by itself: growing pauses, at once when the network or the page returns.

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15000;
const NO_RETURN = new Set([1000, 4001, 4002, 4003, 4008, 4010]);

/** Keep a socket open at path; onOpen(send), onMessage(message), onState("open"|"lost"|"over"). */
export function live(path, { onOpen, onMessage, onState = () => {} }) {
  let socket = null;
  let pause = FIRST_PAUSE;
  let timer = 0;
  let ended = false;

  const send = (message) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };

  function connect() {
    clearTimeout(timer);
    if (ended || socket?.readyState === WebSocket.CONNECTING || socket?.readyState === WebSocket.OPEN) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(`${scheme}//${location.host}${path}`);
    socket.addEventListener("open", () => {
      pause = FIRST_PAUSE;
      onOpen(send);
      onState("open");
    });
    socket.addEventListener("message", (event) => onMessage(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => {
      if (ended) return;
      if (NO_RETURN.has(event.code)) {
        if (event.code === 4001) location.reload();
        onState("over");
        return;
      }
      onState("lost");
      timer = setTimeout(connect, event.code === 4000 ? 100 : pause * (0.5 + Math.random()));
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    });
  }

  window.addEventListener("online", connect);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") connect();
  });
  connect();
  return {
    send,
    close() {
      ended = true;
      clearTimeout(timer);
      socket?.close(1000);
    },
  };
}
