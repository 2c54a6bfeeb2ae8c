// Loading what is used many times once.

import { reportFailedLoad } from "./failed_loads.js";

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
