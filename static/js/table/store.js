// The state of the table page in one object: what the server told (room.js) and what the person has begun to do.
// No DOM and no socket. It is changed by `set` only; whoever has subscribed to a field that changed is called.

import { emptyRoom, receive } from "./room.js";
import { stillFits } from "./selection.js";

export const emptyState = () => ({
  ...emptyRoom(),
  log: null, // its lines; null until it has been read
  connection: "connecting", // a key of connection.js, or "open"
  isAdmitted: true,
  password: undefined,
  refusal: null, // {text}: what was refused last, while it is shown
  isWaiting: false, // for the answer to an action: the choices are those of the position before it
  selection: {}, // {card?, from?}
  ask: null, // several choices fit the last click: these
  trace: null, // {from, to, seat}: the move of the log line that is pointed at
  recap: null, // such moves: what the others did since one's last turn, until the first click
  past: null, // {view, traces, isStory}: an earlier position that is looked at, or played to whoever was away
  // The pace that was chosen last; before that it is what this browser keeps.
  pace: null,
  isSkipping: false, // to one's turn
  isSoundOffered: false, // just now
});

/** Store(state) -> {state, set(change, happened), subscribe(fields, call)}; call(state, before, happened). */
export function Store(state = emptyState()) {
  const subscribers = [];
  const changes = []; // one made by a subscriber waits until all have been told of the one before

  function apply([change, happened]) {
    const before = state;
    state = { ...before, ...change };
    for (const { fields, call } of subscribers) {
      if (fields.some((field) => state[field] !== before[field])) call(state, before, happened);
    }
  }

  return {
    get state() {
      return state;
    },
    set(change, happened = {}) {
      changes.push([change, happened]);
      if (changes.length > 1) return;
      while (changes.length) {
        try {
          apply(changes[0]);
        } finally {
          changes.shift();
        }
      }
    },
    subscribe(fields, call) {
      subscribers.push({ fields, call });
    },
  };
}

/** Whether the person has anything to do. */
export const isMine = ({ choices }) => choices.length > 0;

/** The state as the parts show it: nothing can be chosen while an answer is on its way. */
export const shown = (state) => (state.isWaiting ? { ...state, choices: [], undo: false } : state);

/** Refused for now only: the socket sends the same command again by itself. */
export const isRetried = ({ t, code }) => t === "refused" && code === "try_again";

/** What a frame changes, and what happened by it (see `receive`). */
export function received(state, frame) {
  const { room: change, ...happened } = receive(state, frame);
  const isAnswer = frame.ack || (frame.t === "refused" && !isRetried(frame));
  const next = { ...change, isWaiting: state.isWaiting && !isAnswer };
  if (happened.events || happened.reset || happened.kind) {
    next.selection = stillFits(next.choices, state.selection);
    next.ask = null;
  }
  if (frame.t === "hint") {
    const wanted = JSON.stringify(frame.action);
    const hinted = next.choices.filter(({ action }) => JSON.stringify(action) === wanted);
    if (hinted.length) next.ask = hinted.slice(0, 1);
  }
  return { change: next, happened };
}
