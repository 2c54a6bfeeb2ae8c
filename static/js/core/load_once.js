// Loading what is used many times once, and what is needed until it is there.

import { reportFailedLoad } from "./failed_loads.js";

const RETRY_MS = 2000;

/**
 * Return a function that loads once and returns the same promise afterwards. A failed load, as without a connection, is tried
 * again by the next call.
 * @template T
 * @template {unknown[]} A
 * @param {(...given: A) => Promise<T>} load
 * @returns {(...given: A) => Promise<T>}
 */
export function loadOnce(load) {
  /** @type {Promise<T> | null} */
  let loading = null;
  return (...given) => {
    loading ??= load(...given).catch((problem) => {
      loading = null;
      reportFailedLoad(problem);
      throw problem;
    });
    return loading;
  };
}

/**
 * Load what a page can't do without: after a failure try again until it succeeds. `onFailure` is called once.
 * @template T
 * @param {() => Promise<T>} load
 * @param {() => void} onFailure
 * @returns {Promise<T>}
 */
export async function loadNeeded(load, onFailure) {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await load();
    } catch (problem) {
      reportFailedLoad(problem);
      if (isFirst) onFailure();
    }
    await new Promise((done) => setTimeout(done, RETRY_MS));
  }
}
