// A short notice at the edge of the page. It disappears by itself; screen readers announce it.

import { el } from "./dom.js";

const STORAGE_KEY = "cartagena.notice";

/**
 * @param {string} sentence
 * @param {string} [kind]
 */
export function toast(sentence, kind = "note") {
  const note = el(`p.toast.toast-${kind}`, {}, sentence);
  document.getElementById("toasts")?.append(note);
  setTimeout(() => note.remove(), 7000);
}

/**
 * Show a toast on the page that loads next.
 * @param {string} sentence
 */
export function toastOnNextPage(sentence) {
  try {
    sessionStorage.setItem(STORAGE_KEY, sentence);
  } catch {
    // Without storage the toast is not shown.
  }
}

/** Show the toast that the previous page stored. */
export function showStoredToast() {
  try {
    const sentence = sessionStorage.getItem(STORAGE_KEY);
    sessionStorage.removeItem(STORAGE_KEY);
    if (sentence) toast(sentence);
  } catch {
    // Without storage there is none.
  }
}
