// What happened: the others' moves lie on the board as arrows when one's turn comes, until the first click; the way back
// on the live board; and noticing that somebody has come back. Going through it is story.js, loaded when it is wanted.

import { el, style } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { rare, t } from "../core/i18n.js";
import { seen } from "./log.js";
import { canSkip, isAlone } from "./pace.js";
import { keep, kept } from "./preferences.js";
import { isMine } from "./store.js";

/** LookBack(root, store, {game, now(), onSkip, onPace(name), onProblem(text)}) -> {update(state), tell(mark, note)}: the buttons in a corner of the map. */
export function LookBack(root, store, { game, now, onSkip, onPace, onProblem }) {
  const tool = (sign, words, onclick) =>
    el("button", { type: "button", class: "map-tool", title: words, "aria-label": words, onclick }, icon("ui", sign));
  const back = tool("ui-step", t("One step back"), () => load().then(({ go }) => go(-1), fail));
  back.classList.add("to-left");
  const skip = tool("ui-skip", t("Skip to my turn"), onSkip);
  skip.classList.add("to-turn");
  const tools = el("div", { class: "map-tools", role: "group", "aria-label": t("What happened") }, back, skip);
  root.append(tools);
  let story = null;
  let loading = null;
  const past = () => seen(game, store.state.password);
  const fail = () => onProblem(t("What happened before could not be fetched. Try again in a moment."));

  function load() {
    loading ??= rare(Promise.all([import("./story.js"), style("story")])).then(
      ([{ Story }]) => (story = Story({ root, tools, tool, back, store, past, now, onPace, fail })),
    );
    return loading.catch((problem) => {
      loading = null;
      throw problem;
    });
  }

  return {
    /** What was missed since `mark`, if it is worth a story; settles when that is over. */
    tell(mark, note) {
      const asked = past(); // now: the log asks for the same
      return load().then(({ tell }) => tell(asked, mark, note));
    },
    update(state, before, happened) {
      const isLive = state.table.status === "running" && state.view.winner === null;
      if (state.past && !isLive) store.set({ past: null }, happened); // how it ended is not to be missed
      back.hidden = !isLive || state.log?.length === 1 || Boolean(state.table.trial);
      skip.hidden = Boolean(state.past) || !canSkip(state) || !isAlone(state);
      skip.setAttribute("aria-pressed", String(state.isSkipping));
      root.classList.toggle("is-past", Boolean(state.past && !state.past.isStory));
      story?.update(state);
    },
  };
}

/**
 * ComingBack(store, game, tell(mark, note)): `tell` is called when the page is there again and has missed something.
 * When one acted last stands in the log, the same on every device. What was on the screen since only this browser knows:
 * it keeps the seq up to which it has shown the game to this seat, so that nobody is told here what they have seen here.
 */
export function ComingBack(store, game, tell) {
  // The page is new, or was hidden or cut off while something happened.
  let isAway = true;
  let isTelling = false;
  const key = () => `cartagena.seen.${game}.${store.state.you.seat}`;
  const note = (seq) => keep(key(), seq);
  const over = () => {
    isTelling = false;
    look();
  };

  function look() {
    const { table, view, you, seq, head, isSkipping } = store.state;
    if (isTelling || !table || table.trial || you.seat === null) return;
    if (seq < head || (document.hidden && !isSkipping)) {
      isAway = true;
      return;
    }
    const mark = kept(key()) ?? -1;
    if (isAway && mark < seq && table.status === "running" && !view.players[you.seat].resigned) {
      isTelling = true;
      // Where it cannot be loaded the board is as it is now.
      tell(mark, note).then(over, over);
    } else note(table.status === "running" ? seq : undefined);
    isAway = false;
  }

  store.subscribe(["seq", "head"], look);
  document.addEventListener("visibilitychange", look);
}

/** Whether one's turn has just come: nothing is done yet and nothing is owed. */
const isFresh = (state) =>
  isMine(state) && !state.view.pending && state.view.turn.seat === state.you.seat && state.view.turn.taken === 0;

/** Recap(root, store, movesSince(seat)): a click on what one plays with ends it for this turn. */
export function Recap(root, store, movesSince) {
  let isOver = false; // for this turn

  function end() {
    if (store.state.past) return; // a click that leads back to the present
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
