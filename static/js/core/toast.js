// A short notice at the edge of a page; it leaves by itself and is read out by screen readers.

import { el } from "./dom.js";

export function toast(sentence, kind = "note") {
  const note = el(`p.toast.toast-${kind}`, {}, sentence);
  document.getElementById("toasts")?.append(note);
  setTimeout(() => note.remove(), 7000);
}
