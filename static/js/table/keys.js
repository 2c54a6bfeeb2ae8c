// The keys of the table, in a dialog, with the switch for those of a single letter (WCAG 2.1.4).

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { pref, setPref } from "./preferences.js";

const keys = () => [
  ["Tab", t("from part to part")],
  ["← → ↑ ↓", t("along the road, along the log")],
  ["Enter", t("choose a card, a pirate, a place")],
  ["Page ↑ ↓", t("to the next lit place")],
  ["Esc", t("put back what is chosen")],
  ["H", t("to your hand")],
  ["B", t("to the board")],
  ["E", t("to “End turn”")],
  ["U", t("undo")],
  ["T", t("to the log and chat")],
  ["+ −, R, Esc", t("while what you missed is played: faster, slower, once more, skip")],
  ["?", t("this list")],
];

export function showKeys() {
  if (document.querySelector(".keys")) return;
  const before = document.activeElement;
  const isOn = el("input", { type: "checkbox", checked: pref("shortcuts") });
  isOn.addEventListener("change", () => setPref("shortcuts", isOn.checked));
  const dialog = el(
    "dialog",
    { class: "confirm keys", "aria-labelledby": "keys-title" },
    el("h2", { id: "keys-title" }, t("Keys")),
    el("dl", {}, ...keys().flatMap(([key, words]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)])),
    el("label", { class: "keys-switch" }, isOn, el("span", {}, t("Use the keys of a single character"))),
    el("form", { method: "dialog", class: "confirm-buttons" }, el("button", { class: "button", autofocus: true }, t("Close"))),
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    before?.focus?.({ preventScroll: true });
  });
  document.body.append(dialog);
  dialog.showModal();
}
