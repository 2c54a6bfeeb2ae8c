// Catching up on the others' moves: arrows on the board when the player's turn begins, buttons to step back, and playback
// of what the player missed while away. history_player.js does the playback and is loaded on demand.

/** @import {GameState, Cause, State, StateStore, Trace} from "../core/types.d.ts" */

import { el, loadStylesheet, targetOf } from "../core/dom.js";
import { t, withWholeCatalogue } from "../core/i18n.js";
import { icon } from "../core/icons.js";
import { fetchSeen } from "./log.js";
import { canSkip, isAlone } from "./pace.js";
import { readStored, writeStored } from "./preferences.js";
import { hasChoices } from "./store.js";

/**
 * HistoryTools(root, store, {game, now(), onSkip(), onPace(name), onProblem(text)}) ->
 *   {update(state), showMissed(mark, note)}: the buttons in a corner of the map.
 * @param {HTMLElement} root
 * @param {StateStore} store
 * @param {{ game: string, now: () => number, onSkip: () => void, onPace: (name: string) => void, onProblem: (text: string) => void }} options
 */
export function HistoryTools(root, store, { game, now, onSkip, onPace, onProblem }) {
  /**
   * @param {string} sign
   * @param {string} words
   * @param {(event: never) => unknown} onclick
   */
  const tool = (sign, words, onclick) =>
    el(
      "button",
      { type: "button", class: "map-tool", title: words, "aria-label": words, onclick },
      icon("ui", sign),
    );
  const back = tool("ui-step", t("One step back"), () => load().then(({ go }) => go(-1), fail));
  back.classList.add("to-left");
  const skip = tool("ui-skip", t("Skip to my turn"), onSkip);
  skip.classList.add("to-turn");
  const tools = el(
    "div",
    { class: "map-tools", role: "group", "aria-label": t("What happened") },
    back,
    skip,
  );
  root.append(tools);
  /** @type {ReturnType<typeof import("./history_player.js").HistoryPlayer> | null} */
  let player = null;
  /** @type {Promise<ReturnType<typeof import("./history_player.js").HistoryPlayer>> | null} */
  let loading = null;
  const past = () => fetchSeen(game, store.state.password);
  const fail = () => onProblem(t("What happened before could not be loaded. Try again in a moment."));

  function load() {
    loading ??= withWholeCatalogue(
      Promise.all([import("./history_player.js"), loadStylesheet("history_player")]),
    ).then(([{ HistoryPlayer }]) => {
      player = HistoryPlayer({ root, tools, tool, back, store, past, now, onPace, fail });
      return player;
    });
    return loading.catch((problem) => {
      loading = null;
      throw problem;
    });
  }

  return {
    /**
     * Play what was missed since the seq `mark`, if it is enough; settles when the playback is over.
     * @type {(mark: number, note: (seq: number) => void) => Promise<unknown>}
     */
    showMissed(mark, note) {
      // Requested now, to share the request with the log.
      const seen = past();
      return load().then(({ showMissed }) => showMissed(seen, mark, note));
    },
    /**
     * @param {GameState} state
     * @param {State} _
     * @param {Cause} cause
     */
    update(state, _, cause) {
      const isLive = state.table.status === "running" && state.view.winner === null;
      // Return to the live board so that the end is seen.
      if (state.past && !isLive) store.set({ past: null }, cause);
      back.hidden = !isLive || state.log?.length === 1 || Boolean(state.table.trial);
      skip.hidden = Boolean(state.past) || !canSkip(state) || !isAlone(state);
      skip.setAttribute("aria-pressed", String(state.isSkipping));
      root.classList.toggle("is-past", Boolean(state.past && !state.past.isPlayback));
      player?.update(state);
    },
  };
}

/**
 * CatchUp(store, game, showMissed(mark, note)): calls `showMissed` when the page is visible again and has missed entries.
 * This browser stores the seq up to which it has shown the game to this seat, so that nothing is played twice here. The
 * player's own last action comes from the log, which is the same on every device.
 * @param {StateStore} store
 * @param {string} game
 * @param {(mark: number, note: (seq: number) => void) => Promise<unknown>} showMissed
 */
export function CatchUp(store, game, showMissed) {
  // The page is new, or entries arrived while it was hidden or disconnected.
  let isAway = true;
  let isCatchingUp = false;
  const key = () => `cartagena.seen.${game}.${store.state.you.seat}`;
  /** @param {number | undefined} seq */
  const note = (seq) => writeStored(key(), seq);
  const onCaughtUp = () => {
    isCatchingUp = false;
    check();
  };

  function check() {
    const { table, view, you, seq, serverSeq, isSkipping } = /** @type {GameState} */ (store.state);
    if (isCatchingUp || !table || table.trial || you.seat === null) return;
    if (seq < Number(serverSeq) || (document.hidden && !isSkipping)) {
      isAway = true;
      return;
    }
    const mark = readStored(key()) ?? -1;
    if (isAway && mark < seq && table.status === "running" && !view.players[you.seat].resigned) {
      isCatchingUp = true;
      // If it cannot be loaded, the board stays live.
      showMissed(mark, note).then(onCaughtUp, onCaughtUp);
    } else note(table.status === "running" ? seq : undefined);
    isAway = false;
  }

  store.subscribe(["seq", "serverSeq"], check);
  document.addEventListener("visibilitychange", check);
}

/**
 * Whether the player's turn has just begun: no action taken, no pending choice.
 * @param {State} state
 */
const isTurnStart = (state) => {
  const { view, you } = /** @type {GameState} */ (state);
  return hasChoices(state) && !view.pending && view.turn.seat === you.seat && view.turn.taken === 0;
};

/**
 * Recap(root, store, movesSince(seat)): shows the others' moves as arrows at the start of the player's turn, until the
 * first click on board, hand or plates.
 * @param {HTMLElement} root
 * @param {StateStore} store
 * @param {(seat: number) => Trace[]} movesSince
 */
export function Recap(root, store, movesSince) {
  let isOver = false;

  function end() {
    // This click only returns to the live board.
    if (store.state.past) return;
    isOver = true;
    if (store.state.recap) store.set({ recap: null });
  }

  store.subscribe(["view", "choices", "log"], (state) => {
    if (!state.view) return;
    if (state.view.turn.seat !== state.you.seat) isOver = false;
    const shouldShow = isTurnStart(state) && !isOver;
    if (shouldShow) store.set({ recap: movesSince(/** @type {number} */ (state.you.seat)) });
    else if (state.recap) store.set({ recap: null });
  });

  /** @param {Event} event */
  const isInPlayArea = (event) => targetOf(event).closest?.(".board, .bench, .seats");
  root.addEventListener("pointerdown", (event) => isInPlayArea(event) && end());
  root.addEventListener(
    "keydown",
    (event) => ["Enter", " "].includes(event.key) && isInPlayArea(event) && end(),
  );
}
