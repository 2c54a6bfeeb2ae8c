// The pace: how fast bots move and how fast the page draws. Alone among bots one's setting is the room's, with several
// people the host's is (docs/protocol.md, pace); anybody's own setting shortens what their page draws.

import { setSpeed, settleAll } from "../board/animate.js";
import { pref, setPref } from "./preferences.js";
import { isMine } from "./store.js";

export const DRAWING = { slow: 1.4, normal: 1, fast: 0.45 }; // of the usual time

/** Whether this person is the only one in the game: all others are bots, or have given up. */
export function isAlone({ table, view, you }) {
  const people = table.seats.flatMap(({ person, bot }, seat) =>
    person && !bot && !view?.players[seat]?.resigned ? [seat] : [],
  );
  return people.length === 1 && people[0] === you.seat;
}

/** Whether there is something to skip: others are in turn, and one waits for one's own. */
export function canSkip(state) {
  const { table, view, you } = state;
  if (!view || table.status !== "running" || table.paused || you.seat === null) return false;
  return !isMine(state) && !state.isWaiting && !table.seats[you.seat].bot && !view.players[you.seat].resigned;
}

/** Pace(store, say(command)) -> {choose(name), skip()}; made after the parts, so that they have drawn when it looks. */
export function Pace(store, say) {
  let said = "normal"; // what the server has heard of this connection

  function drawAt({ table, you }, isSkipping) {
    const factor = DRAWING[pref("pace")] ?? 1;
    const isOurs = table && (table.host === you.person || isAlone(store.state));
    setSpeed(isSkipping ? 0 : isOurs ? factor : Math.min(1, factor));
  }

  function update(state) {
    const { connection, table, you } = state;
    if (connection !== "open" && connection !== "resumed") said = "normal";
    else if (table && you.person && (you.seat !== null || table.host === you.person) && said !== pref("pace")) {
      said = pref("pace");
      say({ do: "pace", pace: said });
    }
    drawAt(state, state.isSkipping);
  }

  store.subscribe(["connection", "table", "you"], update);
  store.subscribe(["choices", "table"], (state) => state.isSkipping && !canSkip(state) && store.set({ isSkipping: false }));
  store.subscribe(["isSkipping"], (state) => drawAt(state, state.isSkipping));

  return {
    choose(name) {
      setPref("pace", name);
      store.set({ pace: name });
      update(store.state);
    },
    /** To one's turn: nothing more is drawn on the way, and bots that nobody else looks at hurry. */
    skip() {
      settleAll();
      const { state } = store;
      if (state.isSkipping || !canSkip(state)) return;
      if (isAlone(state)) say({ do: "pace", pace: "skip" });
      store.set({ isSkipping: true });
    },
  };
}
