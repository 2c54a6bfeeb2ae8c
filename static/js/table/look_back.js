// What happened: the others' moves lie on the board as arrows when one's turn comes, until the first click; and looking
// back on the live board, a step back, a step on, and the way to the present. What happens meanwhile goes on underneath.

import { viewsOf } from "../core/fold.js";
import { eventLine, tracesOf } from "../core/event_text.js";
import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { t } from "../core/i18n.js";
import { seen } from "./log.js";
import { canSkip, isAlone } from "./pace.js";
import { isMine } from "./store.js";

/** Where to stop on the way back: after every step that did more than pass the turn on. The start is 0. */
export const stopsOf = (steps) => [
  0,
  ...steps.flatMap(({ events }, at) => (events.some(({ type }) => type !== "turn_passed") ? [at + 1] : [])),
];

/** LookBack(root, store, {game, onSkip, onProblem()}) -> {update(state)}: the buttons in a corner of the map, and a strip below. */
export function LookBack(root, store, { game, onSkip, onProblem }) {
  const tool = (sign, words, onclick) =>
    el("button", { type: "button", class: "map-tool", title: words, "aria-label": words, onclick }, icon("ui", sign));
  const back = tool("ui-step", t("One step back"), () => go(-1));
  back.classList.add("to-left");
  const on = tool("ui-step", t("One step on"), () => go(1));
  const skip = tool("ui-skip", t("Skip to my turn"), onSkip);
  skip.classList.add("to-turn");
  const words = el("p", { "aria-live": "polite" });
  const now = el("button", { type: "button", class: "button button-small button-main", onclick: leave }, t("Back to now"));
  const strip = el("div", { class: "map-strip looking-back", hidden: true }, words, now);
  root.append(el("div", { class: "map-tools", role: "group", "aria-label": t("What happened") }, back, on, skip), strip);
  let history = null; // {steps, views, stops} of the moment one began to look back
  let at = 0; // which of the stops
  let isLoading = false;

  async function load() {
    const { password, you } = store.state;
    isLoading = true;
    const past = await seen(game, password);
    isLoading = false;
    if (!past) return false;
    history = { steps: past.steps, views: viewsOf(past, you.seat), stops: stopsOf(past.steps) };
    at = history.stops.length - 1;
    return true;
  }

  async function go(by) {
    if (isLoading) return;
    if (!store.state.past && !(await load())) {
      onProblem(t("What happened before could not be fetched. Try again in a moment."));
      return;
    }
    at = Math.max(0, at + by);
    if (at >= history.stops.length - 1) leave();
    else show();
  }

  function show() {
    const { steps, views, stops } = history;
    const n = stops[at];
    const { table } = store.state;
    const line = n ? eventLine(steps[n - 1].events, views[n - 1], table.seats, steps[n - 1].by).text : "";
    words.textContent = `${at} / ${stops.length - 1} · ${line || t("The start of the game.")}`;
    back.disabled = at === 0;
    store.set({ past: { view: views[n], traces: n ? tracesOf(steps[n - 1].events) : [] } });
  }

  function leave() {
    const hadFocus = strip.contains(document.activeElement) || on === document.activeElement;
    back.disabled = false;
    store.set({ past: null });
    if (hadFocus) back.focus();
  }

  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !store.state.past) return;
    event.preventDefault();
    leave();
  });

  return {
    update(state) {
      const isLive = state.table.status === "running" && state.view.winner === null;
      if (state.past && !isLive) leave(); // how it ended is not to be missed
      back.hidden = !isLive || state.log?.length === 1 || Boolean(state.table.trial);
      on.hidden = !state.past;
      strip.hidden = !state.past;
      skip.hidden = Boolean(state.past) || !canSkip(state) || !isAlone(state);
      skip.setAttribute("aria-pressed", String(state.isSkipping));
      root.classList.toggle("is-past", Boolean(state.past));
    },
  };
}

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
