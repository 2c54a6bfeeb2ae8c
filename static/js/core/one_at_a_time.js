// A guard against double clicks and keys: work that is requested while other work is unfinished is dropped.

/**
 * OneAtATime(onChange()) -> {isBusy, run(work)}; `onChange` is called when work begins and when it ends.
 * @param {() => void} [onChange]
 */
export function OneAtATime(onChange = () => {}) {
  let isBusy = false;
  return {
    get isBusy() {
      return isBusy;
    },
    /** @param {() => Promise<unknown>} work */
    async run(work) {
      if (isBusy) return;
      isBusy = true;
      onChange();
      try {
        await work();
      } finally {
        isBusy = false;
        onChange();
      }
    },
  };
}
