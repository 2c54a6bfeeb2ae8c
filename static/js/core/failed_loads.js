// What to do when a module cannot be loaded.

const RELOADED_AT_KEY = "cartagena.reloadedAt";
const MIN_RELOAD_INTERVAL_MS = 600_000; // a module that something blocks for good must not reload the page again and again
const LOAD_ERROR = /dynamically imported module|importing a module/i; // Chromium and Firefox; Safari

/** @type {WeakSet<object>} */
const reported = new WeakSet();
/** @type {Set<string>} */
const failedOnce = new Set();

/**
 * Reload the page if the same module fails a second time although the server answers. Older browsers (Chromium 150, for
 * example) remember a failed module until the page is reloaded, so that trying again never succeeds there.
 * @param {unknown} problem
 */
export async function reportFailedLoad(problem) {
  if (!(problem instanceof Error) || !LOAD_ERROR.test(problem.message) || reported.has(problem)) return;
  reported.add(problem);
  if (!failedOnce.has(problem.message)) {
    failedOnce.add(problem.message);
    return;
  }
  if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT_KEY)) < MIN_RELOAD_INTERVAL_MS) return;
  const answer = await fetch(location.href, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (!answer?.ok) return;
  sessionStorage.setItem(RELOADED_AT_KEY, String(Date.now()));
  location.reload();
}
