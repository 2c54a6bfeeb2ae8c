// The first time in this browser that the player is offered a power, one line explains it.

/** @import {Choice, GameState, StateStore} from "../core/types.d.ts" */

import { t, withWholeCatalogue } from "../core/i18n.js";
import { announce } from "./announce.js";
import { Note } from "./note.js";
import { changePref, pref } from "./preferences.js";
import { boardChoices, cardsOf, offers } from "./selection.js";
import { hasChoices } from "./store.js";

const SHOWN_MS = 15000;
// A click does not close a line that has just appeared.
const MIN_SHOWN_MS = 2500;
const DELAY_MS = 900;

// The types of actions that have a lesson, and "dark" cards, in the order in which they are taught.
const NAMES = ["pistol", "rum", "lantern", "parrot", "hook", "chest", "morgan", "sail", "draw", "dark"];

/**
 * Return the lessons that the choices offer, in the order of NAMES.
 * @param {Choice[]} choices
 */
function lessonsIn(choices) {
  const offered = new Set(choices.map(({ action }) => /** @type {string} */ (action.type)));
  if (choices.some(({ action }) => cardsOf(action).some((card) => card.endsWith("*")))) offered.add("dark");
  return NAMES.filter((name) => offered.has(name));
}

/**
 * Lessons(root, store): shows one line a turn, or that of what the player has selected.
 * @param {HTMLElement} root
 * @param {StateStore} store
 */
export function Lessons(root, store) {
  const note = Note(root, "lesson");
  let shownAt = 0;
  let taughtTurn = "";
  let timer = 0;

  /** @param {string} name */
  const isNew = (name) => !pref("lessons").includes(name);
  /** @param {string} name */
  const markTaught = (name) => changePref("lessons", (names) => [...names, name]);

  async function teach() {
    const state = /** @type {GameState} */ (store.state);
    if (!hasChoices(state) || state.isWaiting || state.past) return;
    // Why a click did nothing is more urgent.
    if (root.querySelector(".why-note:not([hidden])")) return;
    const { choices, selection, view, you } = state;
    const own = boardChoices(choices);
    if (!own.length) return;
    const turn = `${you.seat} ${view.turn.seat} ${view.forced_passes} ${state.table.id}`;
    const chosen = lessonsIn(offers(choices, selection).list).find(isNew);
    const next = chosen ?? (taughtTurn === turn ? undefined : [...lessonsIn(own), "hold"].find(isNew));
    if (!next) return;
    const { LESSONS } = await withWholeCatalogue(import("./lesson_texts.js"));
    // The player has gone on, and may not be offered it any more.
    if (store.state.choices !== choices || store.state.selection !== selection) return;
    taughtTurn = turn;
    markTaught(next);
    const isTouch = matchMedia("(hover: none) and (pointer: coarse)").matches;
    const words = t(LESSONS[next === "hold" && isTouch ? "touch" : next]);
    note.show(words, SHOWN_MS);
    shownAt = Date.now();
    announce(words);
  }

  function schedule() {
    clearTimeout(timer);
    if (!hasChoices(store.state)) {
      taughtTurn = "";
      note.hide();
      return;
    }
    // A sheet for a pending choice needs the place.
    if (!boardChoices(store.state.choices).length) note.hide();
    timer = setTimeout(teach, DELAY_MS);
  }
  // Whoever does this has found it without the lesson.
  root.addEventListener("contextmenu", () => isNew("hold") && markTaught("hold"));
  addEventListener("pointerdown", () => Date.now() - shownAt > MIN_SHOWN_MS && note.hide());
  store.subscribe(["choices", "selection"], schedule);
  schedule();
  return note;
}
