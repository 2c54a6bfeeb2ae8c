// Plays the history of the game on the live board: by hand, or for a player who missed more than one turn.

/** @import {Child, GameState, Replay, State, StateStore, Step, Subscriber, TableState, View} from "../core/types.d.ts" */

import { el, targetOf } from "../core/dom.js";
import { describeEvents, tracesOf } from "../core/event_text.js";
import { replayViews } from "../core/fold.js";
import { t, tn } from "../core/i18n.js";
import { icon } from "../core/icons.js";
import { announce, joinSentences } from "./announce.js";
import { remainingMs } from "./clock.js";
import { endsTurn, findStops, isStop, missedStart, stopDuration } from "./history_stops.js";
import { pref } from "./preferences.js";

/**
 * @typedef {object} HistoryPlayerOptions
 * @property {HTMLElement} root
 * @property {HTMLElement} tools
 * @property {(sign: string, words: string, onclick: () => void) => HTMLElement} tool
 * @property {HTMLButtonElement} back
 * @property {StateStore} store
 * @property {() => Promise<Replay | null>} past
 * @property {() => number} now
 * @property {(name: string) => void} onPace
 * @property {() => void} fail
 */

const PACES = ["slow", "normal", "fast"];
// Nothing is played while the player's own clock has less than this left.
const MIN_CLOCK_MS = 15000;

/**
 * HistoryPlayer({root, tools, tool, back, store, past(), now(), onPace(name), fail()}) ->
 *   {go(by), showMissed(seen, mark, note), update(state)}
 * @param {HistoryPlayerOptions} options
 */
export function HistoryPlayer({ root, tools, tool, back, store, past, now, onPace, fail }) {
  /** @type {(label: string, onclick: () => void, ...content: Child[]) => HTMLElement & { disabled: boolean }} */
  const button = (label, onclick, ...content) =>
    el(
      "button",
      { type: "button", class: "button button-small", onclick, title: label, "aria-label": label },
      ...content,
    );
  const forward = tool("ui-step", t("One step forward"), () => go(1));
  const replayTool = tool("ui-skip", t("Replay what you missed"), playAgain);
  replayTool.classList.add("to-left");
  tools.append(forward, replayTool);
  const count = el("b", { class: "story-count" });
  const words = el("p");
  const slower = button(t("Slower"), () => changePace(-1), "−");
  const faster = button(t("Faster"), () => changePace(1), "+");
  const speed = el("span", { class: "story-pace" });
  const paces = el(
    "span",
    { class: "story-paces", role: "group", "aria-label": t("Speed") },
    slower,
    speed,
    faster,
  );
  const restart = button(t("Again"), playAgain, icon("ui", "ui-skip"));
  restart.classList.add("to-left");
  const leaveButton = el("button", {
    type: "button",
    class: "button button-small button-main",
    onclick: leave,
  });
  const buttons = el("div", { class: "story-buttons" }, restart, paces, leaveButton);
  const strip = el(
    "section",
    { class: "map-strip looking-back", "aria-label": t("What happened"), hidden: true },
    count,
    words,
    buttons,
  );
  root.append(strip);

  /** @type {{ steps: Step[], views: View[], seq: number } | null} Fetched once, then kept up to date. */
  let history = null;
  /** @type {number[]} The steps at which the player stops. */
  let stops = [];
  /** @type {Parameters<Subscriber>[] | null} State changes that arrive while the history is being fetched. */
  let lateChanges = null;
  /** @type {number | null} The number of steps before the missed part; null if there is nothing to play again. */
  let playbackStart = null;
  let at = 0;
  let isPlaying = false;
  let timer = 0;
  /** @type {string[]} Sentences of one turn, announced together: actions come too fast to be read out one by one. */
  let unspoken = [];
  /** @type {{ note: (seq: number) => void, done: (value?: undefined) => void } | null} */
  let playback = null;

  // -- loading the history -----------------------------------------------------------------------

  /** @param {Promise<Replay | null>} seen */
  async function load(seen) {
    lateChanges = [];
    const { seq } = /** @type {TableState} */ (store.state);
    let replay = await seen;
    // Actions that arrived while this file was loading are missing from the answer.
    if (replay && replay.seq < seq) replay = await past();
    const late = lateChanges;
    lateChanges = null;
    if (!replay) return false;
    history = { steps: replay.steps, views: replayViews(replay, store.state.you.seat), seq: replay.seq };
    for (const change of late) follow(...change);
    return Boolean(history);
  }

  const ensureLoaded = async () => history?.seq === store.state.seq || load(past());

  const loadedHistory = () => /** @type {NonNullable<typeof history>} */ (history);

  function updateStops() {
    stops = findStops(loadedHistory().steps, playbackStart ?? 0);
  }

  /** @type {Subscriber} */
  function follow(state, before, { events, by = "person", kind, reset }) {
    if (lateChanges) lateChanges.push([state, before, { events, by, kind, reset }]);
    const { seq } = /** @type {TableState} */ (state);
    if (lateChanges || !history || seq <= history.seq) return;
    const { steps, views } = history;
    const isGap = seq > history.seq + 1;
    history.seq = seq;
    if (isGap) refresh(Boolean(state.past));
    else if (events?.length) {
      const seat = events.find((event) => event.seat !== undefined)?.seat;
      steps.push({ seq, seat: seat ?? null, by, events });
      views.push(/** @type {View} */ (state.view));
      updateStops();
      if (seat !== state.you.seat || by !== "person") return;
      // The player acted, so nothing counts as missed any more.
      playbackStart = null;
      leave();
      update(/** @type {GameState} */ (store.state));
    } else if (kind === "undo") {
      steps.pop();
      views.pop();
      updateStops();
      if (at < stops.length) return;
      at = stops.length - 1;
      if (state.past) show();
    } else if (reset) refresh(Boolean(state.past));
  }

  /** @param {boolean} isShown */
  async function refresh(isShown) {
    const n = stops[at];
    history = null;
    if (!isShown) return;
    if (!(await load(past()))) leave();
    if (!store.state.past) return;
    updateStops();
    at = stops.findLastIndex((stop) => stop <= n);
    show();
  }

  // -- showing a stop ----------------------------------------------------------------------------

  /** @param {number} n */
  const lineAt = (n) => {
    const { steps, views } = loadedHistory();
    return n
      ? describeEvents(steps[n - 1].events, views[n - 1], store.state.table?.seats, steps[n - 1].by)
      : { text: "", texts: /** @type {string[]} */ ([]) };
  };

  const isAtPlaybackStart = () => isPlaying && stops[at] === playbackStart;

  /** Show the current stop and return its sentence. `isForward`: animate the moves since the previous stop. */
  function show(isForward = false) {
    const { steps, views } = loadedHistory();
    const n = stops[at];
    const { text, texts } = lineAt(n);
    const passed = isForward ? steps.slice(stops[at - 1], n) : [];
    if (isPlaying) {
      if (passed.some(endsTurn)) speak();
      if (!isAtPlaybackStart()) unspoken.push(...texts);
      if (n) playback?.note(steps[n - 1].seq);
    }
    // Playback is announced turn by turn (`speak`).
    words.setAttribute("aria-live", isPlaying ? "off" : "polite");
    words.textContent = isAtPlaybackStart()
      ? missedSummary()
      : text || (n ? t("Something happened that is hidden from you.") : t("The start of the game."));
    markLine(n ? steps[n - 1].seq : null);
    const traces = n && !isAtPlaybackStart() ? tracesOf(steps[n - 1].events) : [];
    store.set(
      { past: { view: views[n], traces, isPlayback: isPlaying } },
      { events: passed.flatMap(({ events }) => events) },
    );
    return words.textContent;
  }

  function missedSummary() {
    const missed = loadedHistory().steps.slice(playbackStart ?? 0);
    const actor = missed.find(({ seat }) => seat === store.state.you.seat)?.by;
    const n = missed.filter(isStop).length;
    const sentences = [tn("You missed {n} action.", "You missed {n} actions.", n)];
    if (actor === "bot") sentences.push(t("A bot played for you."));
    if (actor === "clock") sentences.push(t("Your time ran out, and a move was made for you."));
    return sentences.join(" ");
  }

  function speak() {
    if (unspoken.length) announce(joinSentences(unspoken));
    unspoken = [];
  }

  /**
   * Mark the log line of the entry that is shown, and scroll the log to it.
   * @param {number | null} seq
   */
  function markLine(seq) {
    /** @type {HTMLElement | null} */
    const lines = document.querySelector(".log-lines");
    if (!lines) return;
    lines.querySelector("[aria-current]")?.removeAttribute("aria-current");
    /** @type {HTMLElement | null} */
    const line = seq === null ? null : lines.querySelector(`[data-key="${seq}"]`);
    if (!line) return;
    line.setAttribute("aria-current", "step");
    lines.scrollTop = line.offsetTop - lines.offsetTop - lines.clientHeight / 2;
  }

  // -- stepping by hand --------------------------------------------------------------------------

  /** @param {number} by */
  async function go(by) {
    if (lateChanges) return;
    if (!store.state.past) {
      if (!(await ensureLoaded())) {
        fail();
        return;
      }
      updateStops();
      at = stops.length - 1;
    }
    stop();
    at = Math.max(0, at + by);
    if (at >= stops.length - 1) leave();
    else show(by > 0);
  }

  // -- automatic playback ------------------------------------------------------------------------

  /**
   * Whether the player's own clock runs and has less than `neededMs` left.
   * @param {number} neededMs
   */
  function isShortOfTime(neededMs) {
    const { clock, you } = store.state;
    const seat = /** @type {number} */ (you.seat);
    return (
      Boolean(clock?.running.includes(seat)) &&
      /** @type {number} */ (remainingMs(clock, seat, now())) < neededMs
    );
  }

  /**
   * Whether the player is doing something that an automatic playback would interrupt.
   * @param {State} state
   */
  const isBusy = ({ past: shown, isWaiting, selection, table }) =>
    Boolean(shown) || isWaiting || Object.keys(selection).length > 0 || table?.status !== "running";

  /** @type {(seen: Promise<Replay | null>, mark: number, note: (seq: number) => void) => Promise<void>} */
  async function showMissed(seen, mark, note) {
    if (store.state.past || !(await load(seen))) return;
    const { steps, views } = loadedHistory();
    const from = missedStart(steps, views, store.state.you.seat, mark);
    if (from === null || isBusy(store.state)) return;
    if (document.hidden && !store.state.isSkipping) return; // CatchUp calls again when the page is visible
    playbackStart = from;
    const missed = steps.flatMap((step, n) => (n >= from && isStop(step) ? [lineAt(n + 1).text] : []));
    const durationMs = missed.reduce((sum, text) => sum + stopDuration(text, pref("pace"), missed.length), 0);
    if (isShortOfTime(durationMs + MIN_CLOCK_MS)) {
      // Offer only the replay button.
      update(/** @type {GameState} */ (store.state));
      return;
    }
    announce(missedSummary());
    await new Promise((done) => {
      playback = { note, done };
      play();
    });
  }

  async function playAgain() {
    if (playbackStart === null || lateChanges || !(await ensureLoaded())) return;
    play();
  }

  function play() {
    stop();
    isPlaying = true;
    updateStops();
    at = stops.indexOf(/** @type {number} */ (playbackStart));
    schedule(show());
  }

  /** @param {string} text */
  function schedule(text) {
    clearTimeout(timer);
    timer = setTimeout(
      advance,
      stopDuration(text, pref("pace"), stops.length - stops.indexOf(/** @type {number} */ (playbackStart))),
    );
  }

  function advance() {
    // Resumed by visibilitychange.
    if (document.hidden) return;
    if (lateChanges) schedule("");
    else if (at >= stops.length - 1 || isShortOfTime(MIN_CLOCK_MS)) {
      speak();
      leave();
    } else {
      at += 1;
      schedule(show(true));
    }
  }

  function stop() {
    clearTimeout(timer);
    isPlaying = false;
    unspoken = [];
  }

  /** @param {number} by */
  function changePace(by) {
    const pace = PACES[PACES.indexOf(pref("pace")) + by];
    if (!pace) return;
    onPace(pace);
    announce(t(pace));
    if (isPlaying) schedule(words.textContent);
  }

  function leave() {
    const hadFocus = strip.contains(document.activeElement) || forward === document.activeElement;
    const wasPlaying = isPlaying;
    if (store.state.past) store.set({ past: null });
    if (hadFocus && !wasPlaying) back.focus();
  }

  /** Clean up after the past position was left, by a button, a key, an action or a click on the board. */
  function onLeft() {
    stop();
    markLine(null);
    const lines = document.querySelector(".log-lines");
    if (lines) lines.scrollTop = lines.scrollHeight;
    back.disabled = false;
    update(/** @type {GameState} */ (store.state));
    playback?.done();
    playback = null;
  }

  /** @param {GameState} state */
  function update({ past: shown, table, view }) {
    const isLive = table.status === "running" && view.winner === null;
    const first = isPlaying ? stops.indexOf(/** @type {number} */ (playbackStart)) : 0;
    const pace = Math.max(0, PACES.indexOf(pref("pace")));
    strip.hidden = !shown;
    strip.classList.toggle("is-story", isPlaying);
    forward.hidden = !shown;
    replayTool.hidden = playbackStart === null || isPlaying || !isLive;
    restart.hidden = paces.hidden = !isPlaying;
    slower.disabled = pace === 0;
    faster.disabled = pace === PACES.length - 1;
    speed.textContent = t(PACES[pace]);
    leaveButton.textContent = isPlaying ? t("Skip") : t("Back to now");
    if (!shown || !history) return;
    back.disabled = at === 0;
    count.textContent = isAtPlaybackStart() ? "" : `${at - first} / ${stops.length - 1 - first}`;
  }

  store.subscribe(["seq"], follow);
  store.subscribe(["past"], (state, before) => before.past && !state.past && onLeft());
  document.addEventListener(
    "visibilitychange",
    () => isPlaying && !document.hidden && schedule(words.textContent),
  );
  addEventListener("keydown", (event) => {
    if (!store.state.past || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (targetOf(event).closest?.("input, textarea, select, dialog, .table-menu")) return;
    /** @type {Record<string, () => unknown>} */
    const keys = { "+": () => changePace(1), "-": () => changePace(-1), r: playAgain };
    const canUseLetters = isPlaying && pref("shortcuts");
    const act = event.key === "Escape" ? leave : canUseLetters ? keys[event.key.toLowerCase()] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  });

  update(/** @type {GameState} */ (store.state));

  return { go, showMissed, update };
}
