// A short notice at the edge of a page; it leaves by itself and is read out by screen readers.

import { el } from "./dom.js";

const KEPT = "cartagena.notice";

export function toast(sentence, kind = "note") {
  const note = el(`p.toast.toast-${kind}`, {}, sentence);
  document.getElementById("toasts")?.append(note);
  setTimeout(() => note.remove(), 7000);
}

/** Said on the page that is loaded next. */
export function toastNext(sentence) {
  try {
    sessionStorage.setItem(KEPT, sentence);
  } catch {
    // a browser without storage: then it is not said
  }
}

/** What the page before wanted said here. */
export function sayKept() {
  try {
    const sentence = sessionStorage.getItem(KEPT);
    sessionStorage.removeItem(KEPT);
    if (sentence) toast(sentence);
  } catch {
    // as above
  }
}
