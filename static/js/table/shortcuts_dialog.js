// The dialog that lists the keyboard shortcuts, with a switch for single-character ones (WCAG 2.1.4).

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { openModal } from "../core/modal.js";
import { pref, setPref } from "./preferences.js";

const shortcutRows = () => [
  ["Tab", t("move from section to section")],
  ["← → ↑ ↓", t("move along the route or the log")],
  ["Enter", t("choose a card, a pirate or a space")],
  ["Page ↑ ↓", t("go to the next highlighted space")],
  ["Esc", t("put back what you have chosen")],
  ["H", t("go to your hand")],
  ["B", t("go to the board")],
  ["E", t("go to “End turn”")],
  ["U", t("undo")],
  ["T", t("go to the log and chat")],
  ["+ −, R, Esc", t("while you watch what you missed: faster, slower, again, skip")],
  ["?", t("explain the card, space or button you are on; elsewhere, show this list")],
];

export function showShortcutsDialog() {
  const isOn = el("input", { type: "checkbox", checked: pref("shortcuts") });
  isOn.addEventListener("change", () => setPref("shortcuts", isOn.checked));
  const dialog = el(
    "dialog",
    { class: "confirm keys", "aria-labelledby": "keys-title" },
    el("h2", { id: "keys-title" }, t("Keyboard shortcuts")),
    el(
      "dl",
      {},
      ...shortcutRows().flatMap(([key, words]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)]),
    ),
    el("label", { class: "keys-switch" }, isOn, el("span", {}, t("Use single-key shortcuts"))),
    el(
      "form",
      { method: "dialog", class: "confirm-buttons" },
      el("button", { class: "button", autofocus: true }, t("Close")),
    ),
  );
  openModal(dialog);
}
