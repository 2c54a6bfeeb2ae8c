// Keyboard shortcuts of the table. Single-character keys can be switched off, because speech input and resting hands
// trigger them by accident. They are ignored in text fields and with modifiers.

import { targetOf } from "../core/dom.js";
import { withWholeCatalogue } from "../core/i18n.js";
import { pref } from "./preferences.js";

export const openShortcutsDialog = () =>
  withWholeCatalogue(import("./shortcuts_dialog.js")).then(({ showShortcutsDialog }) =>
    showShortcutsDialog(),
  );

/** @param {{ ui: { focusHand: () => void, focusBoard: () => void, focusEnd: () => void, focusLog: () => void }, undo: () => void, clear: () => void, canClear: () => boolean, explainFocused: () => Promise<boolean>, refuseUnreachable: () => void }} parts */
export function installShortcuts({ ui, undo, clear, canClear, explainFocused, refuseUnreachable }) {
  /** @type {Record<string, () => unknown>} */
  const actions = {
    h: ui.focusHand,
    b: ui.focusBoard,
    e: ui.focusEnd,
    u: undo,
    t: ui.focusLog,
    "?": () => explainOrList().catch(refuseUnreachable),
  };
  const explainOrList = async () => (await explainFocused()) || openShortcutsDialog();
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (targetOf(event).closest?.("input, textarea, select, dialog")) return;
    if (event.key === "Escape" && canClear()) {
      event.preventDefault();
      clear();
      return;
    }
    const action = actions[event.key.toLowerCase()];
    if (!action || !pref("shortcuts")) return;
    event.preventDefault();
    action();
  });
}
