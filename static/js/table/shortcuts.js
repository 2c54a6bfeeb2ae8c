// Keys for the whole table. Single letters only where nobody is typing, and never with a modifier.

export function shortcuts({ ui, undo, clear, canClear }) {
  const actions = { h: ui.focusHand, b: ui.focusBoard, e: ui.focusEnd, u: undo, t: ui.focusLog };
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, textarea, select, dialog")) return;
    if (event.key === "Escape" && canClear()) {
      event.preventDefault();
      clear();
      return;
    }
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
