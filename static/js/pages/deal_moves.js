// Actions of a deal of the day in words: "advance from the prison with a key". They are told without a position, so the
// sentences name where a pirate started and not where it ended.

/** @import {Action, ActionOf, ActionType, Place, View} from "../core/types.d.ts" */

import { t } from "../core/i18n.js";
import { cardObject, describeCardObjects, fromToWords, placeAt } from "../core/names.js";

/** @typedef {(action: Action, view: View) => string} Phrase */

/**
 * @param {View} view
 * @param {Place} place
 */
const from = (view, place) => fromToWords(view, place, place).from;

/** @type {{ [T in ActionType]?: (action: ActionOf<T>, view: View) => string }} */
const phrases = {
  advance: (action, view) =>
    t("Advance {from} with {card}.", { from: from(view, action.from), card: cardObject(action.card) }),
  retreat: (action, view) => t("Retreat {from}.", { from: from(view, action.from) }),
  morgan: (action, view) =>
    t("Send another player's pirate forward {from}.", { from: from(view, action.from) }),
  sail: () => t("Sail."),
  draw: () => t("Draw a relief card."),
  end: () => t("End the turn."),
  pistol: () => t("Point a pistol at another player."),
  steal: (action) => t("Take {card} from that hand.", { card: cardObject(action.card) }),
  rum: () => t("Pour rum."),
  share: (action) => t("Keep {cards}.", { cards: describeCardObjects(action.keep) }),
  lantern: () => t("Light a lantern."),
  stack: (action) => t("Keep {cards}.", { cards: describeCardObjects([action.keep]) }),
  parrot: (action, view) =>
    t("Advance {from} with two parrots as {card}.", {
      from: from(view, action.from),
      card: cardObject(action.as),
    }),
  hook: (action, view) =>
    t("Advance two pirates {from} with a hook and {card}.", {
      from: from(view, action.from),
      card: cardObject(action.with),
    }),
  chest: (action, view) => t("Open the chest {at}.", { at: placeAt(view, action.from) }),
  discard: (action) => t("Discard {cards}.", { cards: describeCardObjects(action.cards) }),
};

/**
 * Return one sentence per action.
 * @param {Action[]} actions
 * @param {string} scenario
 */
export function describeActions(actions, scenario) {
  const view = /** @type {View} */ ({ options: { scenario } });
  return actions.map(
    (action) => /** @type {Phrase | undefined} */ (phrases[action.type])?.(action, view) ?? action.type,
  );
}
