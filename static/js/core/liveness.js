// Whether a socket still leads anywhere. A browser may take a minute to notice that nothing comes through any more; so
// the server is asked, and silence is an answer.

const TICK = 1000;
const IDLE = 10000; // nothing was heard for so long: ask
const IDLE_UNSEEN = 25000; // nobody looks at the page
const SILENCE = 3500; // no answer for so long: nothing comes through
const SECOND_WAY = 1500; // no answer for so long: ask in another way too
const LONGEST_SILENCE = 12000; // and then it does not matter why

/** Whether the server answers a plain request: it may be busy with what came before our question on the socket. */
async function answers() {
  try {
    const { ok } = await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(LONGEST_SILENCE / 4) });
    return ok;
  } catch {
    return false;
  }
}

/**
 * Liveness({ping(), isWelcomed(), isOwed(), onDead()}) -> {heard(), doubt(), isDoubtful()}
 * isOwed(): whether the server owes an answer, and may take time for it. `doubt` asks now, not when it is due.
 */
export function Liveness({ ping, isWelcomed, isOwed, onDead }) {
  let heardAt = Date.now();
  let askedAt = 0; // 0: no question is open
  let ticks = 0; // since it was asked: a page that was held up has not listened either
  let isReached = null; // by the second way; null until it is tried

  function heard() {
    heardAt = Date.now();
    askedAt = 0;
  }

  function doubt() {
    if (askedAt || !isWelcomed()) return;
    askedAt = Date.now();
    ticks = 0;
    isReached = null;
    ping();
  }

  async function askAgain() {
    const question = askedAt;
    isReached = false;
    const answer = await answers();
    if (question === askedAt) isReached = answer;
  }

  setInterval(() => {
    const now = Date.now();
    if (!isWelcomed()) {
      if (now - heardAt >= LONGEST_SILENCE) onDead();
    } else if (!askedAt) {
      if (now - heardAt >= (document.visibilityState === "hidden" ? IDLE_UNSEEN : IDLE)) doubt();
    } else {
      ticks += 1;
      const silent = now - askedAt;
      if (isOwed() && isReached === null && silent >= SECOND_WAY) askAgain();
      const isPatient = isOwed() && isReached && silent < LONGEST_SILENCE;
      if (ticks > 1 && silent >= SILENCE && !isPatient) onDead();
    }
  }, TICK);

  return { heard, doubt, isDoubtful: () => askedAt > 0 && !isReached };
}
