// The wire: connect, resume with the last seq, resend what was not answered, wait longer each time, know the server's clock.

const HASTE = 350; // most cuts are short: right after one, tries are at most so far apart
const HASTE_FOR = 3000;
const FIRST_WAIT = 400; // after that, longer each time
const LONGEST_WAIT = 15000;
const PING_EVERY = 25000;
const STORE_WAIT = 600; // between two tries while the server cannot store; twice as long each time
const LONGEST_STORE_WAIT = 5000;
const UNANSWERED = 5000; // no answer to a command for so long: the server has trouble storing it
const PATIENCE = 12000; // no answer to a ping for so long: the line is dead, whatever the browser thinks

const PROTOCOL = 2;
const OLD_PROTOCOL = 1; // the same but for sealed seats; a server that is not updated yet speaks only this

const FAULT = 1011; // the server's own: it is not asked again in haste

/** What a close code means for us (docs/protocol.md §7). */
const VERDICTS = {
  4000: "again",
  4001: "reload",
  4002: "stop",
  4003: "stop",
  4005: "slowly",
  4006: "slowly",
  4008: "signed_out",
  4009: "slowly",
  4010: "stop",
};

export function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * connect(path, {hello, onFrame, onStatus}) -> {send, forget, resync, close, now}
 * hello() gives the fields of the hello message (seq, chat, password); onStatus("open" | "lost" | "restarting" | "unstored" | "stored" | "stopped" | …, detail).
 * send(command) returns a promise: resolved when accepted, rejected with the refusal.
 */
export function connect(path, { hello, onFrame, onStatus }) {
  const waiting = new Map(); // id -> {message, resolve, reject}
  let socket = null;
  let wait = FIRST_WAIT;
  let lostAt = 0;
  let timer = 0;
  let offset = 0;
  let pings = 0;
  let lastSign = 0;
  let closed = false;
  let greeted = false;
  let restarting = false;
  let speaks = PROTOCOL;

  function open() {
    clearTimeout(timer);
    if (closed || socket) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(`${scheme}//${location.host}${path}`);
    const mine = socket;
    greeted = false;
    lastSign = Date.now();
    mine.onopen = () => raw({ do: "hello", v: speaks, ...hello() });
    mine.onmessage = (event) => socket === mine && take(JSON.parse(event.data));
    mine.onclose = (event) => socket === mine && lost(event.code);
  }

  const raw = (message) => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));

  function take(frame) {
    lastSign = Date.now();
    if (frame.t === "pong" || frame.t === "welcome") offset = frame.now - Date.now();
    if (frame.t === "bye") restarting = frame.code === "resume";
    if (frame.t === "welcome") {
      greeted = true;
      speaks = PROTOCOL; // the next connection may be to a newer server
      restarting = false;
      wait = FIRST_WAIT;
      onStatus("open", { resumed: frame.resumed });
    }
    if (frame.t === "refused" && frame.id === null && !greeted) {
      if (frame.code !== "try_again") onStatus("not_admitted", frame);
      else helloAgain(); // the table could not be read just now: nobody is turned away
    }
    onFrame(frame);
    if (frame.t === "welcome") for (const { message } of waiting.values()) raw(message);
    if (frame.ack) settle(frame.ack, "resolve", frame);
    if (frame.t === "refused" && frame.id) {
      if (frame.code === "try_again") tryAgain(frame.id);
      else settle(frame.id, "reject", frame);
    }
  }

  function helloAgain() {
    const mine = socket;
    setTimeout(() => socket === mine && !greeted && raw({ do: "hello", v: speaks, ...hello() }), STORE_WAIT * 2);
    onStatus("unstored", {});
  }

  /** No answer yet: it is said, as if it had been refused. The command stays where it is, and counts once. */
  function watchOver(entry) {
    entry.timer = setTimeout(() => {
      if (!greeted || !waiting.has(entry.message.id)) return;
      entry.pause ??= STORE_WAIT / 2;
      onStatus("unstored", {});
    }, UNANSWERED);
  }

  /** The server could not store it: the same command with the same id goes out again, and counts once. */
  function tryAgain(id) {
    const entry = waiting.get(id);
    if (!entry) return;
    entry.pause = Math.min((entry.pause ?? STORE_WAIT / 2) * 2, LONGEST_STORE_WAIT);
    setTimeout(() => waiting.has(id) && raw(entry.message), entry.pause);
    onStatus("unstored", {});
  }

  function settle(id, how, value) {
    const entry = waiting.get(id);
    waiting.delete(id);
    clearTimeout(entry?.timer);
    if (entry?.pause) onStatus("stored", {});
    entry?.[how](value);
  }

  function lost(code) {
    socket = null;
    let verdict = VERDICTS[code];
    if (verdict === "reload" && speaks === PROTOCOL) {
      speaks = OLD_PROTOCOL; // before the page is loaded again, which may lead to the same old server
      verdict = "again";
    }
    if (verdict === "reload" || verdict === "stop" || verdict === "signed_out") {
      closed = true;
      onStatus(verdict === "stop" ? "stopped" : verdict, { code });
      return;
    }
    if (verdict === "slowly") wait = LONGEST_WAIT;
    onStatus(restarting ? "restarting" : "lost", { code });
    timer = setTimeout(open, pause(code, verdict));
  }

  /** Nearly at once, then a few times a second, then longer each time; never all clients in step. */
  function pause(code, verdict) {
    const first = greeted;
    if (first) lostAt = Date.now();
    greeted = false;
    if (verdict !== "slowly" && code !== FAULT && Date.now() - lostAt < HASTE_FOR) {
      return first ? (HASTE / 4) * Math.random() : HASTE * (0.25 + 0.75 * Math.random());
    }
    const chosen = wait * (0.75 + Math.random() / 2);
    wait = Math.min(wait * 1.8, LONGEST_WAIT);
    return chosen;
  }

  const beat = setInterval(() => {
    if (!socket) return;
    if (Date.now() - lastSign > PING_EVERY + PATIENCE) {
      const dead = socket;
      lost(1006);
      dead.close();
    } else {
      pings += 1;
      raw({ do: "ping", n: pings });
    }
  }, PING_EVERY);

  /** The network came back or the page was looked at again: do not sit out the pause. */
  function hurry() {
    if (document.visibilityState === "hidden" || closed) return;
    if (!socket) {
      wait = FIRST_WAIT;
      open();
    } else if (greeted) {
      pings += 1;
      raw({ do: "ping", n: pings });
    }
  }
  addEventListener("online", hurry);
  document.addEventListener("visibilitychange", hurry);
  open();

  return {
    send(command) {
      const message = { ...command, id: command.id ?? randomId() };
      return new Promise((resolve, reject) => {
        const entry = { message, resolve, reject };
        waiting.set(message.id, entry);
        watchOver(entry);
        if (greeted) raw(message);
      });
    },
    tell: (message) => greeted && raw(message),
    resync: () => raw({ do: "hello", v: speaks, ...hello() }),
    /** Leave and come back as whoever the cookie now says we are. */
    reconnect() {
      const old = socket;
      socket = null;
      old?.close(1000);
      wait = FIRST_WAIT;
      open();
    },
    reopen() {
      closed = false;
      wait = FIRST_WAIT;
      open();
    },
    close() {
      closed = true;
      clearInterval(beat);
      clearTimeout(timer);
      removeEventListener("online", hurry);
      document.removeEventListener("visibilitychange", hurry);
      socket?.close(1000);
    },
    now: () => Date.now() + offset,
    busy: () => waiting.size > 0,
  };
}
