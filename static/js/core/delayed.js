// A delay for what is shown: each thing that comes in is handed on so many milliseconds later, in order, never earlier.

/** Delayed(milliseconds, show) -> {add(thing), clear()}. `clock` and `later` stand in for time in tests. */
export function Delayed(milliseconds, show, { clock = () => performance.now(), later = setTimeout } = {}) {
  const waiting = []; // {due, thing}, the oldest first
  let isSet = false;

  function handOn() {
    isSet = false;
    while (waiting.length && waiting[0].due <= clock()) show(waiting.shift().thing);
    wait();
  }

  function wait() {
    if (isSet || !waiting.length) return;
    isSet = true;
    later(handOn, Math.max(0, waiting[0].due - clock()));
  }

  return {
    add(thing) {
      if (!milliseconds) return show(thing);
      waiting.push({ due: clock() + milliseconds, thing });
      return wait();
    },
    clear() {
      waiting.length = 0;
    },
  };
}
