// Keys for the whole table. Single letters only where nobody is typing, never with a modifier, and not for those who
// have switched them off: whoever dictates, or rests a hand on the keys, would press them without meaning to.

import { rare } from "../core/i18n.js";
import { pref } from "./preferences.js";

export const openKeys = () => rare(import("./keys.js")).then(({ showKeys }) => showKeys());

export function shortcuts({ ui, undo, clear, canClear }) {
  const actions = { h: ui.focusHand, b: ui.focusBoard, e: ui.focusEnd, u: undo, t: ui.focusLog, "?": openKeys };
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, textarea, select, dialog")) return;
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
