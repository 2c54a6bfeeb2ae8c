// The first time in this browser that the player is offered a power, one line explains it.

/** @import {Choice, GameState, StateStore} from "../core/types.d.ts" */

import { N_, t } from "../core/i18n.js";
import { announce } from "./announce.js";
import { Note } from "./note.js";
import { pref, setPref } from "./preferences.js";
import { boardChoices, cardsOf, offers } from "./selection.js";
import { hasChoices } from "./store.js";

const SHOWN_MS = 15000;
// A click does not close a line that has just appeared.
const MIN_SHOWN_MS = 2500;
const DELAY_MS = 900;

/** @type {Record<string, string>} By the type of an action, or "dark" or "hold". */
const LESSONS = {
  pistol: N_("Pistol: instead of moving a pirate, you may look at another player's hand and take one card."),
  rum: N_(
    "Rum: instead of moving a pirate, you may draw cards, keep two and give one to each of the others.",
  ),
  lantern: N_(
    "Lantern: instead of moving a pirate, you may look at the top four cards of the deck and keep one.",
  ),
  parrot: N_("Parrots: two of them together count as a card with any symbol."),
  hook: N_("Hook: with a second card it moves two of your pirates from the same space, for two actions."),
  chest: N_("Chest: your pirate stands on one. A chest card opens it: cards, nothing, or the snake."),
  morgan: N_(
    "Morgan: send another player's pirate forward to the nearest one or two pirates, and draw as many cards.",
  ),
  sail: N_(
    "Sailing needs no card. If no one has more pirates aboard than you, your first sail of a turn is free.",
  ),
  draw: N_("Your hand is empty: you may draw one card, which ends your turn."),
  dark: N_(
    "Dark card: when you play one, every other player with more than seven cards discards down to seven.",
  ),
  hold: N_(
    "To learn what a card, space or sign does, press and hold it, right-click it, or press “?” on the keyboard.",
  ),
};

/**
 * Return the lessons that the choices offer, in the order of LESSONS.
 * @param {Choice[]} choices
 */
function lessonsIn(choices) {
  const offered = new Set(choices.map(({ action }) => /** @type {string} */ (action.type)));
  if (choices.some(({ action }) => cardsOf(action).some((card) => card.endsWith("*")))) offered.add("dark");
  return Object.keys(LESSONS).filter((name) => offered.has(name));
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

  function teach() {
    const state = /** @type {GameState} */ (store.state);
    if (!hasChoices(state) || state.isWaiting || state.past || !note.element.hidden) return;
    const { choices, selection, view, you } = state;
    const own = boardChoices(choices);
    if (!own.length) return;
    const turn = `${you.seat} ${view.turn.seat} ${view.forced_passes} ${state.table.id}`;
    const chosen = lessonsIn(offers(choices, selection).list).find(isNew);
    const next = chosen ?? (taughtTurn === turn ? undefined : [...lessonsIn(own), "hold"].find(isNew));
    if (!next) return;
    taughtTurn = turn;
    setPref("lessons", [...pref("lessons"), next]);
    const words = t(LESSONS[next]);
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
    timer = setTimeout(teach, DELAY_MS);
  }
  addEventListener("pointerdown", () => Date.now() - shownAt > MIN_SHOWN_MS && note.hide());
  store.subscribe(["choices", "selection"], schedule);
  schedule();
}
