// Going through what happened on the live board: a step back or on by hand, or played by itself, action by action, to
// whoever comes back and has missed more than a turn. What happens meanwhile is added at its end. Loaded when wanted.

import { el } from "../core/dom.js";
import { eventLine, tracesOf } from "../core/event_text.js";
import { viewsOf } from "../core/fold.js";
import { icon } from "../core/icons.js";
import { t, tn } from "../core/i18n.js";
import { announce, inOne } from "./announce.js";
import { leftNow } from "./clock.js";
import { DRAWING } from "./pace.js";
import { pref } from "./preferences.js";

const PACES = ["slow", "normal", "fast"];
const LOOK = 1000; // milliseconds for a look at the board,
const LETTER = 24; // and for a letter of the line beside it
const LONG = 30; // actions: more are played faster, so that a long absence is not a long story
const FASTEST = 0.4;
const HASTE = 15000; // milliseconds on one's clock below which nothing is played

const hasPassed = ({ events }) => events.some(({ type }) => type === "turn_passed");

const isStop = ({ events }) => events.some(({ type }) => type !== "turn_passed");

/** Where to stop on the way: after every step that did more than pass the turn on, and where a story begins. The start is 0. */
export const stopsOf = (steps, began = 0) => [
  0,
  ...steps.flatMap((step, at) => (isStop(step) || at + 1 === began ? [at + 1] : [])),
];

/**
 * After which step the story for a seat begins: that of its own last action, or a later one if this browser has shown
 * more (`mark`, a seq). Null when it is not worth one: of the others' turns at most one was missed, and nobody played for
 * the seat. Before one's first action there is no last turn to begin at, unless somebody played it.
 */
export function beginningOf(steps, views, seat, mark) {
  const isOwn = ({ seat: who, by }) => who === seat && by === "person";
  const from = steps.findLastIndex((step) => isOwn(step) || step.seq <= mark) + 1;
  const missed = steps.slice(from);
  if (!missed.some(isStop)) return null;
  if (missed.some((step) => step.seat === seat)) return from;
  const turns = missed.filter((_, at) => views[from + at].turn.seat !== seat && (at === 0 || hasPassed(missed[at - 1])));
  return turns.length > 1 && steps.some(isOwn) ? from : null;
}

/** How long a line stands beside the board at a pace, in a story of so many actions. */
export const timeFor = (text, pace, actions) =>
  (LOOK + LETTER * text.length) * (DRAWING[pace] ?? 1) * Math.max(FASTEST, Math.min(1, LONG / actions));

/** Story({root, tools, tool, back, store, past(), now(), onPace(name), fail()}) -> {go(by), tell(asked, mark, note), update(state)} */
export function Story({ root, tools, tool, back, store, past, now, onPace, fail }) {
  const button = (words, onclick, ...inside) =>
    el("button", { type: "button", class: "button button-small", onclick, title: words, "aria-label": words }, ...inside);
  const on = tool("ui-step", t("One step on"), () => go(1));
  const again = tool("ui-skip", t("What you missed, once more"), playAgain);
  again.classList.add("to-left");
  tools.append(on, again);
  const count = el("b", { class: "story-count" });
  const words = el("p");
  const slower = button(t("Slower"), () => change(-1), "−");
  const faster = button(t("Faster"), () => change(1), "+");
  const speed = el("span", { class: "story-pace" });
  const paces = el("span", { class: "story-paces", role: "group", "aria-label": t("Pace") }, slower, speed, faster);
  const restart = button(t("Again"), playAgain, icon("ui", "ui-skip"));
  restart.classList.add("to-left");
  const leaving = el("button", { type: "button", class: "button button-small button-main", onclick: leave });
  const buttons = el("div", { class: "story-buttons" }, restart, paces, leaving);
  const strip = el("section", { class: "map-strip looking-back", "aria-label": t("What happened"), hidden: true }, count, words, buttons);
  root.append(strip);

  let history = null; // {steps, views, seq}, kept up to date from when it was fetched
  let stops = []; // of its steps
  let waiting = null; // what happens while it is being fetched
  let began = null; // the number of steps after which the story begins; null when there is none to play once more
  let at = 0; // which of the stops
  let isPlaying = false;
  let timer = 0;
  let heard = []; // sentences of a turn, read out as one at its end: actions come faster than they can be heard
  let whenOver = null; // {note(seq), done()} of the story that is told

  // -- what there is to show ---------------------------------------------------------------------

  async function take(asked) {
    waiting = [];
    const { seq } = store.state;
    let found = await asked;
    if (found && found.seq < seq) found = await past(); // what came while this file was being loaded reached nobody here
    const late = waiting;
    waiting = null;
    if (!found) return false;
    history = { steps: found.steps, views: viewsOf(found, store.state.you.seat), seq: found.seq };
    for (const each of late) follow(...each);
    return Boolean(history);
  }

  const isKnown = async () => history?.seq === store.state.seq || take(past());

  function findStops() {
    stops = stopsOf(history.steps, began ?? 0);
  }

  function follow(state, before, { events, by = "person", kind, reset }) {
    if (waiting) waiting.push([state, before, { events, by, kind, reset }]);
    if (waiting || !history || state.seq <= history.seq) return;
    const { steps, views } = history;
    const isGap = state.seq > history.seq + 1;
    history.seq = state.seq;
    if (isGap) refresh(state.past); // what lies between is not here
    else if (events?.length) {
      const seat = events.find((event) => event.seat !== undefined)?.seat;
      steps.push({ seq: state.seq, seat, by, events });
      views.push(state.view);
      findStops();
      if (seat !== state.you.seat || by !== "person") return;
      began = null; // whoever acts has seen it
      leave();
      update(store.state);
    } else if (kind === "undo") {
      steps.pop();
      views.pop();
      findStops();
      if (at < stops.length) return;
      at = stops.length - 1;
      if (state.past) show();
    } else if (reset) refresh(state.past); // after a long cut
  }

  async function refresh(isShown) {
    const n = stops[at];
    history = null;
    if (!isShown) return;
    if (!(await take(past()))) leave();
    if (!store.state.past) return;
    findStops();
    at = stops.findLastIndex((each) => each <= n);
    show();
  }

  // -- showing it --------------------------------------------------------------------------------

  const lineAt = (n) => {
    const { steps, views } = history;
    return n ? eventLine(steps[n - 1].events, views[n - 1], store.state.table.seats, steps[n - 1].by) : { text: "", texts: [] };
  };

  const isOpening = () => isPlaying && stops[at] === began;

  /** Show the present stop; `isOn`: it was reached from the one before, so what moved walks. Gives what is said to it. */
  function show(isOn = false) {
    const { steps, views } = history;
    const n = stops[at];
    const { text, texts } = lineAt(n);
    const passed = isOn ? steps.slice(stops[at - 1], n) : [];
    if (isPlaying) {
      if (passed.some(hasPassed)) readOut();
      if (!isOpening()) heard.push(...texts);
      if (n) whenOver?.note(steps[n - 1].seq);
    }
    words.setAttribute("aria-live", isPlaying ? "off" : "polite"); // what is played is read out turn by turn
    words.textContent = isOpening() ? opening() : text || (n ? t("Something happened that you may not see.") : t("The start of the game."));
    markLine(n ? steps[n - 1].seq : null);
    const traces = n && !isOpening() ? tracesOf(steps[n - 1].events) : [];
    store.set({ past: { view: views[n], traces, isStory: isPlaying } }, { events: passed.flatMap(({ events }) => events) });
    return words.textContent;
  }

  function opening() {
    const missed = history.steps.slice(began);
    const who = missed.find(({ seat }) => seat === store.state.you.seat)?.by;
    const n = missed.filter(isStop).length;
    const said = [tn("You missed {n} action.", "You missed {n} actions.", n)];
    if (who === "bot") said.push(t("A bot played for you."));
    if (who === "clock") said.push(t("Your time was up, and a move was made for you."));
    return said.join(" ");
  }

  function readOut() {
    if (heard.length) announce(inOne(heard));
    heard = [];
  }

  /** The line in the log, where it is in sight, is the one that is shown. */
  function markLine(seq) {
    const lines = document.querySelector(".log-lines");
    lines?.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const line = seq === null ? null : lines?.querySelector(`[data-key="${seq}"]`);
    if (!line) return;
    line.setAttribute("aria-current", "step");
    lines.scrollTop = line.offsetTop - lines.offsetTop - lines.clientHeight / 2;
  }

  // -- by hand -----------------------------------------------------------------------------------

  async function go(by) {
    if (waiting) return;
    if (!store.state.past) {
      if (!(await isKnown())) {
        fail();
        return;
      }
      findStops();
      at = stops.length - 1;
    }
    stop();
    at = Math.max(0, at + by);
    if (at >= stops.length - 1) leave();
    else show(by > 0);
  }

  // -- by itself ---------------------------------------------------------------------------------

  /** Whether one's own clock leaves less than a time. */
  function isHasty(time) {
    const { clock, you } = store.state;
    return Boolean(clock?.running.includes(you.seat)) && leftNow(clock, you.seat, now()) < time;
  }

  /** Something is under way, so that the board must not go back by itself. */
  const isBusy = ({ past: shown, isWaiting, selection, table }) =>
    Boolean(shown) || isWaiting || Object.keys(selection).length > 0 || table.status !== "running";

  async function tell(asked, mark, note) {
    if (store.state.past || !(await take(asked))) return;
    const { steps, views } = history;
    const from = beginningOf(steps, views, store.state.you.seat, mark);
    if (from === null || isBusy(store.state)) return;
    began = from;
    const missed = steps.flatMap((step, n) => (n >= from && isStop(step) ? [lineAt(n + 1).text] : []));
    const length = missed.reduce((sum, text) => sum + timeFor(text, pref("pace"), missed.length), 0);
    if (isHasty(length + HASTE)) {
      update(store.state); // the button alone: whoever is short of time is not kept
      return;
    }
    announce(opening());
    await new Promise((done) => {
      whenOver = { note, done };
      play();
    });
  }

  async function playAgain() {
    if (began === null || waiting || !(await isKnown())) return;
    play();
  }

  function play() {
    stop();
    isPlaying = true;
    findStops();
    at = stops.indexOf(began);
    schedule(show());
  }

  function schedule(text) {
    clearTimeout(timer);
    timer = setTimeout(onwards, timeFor(text, pref("pace"), stops.length - stops.indexOf(began)));
  }

  function onwards() {
    if (document.hidden) return; // it waits for whoever should see it
    if (waiting) schedule("");
    else if (at >= stops.length - 1 || isHasty(HASTE)) {
      readOut();
      leave();
    } else {
      at += 1;
      schedule(show(true));
    }
  }

  function stop() {
    clearTimeout(timer);
    isPlaying = false;
    heard = [];
  }

  function change(by) {
    const pace = PACES[PACES.indexOf(pref("pace")) + by];
    if (!pace) return;
    onPace(pace);
    announce(t(pace));
    if (isPlaying) schedule(words.textContent);
  }

  function leave() {
    const hadFocus = strip.contains(document.activeElement) || on === document.activeElement;
    const wasPlaying = isPlaying;
    if (store.state.past) store.set({ past: null });
    if (hadFocus && !wasPlaying) back.focus();
  }

  /** However it ends: by a button, a key, an action, a click on the board. */
  function over() {
    stop();
    markLine(null);
    const lines = document.querySelector(".log-lines");
    if (lines) lines.scrollTop = lines.scrollHeight;
    back.disabled = false;
    update(store.state);
    whenOver?.done();
    whenOver = null;
  }

  function update({ past: shown, table, view }) {
    const isLive = table.status === "running" && view.winner === null;
    const begin = isPlaying ? stops.indexOf(began) : 0;
    const pace = Math.max(0, PACES.indexOf(pref("pace")));
    strip.hidden = !shown;
    strip.classList.toggle("is-story", isPlaying);
    on.hidden = !shown;
    again.hidden = began === null || isPlaying || !isLive;
    restart.hidden = paces.hidden = !isPlaying;
    slower.disabled = pace === 0;
    faster.disabled = pace === PACES.length - 1;
    speed.textContent = t(PACES[pace]);
    leaving.textContent = isPlaying ? t("Skip") : t("Back to now");
    if (!shown || !history) return;
    back.disabled = at === 0;
    count.textContent = isOpening() ? "" : `${at - begin} / ${stops.length - 1 - begin}`;
  }

  store.subscribe(["seq"], follow);
  store.subscribe(["past"], (state, before) => before.past && !state.past && over());
  document.addEventListener("visibilitychange", () => isPlaying && !document.hidden && schedule(words.textContent));
  addEventListener("keydown", (event) => {
    if (!store.state.past || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, textarea, select, dialog, .table-menu")) return;
    const keys = { "+": () => change(1), "-": () => change(-1), r: playAgain };
    const isLetter = isPlaying && pref("shortcuts");
    const act = event.key === "Escape" ? leave : isLetter ? keys[event.key.toLowerCase()] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  });

  return { go, tell, update };
}
