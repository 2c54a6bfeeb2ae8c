// The game socket: resumes with the last seq, resends unanswered commands, retries with back-off.

/** @import {Command, Frame, SocketHandlers} from "./types.d.ts" */

import { isFinal, reactionToClose } from "./close_codes.js";
import { Liveness } from "./liveness.js";
import { randomHex } from "./random.js";

/**
 * A command without an answer. `retryMs`: the last delay before it was resent, if it was.
 * @typedef {object} PendingCommand
 * @property {Command & { id: string }} message
 * @property {(frame: Frame) => void} resolve
 * @property {(frame: Frame) => void} reject
 * @property {ReturnType<typeof setTimeout>} [timer]
 * @property {number} [retryMs]
 */

// Most losses are short, so the first attempts follow each other quickly.
const FAST_RETRY_MS = 350;
const FAST_RETRY_PERIOD_MS = 3000;
// Then the delay grows.
const FIRST_RETRY_MS = 400;
const MAX_RETRY_MS = 15000;
// Delay before a command is resent while the server cannot store; doubles each time.
const STORE_RETRY_MS = 600;
const MAX_STORE_RETRY_MS = 5000;
// Probe the connection if a command is unanswered this long.
const PROBE_AFTER_MS = 1000;
// Report "unstored" if the connection works but the command is unanswered this long.
const REPORT_AFTER_MS = 5000;

const PROTOCOL_VERSION = 2;

// No fast retries after an internal error of the server.
const CLOSE_INTERNAL_ERROR = 1011;

/**
 * Connect to a game and keep the connection. `hello()` returns the fields of the hello message (seq, chat, password).
 * `onStatus` gets "open", "lost", "offline", "restarting", "unstored", "stored", "stopped", "reload", "signed_out" or
 * "not_admitted". The promise of `send(command)` resolves when the command is accepted and rejects with the refusal.
 * @param {string} path
 * @param {{ hello: SocketHandlers["hello"], onFrame: SocketHandlers["onFrame"], onStatus: SocketHandlers["onStatus"] }} options
 */
export function connect(path, { hello, onFrame, onStatus }) {
  /** @type {Map<string, PendingCommand>} Keyed by command id. */
  const pending = new Map();
  /** @type {WebSocket | null} */
  let socket = null;
  let retryMs = FIRST_RETRY_MS;
  let lostAt = 0;
  let retryTimer = 0;
  // Server time minus local time.
  let clockOffset = 0;
  let pingCount = 0;
  let isClosed = false;
  let isWelcomed = false;
  let isRestarting = false;

  function open() {
    clearTimeout(retryTimer);
    if (isClosed || socket) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(`${scheme}//${location.host}${path}`);
    const opened = socket;
    isWelcomed = false;
    // Silence is measured from now on.
    liveness.markAlive();
    opened.onopen = sendHello;
    opened.onmessage = (event) => socket === opened && receive(JSON.parse(event.data));
    opened.onclose = (event) => socket === opened && onLost(event.code);
  }

  /** @param {object} message */
  const write = (message) => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  const sendHello = () => write({ do: "hello", v: PROTOCOL_VERSION, ...hello() });

  function ping() {
    pingCount += 1;
    write({ do: "ping", n: pingCount });
  }

  /** @param {Frame} frame */
  function receive(frame) {
    liveness.markAlive();
    if (frame.t === "pong" || frame.t === "welcome") clockOffset = frame.now - Date.now();
    if (frame.t === "bye") isRestarting = frame.code === "resume";
    if (frame.t === "welcome") {
      isWelcomed = true;
      isRestarting = false;
      retryMs = FIRST_RETRY_MS;
      onStatus("open", { resumed: frame.resumed });
    }
    if (frame.t === "refused" && frame.id === null && !isWelcomed) {
      if (frame.code !== "try_again") onStatus("not_admitted", frame);
      else retryHello();
    }
    onFrame(frame);
    if (frame.t === "welcome") pending.forEach(deliver);
    if (frame.ack) settle(frame.ack, "resolve", frame);
    if (frame.t === "refused" && frame.id) {
      if (frame.code === "try_again") retryCommand(frame.id);
      else settle(frame.id, "reject", frame);
    }
  }

  /** Send the hello again: the server could not read the table just now. */
  function retryHello() {
    const opened = socket;
    setTimeout(() => socket === opened && !isWelcomed && sendHello(), STORE_RETRY_MS * 2);
    onStatus("unstored", {});
  }

  /**
   * Send a command. Without an answer, probe the connection; if that works, report "unstored". The command stays
   * pending; its id makes a resend harmless.
   * @param {PendingCommand} entry
   */
  function deliver(entry) {
    const isOpen = () => isWelcomed && pending.has(entry.message.id);
    const report = () => {
      if (!isOpen()) return;
      if (liveness.isUnconfirmed()) {
        entry.timer = setTimeout(report, PROBE_AFTER_MS);
        return;
      }
      entry.retryMs ??= STORE_RETRY_MS / 2;
      onStatus("unstored", {});
    };
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => {
      if (!isOpen()) return;
      liveness.probe();
      entry.timer = setTimeout(report, REPORT_AFTER_MS - PROBE_AFTER_MS);
    }, PROBE_AFTER_MS);
    write(entry.message);
  }

  /**
   * Resend a command that the server could not store, with the same id.
   * @param {string} id
   */
  function retryCommand(id) {
    const entry = pending.get(id);
    if (!entry) return;
    entry.retryMs = Math.min((entry.retryMs ?? STORE_RETRY_MS / 2) * 2, MAX_STORE_RETRY_MS);
    setTimeout(() => pending.has(id) && write(entry.message), entry.retryMs);
    onStatus("unstored", {});
  }

  /**
   * @param {string} id
   * @param {"resolve" | "reject"} how
   * @param {Frame} value
   */
  function settle(id, how, value) {
    const entry = pending.get(id);
    pending.delete(id);
    clearTimeout(entry?.timer);
    if (entry?.retryMs) onStatus("stored", {});
    entry?.[how](value);
  }

  /** @param {number} code */
  function onLost(code) {
    socket = null;
    const reaction = reactionToClose(code);
    if (isFinal(reaction)) {
      isClosed = true;
      onStatus(reaction === "stop" ? "stopped" : reaction, { code });
      return;
    }
    if (reaction === "slowly") retryMs = MAX_RETRY_MS;
    if (navigator.onLine) onStatus(isRestarting ? "restarting" : "lost", { code });
    else onStatus("offline", { code });
    retryTimer = setTimeout(open, retryDelay(code, reaction));
  }

  /**
   * Return the delay before the next attempt: almost none, then short ones, then back-off. Jitter keeps clients apart.
   * @param {number} code
   * @param {string | undefined} reaction
   */
  function retryDelay(code, reaction) {
    const isFirst = isWelcomed;
    if (isFirst) lostAt = Date.now();
    isWelcomed = false;
    if (
      reaction !== "slowly" &&
      code !== CLOSE_INTERNAL_ERROR &&
      Date.now() - lostAt < FAST_RETRY_PERIOD_MS
    ) {
      return isFirst ? (FAST_RETRY_MS / 4) * Math.random() : FAST_RETRY_MS * (0.25 + 0.75 * Math.random());
    }
    const delay = retryMs * (0.75 + Math.random() / 2);
    retryMs = Math.min(retryMs * 1.8, MAX_RETRY_MS);
    return delay;
  }

  /** Drop a dead socket that the browser still considers open. */
  function dropDeadSocket() {
    if (!socket) return;
    const dead = socket;
    onLost(1006);
    dead.close();
  }

  /** Drop the socket when the network goes away. Retries go on: a server on this device is still reachable. */
  function onOffline() {
    if (socket) dropDeadSocket();
    else if (!isClosed) onStatus("offline", {});
  }

  /** Retry at once when the network comes back or the page becomes visible. */
  function retryNow() {
    if (document.visibilityState === "hidden" || isClosed) return;
    if (!socket) openNow();
    else liveness.probe();
  }

  function openNow() {
    retryMs = FIRST_RETRY_MS;
    open();
  }
  const liveness = Liveness({
    ping,
    isWelcomed: () => isWelcomed && socket !== null,
    isAwaitingAnswer: () => pending.size > 0,
    onDead: dropDeadSocket,
  });
  addEventListener("online", retryNow);
  addEventListener("offline", onOffline);
  document.addEventListener("visibilitychange", retryNow);
  open();

  return {
    /** @param {Command} command */
    send(command) {
      const message = { ...command, id: command.id ?? randomHex() };
      return new Promise((resolve, reject) => {
        const entry = { message, resolve, reject };
        pending.set(message.id, entry);
        if (isWelcomed) deliver(entry);
      });
    },
    /**
     * Send a message that gets no answer.
     * @param {object} message
     */
    sendOneWay: (message) => isWelcomed && write(message),
    resync: sendHello,
    /** Reconnect, to use the identity in the current session cookie. */
    reconnect() {
      const old = socket;
      socket = null;
      old?.close(1000);
      openNow();
    },
    reopen() {
      isClosed = false;
      openNow();
    },
    close() {
      isClosed = true;
      clearTimeout(retryTimer);
      const old = socket;
      socket = null;
      old?.close(1000);
    },
    now: () => Date.now() + clockOffset,
  };
}
