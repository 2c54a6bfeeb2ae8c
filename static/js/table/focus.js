// The keyboard never falls back to the page: when what had the focus is gone, what one would do next takes it.

const isThere = (node) => Boolean(node?.isConnected) && !node.disabled && node.checkVisibility();

/**
 * Focus(root, store): to be made after the parts, so that it looks when they have changed.
 * Nothing is taken from anybody: only a focus that was in the table and whose element is gone is put somewhere.
 */
export function Focus(root, store) {
  let last = null; // what had the focus
  let card = null; // the card that was chosen last

  const first = (selector) => [...root.querySelectorAll(selector)].find(isThere);

  /** Where to go on, the best first. */
  function* ways() {
    if (last?.closest(".table-menu")) yield first(".table-menu > summary");
    if (store.state.choices.length) {
      yield first(".choice");
      yield first(".end-turn:not(.quiet)"); // nothing else is left to do
      if (card) yield first(`.hand-card.playable[data-card="${card}"]`);
      yield first(".hand-card.playable");
      yield first('.place[tabindex="0"]');
    }
    yield first(".ending [tabindex]");
    yield first(".tray");
    yield document.getElementById("main");
  }

  function keep() {
    const now = document.activeElement;
    if (store.state.isWaiting || !last || isThere(last)) return;
    if (now && now !== document.body && isThere(now)) return;
    for (const node of ways()) {
      if (!node) continue;
      node.focus({ preventScroll: true });
      return;
    }
  }

  root.addEventListener("focusin", ({ target }) => (last = target));
  root.addEventListener("click", () => setTimeout(keep)); // a menu closes behind what was pressed in it
  document.addEventListener(
    "close", // of a dialog
    () =>
      setTimeout(() => {
        if (last) keep();
        else if (document.activeElement === document.body) document.getElementById("main").focus({ preventScroll: true });
      }),
    true,
  );
  store.subscribe(["selection"], (state, before) => (card = before.selection.card ?? card));
  store.subscribe(["view", "choices", "undo", "selection", "ask", "isWaiting", "table", "past"], keep);
}
