// Detects dead sockets. A browser may take a minute to notice a lost connection, so the page pings the server and treats
// silence as a loss.

const TICK_MS = 1000;
// Ping after this long without a frame;
const PROBE_AFTER_MS = 10000;
// in a hidden page, after this long.
const PROBE_HIDDEN_AFTER_MS = 25000;
// The socket counts as dead if a ping stays unanswered this long.
const DEAD_AFTER_MS = 3500;
// If an answer is due, also probe over HTTP after this long.
const HTTP_PROBE_AFTER_MS = 1500;
// The longest silence that is tolerated, even if the server answers over HTTP.
const MAX_SILENCE_MS = 12000;

/** Whether the server answers an HTTP request. On the socket it may still be busy with frames that precede the ping. */
async function isServerReachable() {
  try {
    const { ok } = await fetch("/healthz", {
      cache: "no-store",
      signal: AbortSignal.timeout(MAX_SILENCE_MS / 4),
    });
    return ok;
  } catch {
    return false;
  }
}

/**
 * Liveness({ping(), isWelcomed(), isAwaitingAnswer(), onDead()}) -> {markAlive(), probe(), isUnconfirmed()}
 * `isAwaitingAnswer`: whether a command is unanswered; the server may need time for it. `probe` pings at once.
 * @param {{ ping: () => void, isWelcomed: () => boolean, isAwaitingAnswer: () => boolean, onDead: () => void }} parts
 */
export function Liveness({ ping, isWelcomed, isAwaitingAnswer, onDead }) {
  let aliveAt = Date.now();
  // 0 if no ping is unanswered.
  let probedAt = 0;
  // A page that was suspended has few ticks: it could not receive the answer either.
  let ticksSinceProbe = 0;
  // Result of the HTTP probe; null until there is one.
  /** @type {boolean | null} */
  let isReachable = null;

  function markAlive() {
    aliveAt = Date.now();
    probedAt = 0;
  }

  function probe() {
    if (probedAt || !isWelcomed()) return;
    probedAt = Date.now();
    ticksSinceProbe = 0;
    isReachable = null;
    ping();
  }

  async function probeOverHttp() {
    const question = probedAt;
    isReachable = false;
    const answer = await isServerReachable();
    if (question === probedAt) isReachable = answer;
  }

  setInterval(() => {
    const now = Date.now();
    if (!isWelcomed()) {
      if (now - aliveAt >= MAX_SILENCE_MS) onDead();
    } else if (!probedAt) {
      if (now - aliveAt >= (document.visibilityState === "hidden" ? PROBE_HIDDEN_AFTER_MS : PROBE_AFTER_MS))
        probe();
    } else {
      ticksSinceProbe += 1;
      const silentMs = now - probedAt;
      if (isAwaitingAnswer() && isReachable === null && silentMs >= HTTP_PROBE_AFTER_MS) probeOverHttp();
      const isPatient = isAwaitingAnswer() && isReachable && silentMs < MAX_SILENCE_MS;
      if (ticksSinceProbe > 1 && silentMs >= DEAD_AFTER_MS && !isPatient) onDead();
    }
  }, TICK_MS);

  return { markAlive, probe, isUnconfirmed: () => probedAt > 0 && !isReachable };
}
