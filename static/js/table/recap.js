// What the others did since one's last turn lies on the board as arrows when one's turn comes, until the first click.

import { isMine } from "./store.js";

/** Whether one's turn has just come: nothing is done yet and nothing is owed. */
const isFresh = (state) =>
  isMine(state) && !state.view.pending && state.view.turn.seat === state.you.seat && state.view.turn.taken === 0;

/** Recap(root, store, movesSince(seat)): a click on what one plays with ends it for this turn. */
export function Recap(root, store, movesSince) {
  let isOver = false; // for this turn

  function end() {
    isOver = true;
    if (store.state.recap) store.set({ recap: null });
  }

  store.subscribe(["view", "choices", "log"], (state) => {
    if (!state.view) return;
    if (state.view.turn.seat !== state.you.seat) isOver = false;
    const wanted = isFresh(state) && !isOver;
    if (wanted) store.set({ recap: movesSince(state.you.seat) });
    else if (state.recap) store.set({ recap: null });
  });

  const plays = (target) => target.closest?.(".board, .bench, .seats");
  root.addEventListener("pointerdown", (event) => plays(event.target) && end());
  root.addEventListener("keydown", (event) => ["Enter", " "].includes(event.key) && plays(event.target) && end());
}
