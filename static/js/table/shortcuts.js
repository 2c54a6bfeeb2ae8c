// Keys for the whole table. Single letters only where nobody is typing, and never with a modifier.

export function shortcuts({ ui, undo, clear, canClear }) {
  const deeds = {
    h: () => ui.focusHand(),
    b: () => ui.board.focus("start"),
    e: () => ui.tray.focusEnd(),
    u: undo,
    t: () => ui.focusTalk(),
  };
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, textarea, select, dialog")) return;
    if (event.key === "Escape" && canClear()) {
      event.preventDefault();
      clear();
      return;
    }
    const deed = deeds[event.key.toLowerCase()];
    if (!deed) return;
    event.preventDefault();
    deed();
  });
}
