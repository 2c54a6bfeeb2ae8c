// Announces changes outside the visible page: live regions, sounds, page title and favicon.

/** @import {GameEvent, LogLine, Seat, StateStore, Table, View} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { presetName } from "../core/names.js";
import { countTurns, showTabIcon, withTurnCount } from "../core/turn_count.js";
import { CONNECTION_STATES } from "./connection.js";
import { vibrateForTurn, withSound } from "./sound_and_vibration.js";
import { hasChoices } from "./store.js";

// Earlier sentences stay in the live region, so that a slow screen reader can finish them.
const MAX_SENTENCES = 6;

/**
 * Put a sentence into a live region. Each has its own element, so that simultaneous and repeated sentences are all read.
 * @param {string | undefined} text
 * @param {boolean} [urgent]
 */
export function announce(text, urgent = false) {
  const region = document.getElementById(urgent ? "live-alert" : "live-polite");
  if (!text || !region) return;
  region.append(el("p", {}, text));
  while (region.children.length > MAX_SENTENCES) region.firstElementChild?.remove();
}

/**
 * Show in the tab's title and icon whether it is the player's turn.
 * @param {boolean} isTurn
 * @param {string} title
 */
function showTurnInTab(isTurn, title) {
  const tabTitle = withTurnCount(isTurn ? t("Your turn – {title}", { title }) : title);
  if (document.title !== tabTitle) document.title = tabTitle;
  showTabIcon(isTurn || countTurns() > 0);
}

/**
 * Join sentences with semicolons. Each is a whole clause, so this works in every language.
 * @param {string[]} texts
 */
export const joinSentences = (texts) =>
  texts
    .map((text) => text.replace(/\.$/, ""))
    .join("; ")
    .replace(/[^!?…]$/, "$&.");

/**
 * TurnNarrator(say) -> {add(line, events, seats), flush()}. A person's action is announced at once. A bot's actions are
 * announced together at the end of its turn, because they come too fast to be read out one by one.
 */
export function TurnNarrator(say = announce) {
  /** @type {string[]} */
  let texts = [];
  function flush() {
    if (texts.length) say(joinSentences(texts));
    texts = [];
  }
  return {
    flush,
    /**
     * @param {LogLine} line
     * @param {GameEvent[]} events
     * @param {Seat[]} seats
     */
    add(line, events, seats) {
      const isBot = Boolean(line?.texts && seats[/** @type {number} */ (line.seat)]?.bot);
      if (!isBot) {
        flush();
        say(line?.text);
        return;
      }
      texts.push(.../** @type {string[]} */ (line.texts));
      if (events.some(({ type }) => type === "turn_passed" || type === "game_won")) flush();
    },
  };
}

/**
 * Announce all changes of the store from now on.
 * @param {StateStore} store
 */
export function announceChanges(store) {
  const turns = TurnNarrator();
  store.subscribe(["connection"], ({ connection }) => {
    if (CONNECTION_STATES[connection]?.isReadOut) announce(t(CONNECTION_STATES[connection].text), true);
  });
  store.subscribe(["you"], ({ you }) => {
    // The name in the page header may predate the player's name.
    const shown = document.querySelector(".who-name");
    if (you.name && shown && shown.textContent !== you.name) shown.textContent = you.name;
  });
  store.subscribe(["refusal"], ({ refusal }) => {
    if (!refusal) return;
    announce(refusal.text, true);
    withSound(({ playSound }) => playSound("refuse"));
  });
  store.subscribe(["seq"], (state, _, { line, events = [] }) => {
    if (line?.text) turns.add(line, events, /** @type {Table} */ (state.table).seats);
    withSound(({ playSoundOf }) => playSoundOf(events, state.you.seat));
  });
  store.subscribe(["choices", "table"], (state, before) => {
    if (!state.table) return;
    // "It is your turn." is no longer true.
    if (state.table.status === "finished" && before.table?.status === "running")
      document.getElementById("live-alert")?.replaceChildren();
    showTurnInTab(
      hasChoices(state),
      `${state.table.title || presetName(state.table.options.preset)} · Cartagena`,
    );
    if (!hasChoices(state) || hasChoices(before)) return;
    turns.flush();
    withSound(({ playSound }) => playSound("turn"));
    vibrateForTurn();
    announce(
      /** @type {View} */ (state.view).pending ? t("You have a choice to make.") : t("It is your turn."),
      true,
    );
  });
}
