// The game socket: connect, resume with the last seq, send again what was not answered, wait longer each time.

import { afterClose, isFinal } from "./close_codes.js";
import { Liveness } from "./liveness.js";
import { randomHex } from "./random.js";

const FAST_RETRY = 350; // most cuts are short: right after one, attempts are at most so far apart
const FAST_RETRY_FOR = 3000;
const FIRST_WAIT = 400; // after that, longer each time
const LONGEST_WAIT = 15000;
const STORE_WAIT = 600; // between two attempts while the server cannot store; twice as long each time
const LONGEST_STORE_WAIT = 5000;
const DOUBT = 1000; // no answer to a command for so long: is anybody there?
const UNANSWERED = 5000; // so long, though somebody is: the server has trouble storing it

const PROTOCOL = 2;
const OLD_PROTOCOL = 1; // the same but for sealed seats; a server that is not updated yet speaks only this

const SERVER_FAULT = 1011; // the server's own: it is not asked again in haste

/**
 * connect(path, {hello, onFrame, onStatus}) -> {send, tell, resync, reconnect, reopen, close, now}
 * hello() gives the fields of the hello message (seq, chat, password);
 * onStatus("open" | "lost" | "offline" | "restarting" | "unstored" | "stored" | "stopped" | …, detail).
 * send(command) returns a promise: resolved when accepted, rejected with the refusal.
 */
export function connect(path, { hello, onFrame, onStatus }) {
  const pending = new Map(); // id -> {message, resolve, reject}
  let socket = null;
  let wait = FIRST_WAIT;
  let lostAt = 0;
  let timer = 0;
  let offset = 0; // server time minus ours
  let pings = 0;
  let closed = false;
  let welcomed = false;
  let restarting = false;
  let protocol = PROTOCOL;

  function open() {
    clearTimeout(timer);
    if (closed || socket) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(`${scheme}//${location.host}${path}`);
    const mine = socket;
    welcomed = false;
    liveness.heard(); // from now on it has time
    mine.onopen = sayHello;
    mine.onmessage = (event) => socket === mine && receive(JSON.parse(event.data));
    mine.onclose = (event) => socket === mine && lost(event.code);
  }

  const write = (message) => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  const sayHello = () => write({ do: "hello", v: protocol, ...hello() });

  function ping() {
    pings += 1;
    write({ do: "ping", n: pings });
  }

  function receive(frame) {
    liveness.heard();
    if (frame.t === "pong" || frame.t === "welcome") offset = frame.now - Date.now();
    if (frame.t === "bye") restarting = frame.code === "resume";
    if (frame.t === "welcome") {
      welcomed = true;
      protocol = PROTOCOL; // the next connection may be to a newer server
      restarting = false;
      wait = FIRST_WAIT;
      onStatus("open", { resumed: frame.resumed });
    }
    if (frame.t === "refused" && frame.id === null && !welcomed) {
      if (frame.code !== "try_again") onStatus("not_admitted", frame);
      else helloAgain(); // the table could not be read just now: nobody is turned away
    }
    onFrame(frame);
    if (frame.t === "welcome") pending.forEach(deliver);
    if (frame.ack) settle(frame.ack, "resolve", frame);
    if (frame.t === "refused" && frame.id) {
      if (frame.code === "try_again") tryAgain(frame.id);
      else settle(frame.id, "reject", frame);
    }
  }

  function helloAgain() {
    const mine = socket;
    setTimeout(() => socket === mine && !welcomed && sayHello(), STORE_WAIT * 2);
    onStatus("unstored", {});
  }

  /**
   * Send a command. No answer: is anybody there? If so, it is said as if it had been refused; the command stays where
   * it is, and counts once.
   */
  function deliver(entry) {
    const isOpen = () => welcomed && pending.has(entry.message.id);
    const report = () => {
      if (!isOpen()) return;
      if (liveness.isDoubtful()) {
        entry.timer = setTimeout(report, DOUBT);
        return;
      }
      entry.pause ??= STORE_WAIT / 2;
      onStatus("unstored", {});
    };
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => {
      if (!isOpen()) return;
      liveness.doubt();
      entry.timer = setTimeout(report, UNANSWERED - DOUBT);
    }, DOUBT);
    write(entry.message);
  }

  /** The server could not store it: the same command with the same id goes out again, and counts once. */
  function tryAgain(id) {
    const entry = pending.get(id);
    if (!entry) return;
    entry.pause = Math.min((entry.pause ?? STORE_WAIT / 2) * 2, LONGEST_STORE_WAIT);
    setTimeout(() => pending.has(id) && write(entry.message), entry.pause);
    onStatus("unstored", {});
  }

  function settle(id, how, value) {
    const entry = pending.get(id);
    pending.delete(id);
    clearTimeout(entry?.timer);
    if (entry?.pause) onStatus("stored", {});
    entry?.[how](value);
  }

  function lost(code) {
    socket = null;
    let after = afterClose(code);
    if (after === "reload" && protocol === PROTOCOL) {
      protocol = OLD_PROTOCOL; // before the page is loaded again, which may lead to the same old server
      after = "again";
    }
    if (isFinal(after)) {
      closed = true;
      onStatus(after === "stop" ? "stopped" : after, { code });
      return;
    }
    if (after === "slowly") wait = LONGEST_WAIT;
    if (navigator.onLine) onStatus(restarting ? "restarting" : "lost", { code });
    else onStatus("offline", { code });
    timer = setTimeout(open, pauseAfter(code, after));
  }

  /** Nearly at once, then a few times a second, then longer each time; never all clients in step. */
  function pauseAfter(code, after) {
    const first = welcomed;
    if (first) lostAt = Date.now();
    welcomed = false;
    if (after !== "slowly" && code !== SERVER_FAULT && Date.now() - lostAt < FAST_RETRY_FOR) {
      return first ? (FAST_RETRY / 4) * Math.random() : FAST_RETRY * (0.25 + 0.75 * Math.random());
    }
    const chosen = wait * (0.75 + Math.random() / 2);
    wait = Math.min(wait * 1.8, LONGEST_WAIT);
    return chosen;
  }

  /** Nothing comes through any more, whatever the browser thinks. */
  function drop() {
    if (!socket) return;
    const dead = socket;
    lost(1006);
    dead.close();
  }

  /** The network went: what is open leads nowhere. Attempts go on, since a server on this device would be reached. */
  function networkGone() {
    if (socket) drop();
    else if (!closed) onStatus("offline", {});
  }

  /** The network came back or the page was looked at again: do not sit out the pause. */
  function retryNow() {
    if (document.visibilityState === "hidden" || closed) return;
    if (!socket) openAfresh();
    else liveness.doubt();
  }

  function openAfresh() {
    wait = FIRST_WAIT;
    open();
  }
  const liveness = Liveness({ ping, isWelcomed: () => welcomed && socket !== null, isOwed: () => pending.size > 0, onDead: drop });
  addEventListener("online", retryNow);
  addEventListener("offline", networkGone);
  document.addEventListener("visibilitychange", retryNow);
  open();

  return {
    send(command) {
      const message = { ...command, id: command.id ?? randomHex() };
      return new Promise((resolve, reject) => {
        const entry = { message, resolve, reject };
        pending.set(message.id, entry);
        if (welcomed) deliver(entry);
      });
    },
    /** Send what nobody answers. */
    tell: (message) => welcomed && write(message),
    resync: sayHello,
    /** Leave and come back as whoever the cookie now says we are. */
    reconnect() {
      const old = socket;
      socket = null;
      old?.close(1000);
      openAfresh();
    },
    reopen() {
      closed = false;
      openAfresh();
    },
    /** Leave for good. */
    close() {
      closed = true;
      clearTimeout(timer);
      const old = socket;
      socket = null;
      old?.close(1000);
    },
    now: () => Date.now() + offset,
  };
}
