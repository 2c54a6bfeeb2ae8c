// A delay line: every item is delivered a fixed time after it was added, in order.

/**
 * DelayQueue(delayMs, deliver) -> {add(item), clear()}. Tests pass their own `clock` and `schedule`.
 * @template T
 * @param {number} delayMs
 * @param {(item: T) => void} deliver
 * @param {{ clock?: () => number, schedule?: (call: () => void, wait: number) => unknown }} [time]
 */
export function DelayQueue(
  delayMs,
  deliver,
  { clock = () => performance.now(), schedule = setTimeout } = {},
) {
  // oldest first
  /** @type {{ due: number, item: T }[]} */
  const queue = [];
  let isScheduled = false;

  function deliverDue() {
    isScheduled = false;
    while (queue.length && queue[0].due <= clock()) {
      const [{ item }] = queue.splice(0, 1);
      deliver(item);
    }
    scheduleNext();
  }

  function scheduleNext() {
    if (isScheduled || !queue.length) return;
    isScheduled = true;
    schedule(deliverDue, Math.max(0, queue[0].due - clock()));
  }

  return {
    /** @param {T} item */
    add(item) {
      if (!delayMs) return deliver(item);
      queue.push({ due: clock() + delayMs, item });
      return scheduleNext();
    },
    clear() {
      queue.length = 0;
    },
  };
}
