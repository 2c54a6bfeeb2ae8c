// The state of the table page in one object: the server's state (room_state.js) and the player's unfinished input. No DOM,
// no socket. Only `set` changes it and calls the subscribers of the changed fields.

/** @import {Frame, Cause, Room, State, Subscriber} from "../core/types.d.ts" */

import { emptyRoom, receive } from "./room_state.js";
import { keepFitting } from "./selection.js";

/** @returns {State} */
export const emptyState = () => ({
  ...emptyRoom(),
  // Lines of the log; null until they are loaded.
  log: null,
  // A key of CONNECTION_STATES, or "open".
  connection: "connecting",
  isAdmitted: true,
  password: undefined,
  // The last refusal, while it is shown.
  refusal: null,
  // Whether an action is unanswered. The choices belong to the position before it.
  isWaiting: false,
  selection: {},
  // The choices that fit the last click, if there are several.
  candidates: null,
  // The move of the hovered or focused log line.
  trace: null,
  // The others' moves since the player's last turn, until the first click.
  recap: null,
  // The past position on the board. `isPlayback`: it is part of an automatic playback.
  past: null,
  // The pace that was chosen on this page; null means the stored one.
  pace: null,
  // Whether the game is skipped forward to the player's turn.
  isSkipping: false,
  // Whether the sound offer is shown.
  isSoundOffered: false,
  // The ratings on the plates of a rated table, by seat (plate_ratings.js).
  plateRatings: null,
});

/** Store(state) -> {state, set(change, cause), subscribe(fields, call)}; calls call(state, before, cause). */
export function Store(state = emptyState()) {
  /** @type {{ fields: (keyof State)[], call: Subscriber }[]} */
  const subscribers = [];
  // A change made by a subscriber is queued until all subscribers have seen the current one.
  /** @type {[Partial<State>, Cause][]} */
  const changes = [];

  /** @param {[Partial<State>, Cause]} pair */
  function apply([change, cause]) {
    const before = state;
    state = { ...before, ...change };
    for (const { fields, call } of subscribers) {
      if (fields.some((field) => state[field] !== before[field])) call(state, before, cause);
    }
  }

  return {
    get state() {
      return state;
    },
    /**
     * @param {Partial<State>} change
     * @param {Cause} [cause]
     */
    set(change, cause = {}) {
      changes.push([change, cause]);
      if (changes.length > 1) return;
      while (changes.length) {
        try {
          apply(changes[0]);
        } finally {
          changes.shift();
        }
      }
    },
    /**
     * @param {(keyof State)[]} fields
     * @param {Subscriber} call
     */
    subscribe(fields, call) {
      subscribers.push({ fields, call });
    },
  };
}

/**
 * Whether the player can act.
 * @param {Pick<State, "choices">} state
 */
export const hasChoices = ({ choices }) => choices.length > 0;

/**
 * Return the state to display: without choices while an action is unanswered.
 * @param {State} state
 */
export const displayedState = (state) => (state.isWaiting ? { ...state, choices: [], undo: false } : state);

/**
 * Whether a refusal is temporary: the socket resends the command.
 * @param {{ t: string, code?: string }} parts
 */
export const isRetried = ({ t, code }) => t === "refused" && code === "try_again";

/**
 * Whether the player has selected something, or an action is unanswered. A hint would replace the choices of the selection.
 * @param {State} state
 */
const isChoosing = ({ selection, candidates, hint, isWaiting }) =>
  isWaiting ||
  selection.card !== undefined ||
  selection.from !== undefined ||
  (candidates !== null && hint === null);

/**
 * Return the change of the state by a frame, and its cause (see `receive`).
 * @param {State} state
 * @param {Frame} frame
 */
export function applyFrame(state, frame) {
  const { room: change, ...cause } = receive(state, frame);
  const isAnswer = frame.ack || (frame.t === "refused" && !isRetried(frame));
  /** @type {Room & Partial<State>} */
  const next = { ...change, isWaiting: state.isWaiting && !isAnswer };
  if (cause.events || cause.reset || cause.kind) {
    next.selection = keepFitting(next.choices, state.selection);
    next.candidates = null;
  }
  if (frame.t === "hint" && isChoosing(state)) {
    next.hint = state.hint;
    next.hintWhy = state.hintWhy;
  } else if (frame.t === "hint") {
    const hintedAction = JSON.stringify(frame.action);
    const hinted = next.choices.filter(({ action }) => JSON.stringify(action) === hintedAction);
    if (hinted.length) next.candidates = hinted.slice(0, 1);
  }
  return { change: next, cause };
}
