// Sentences for clicks that do nothing. What the page knows it says itself; for the rest it asks the server, which
// answers with the refusal of the action that the click comes nearest to. Loaded at the first such click.

/** @import {Click, GameState, State, StateStore, WhyFrame} from "../core/types.d.ts" */

import { describePending } from "../core/event_text.js";
import { t } from "../core/i18n.js";
import { placeAt, seatName } from "../core/names.js";
import { describeRefusal, describeRefusalCode } from "../core/refusals.js";
import { announce } from "./announce.js";
import { Note } from "./note.js";

const SHOWN_MS = 6000;
// Later answers are dropped: the player has gone on.
const MAX_WAIT_MS = 3000;
const ANSWER_MS = 2500;
const DISCONNECTED = new Set(["connecting", "offline", "lost", "restarting", "reload", "signed_out"]);

/** The answer if the connection is dead and the page has not noticed yet. */
const noAnswer = () => new Promise((done) => setTimeout(() => done({ code: "offline" }), ANSWER_MS));

/**
 * Return the sentence that the page knows without asking, or null.
 * @param {GameState} state
 * @param {Click} click
 */
function knownReason({ view, table, you, connection, past, isWaiting, choices }, { place }) {
  if (view.winner !== null || table.status !== "running") return describeRefusalCode("game_over");
  if (you.seat === null) return t("You are watching. Only the players can move pirates and play cards.");
  if (view.players[you.seat].resigned) return t("You have resigned from this game.");
  if (table.seats[you.seat].bot) return describeRefusalCode("bot_plays");
  if (table.paused) return describeRefusalCode("paused");
  if (past && !past.isPlayback && place !== undefined)
    return t("The board shows an earlier moment. Choose “Back to now” to play on.");
  if (isWaiting) return t("Your last action is still on its way to the server.");
  if (DISCONNECTED.has(connection)) return describeRefusalCode("offline");
  if (view.pending)
    return choices.length
      ? t("You have a choice to make first.")
      : describePending(view.pending, table.seats);
  if (view.turn.seat !== you.seat)
    return t("It's {name}'s turn.", { name: seatName(table.seats, view.turn.seat) });
  return null;
}

/**
 * Why({root, store, ask}) -> {explain(click), reasonFor(click), show(text)}
 * @param {{ root: HTMLElement, store: StateStore, ask: (click: Click) => Promise<unknown> }} parts
 */
export function Why({ root, store, ask }) {
  const note = Note(root);
  let count = 0;
  // A worker of an older release does not know the question.
  let canAsk = true;
  store.subscribe(["choices", "candidates"], note.hide);

  /**
   * Return the sentence for a click that does nothing.
   * @param {Click} click
   */
  async function reasonFor(click) {
    const state = /** @type {GameState} */ (store.state);
    const known = knownReason(state, click);
    if (known !== null) return known;
    const answer = /** @type {Partial<WhyFrame> | null} */ (
      canAsk ? await Promise.race([ask(click).catch((refused) => refused), noAnswer()]) : null
    );
    if (answer?.code === "bad_message") canAsk = false;
    else if (answer?.code) return describeRefusal(/** @type {WhyFrame} */ (answer));
    return click.place === undefined
      ? describeRefusalCode("illegal")
      : t("There is nothing you can do {at}.", { at: placeAt(state.view, click.place) });
  }

  return {
    reasonFor,
    /** @param {Click} click */
    async explain(click) {
      count += 1;
      const [number, from] = [count, Date.now()];
      const sentence = await reasonFor(click);
      if (number !== count || Date.now() - from > MAX_WAIT_MS) return;
      note.show(sentence, SHOWN_MS);
      announce(sentence);
    },
  };
}
