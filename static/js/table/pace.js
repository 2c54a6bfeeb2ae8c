// The pace of bots and of animations. The server uses the setting of the only person in the game, or of the host if there
// are several (docs/protocol.md, pace). Every player's own setting can shorten the animations on their page.

/** @import {Command, State, StateStore, TableState} from "../core/types.d.ts" */

import { finishAll, setDurationFactor } from "../board/animate.js";
import { pref, setPref } from "./preferences.js";
import { hasChoices } from "./store.js";

// Factors of the usual duration.
/** @type {Record<string, number>} */
export const DRAWING_FACTORS = { slow: 1.4, normal: 1, fast: 0.45 };

/**
 * Whether the player is the only person left in the game: all others are bots or have resigned.
 * @param {TableState} state
 */
export function isAlone({ table, view, you }) {
  const people = table.seats.flatMap(({ person, bot }, seat) =>
    person && !bot && !view?.players[seat]?.resigned ? [seat] : [],
  );
  return people.length === 1 && people[0] === you.seat;
}

/**
 * Whether the player waits for their turn, so that there is something to skip.
 * @param {TableState} state
 */
export function canSkip(state) {
  const { table, view, you } = state;
  if (!view || table.status !== "running" || table.paused || you.seat === null) return false;
  return (
    !hasChoices(state) && !state.isWaiting && !table.seats[you.seat].bot && !view.players[you.seat].resigned
  );
}

/**
 * Pace(store, send(command)) -> {choose(name), skip()}. Create it after the parts, so that it runs after they have drawn.
 * @param {StateStore} store
 * @param {(command: Command) => void} send
 */
export function Pace(store, send) {
  // The pace that the server knows for this connection.
  let sentPace = "normal";

  /**
   * @param {State} state
   * @param {boolean} isSkipping
   */
  function drawAt({ table, you }, isSkipping) {
    const factor = DRAWING_FACTORS[pref("pace")] ?? 1;
    const isOurs = table && (table.host === you.person || isAlone(/** @type {TableState} */ (store.state)));
    setDurationFactor(isSkipping ? 0 : isOurs ? factor : Math.min(1, factor));
  }

  /** @param {State} state */
  function update(state) {
    const { connection, table, you } = state;
    if (connection !== "open" && connection !== "resumed") sentPace = "normal";
    else if (
      table &&
      you.person &&
      (you.seat !== null || table.host === you.person) &&
      sentPace !== pref("pace")
    ) {
      sentPace = pref("pace");
      send({ do: "pace", pace: sentPace });
    }
    drawAt(state, state.isSkipping);
  }

  store.subscribe(["connection", "table", "you"], update);
  store.subscribe(
    ["choices", "table"],
    (state) =>
      state.isSkipping && !canSkip(/** @type {TableState} */ (state)) && store.set({ isSkipping: false }),
  );
  store.subscribe(["isSkipping"], (state) => drawAt(state, state.isSkipping));

  return {
    /** @param {string} name */
    choose(name) {
      setPref("pace", name);
      store.set({ pace: name });
      update(store.state);
    },
    /** Skip to the player's turn: no more animations, and bots hurry if no other person is in the game. */
    skip() {
      finishAll();
      const state = /** @type {TableState} */ (store.state);
      if (state.isSkipping || !canSkip(state)) return;
      if (isAlone(state)) send({ do: "pace", pace: "skip" });
      store.set({ isSkipping: true });
    },
  };
}
