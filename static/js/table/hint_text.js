// The reason of a hint as a sentence, from the server's code and numbers (docs/protocol.md, "hint").

/** @import {Room} from "../core/types.d.ts" */

import { t, tn } from "../core/i18n.js";

/** @type {Record<string, (params: Record<string, number>) => string>} */
const reasons = {
  wins: () => t("Hint: this wins the game."),
  home: () => t("Hint: this brings a pirate to the goal."),
  out: () => t("Hint: this gets a pirate under way."),
  last: () => t("Hint: this moves your last pirate along."),
  jump: ({ n }) => tn("Hint: this jumps {n} space ahead.", "Hint: this jumps {n} spaces ahead.", n),
  company: () => t("Hint: this leaves pirates to retreat to for your next draw."),
  draws: ({ n }) => tn("Hint: this draws {n} card.", "Hint: this draws {n} cards.", n),
  sails: () => t("Hint: this takes the sloop where you need it."),
  saves: () => t("Hint: this saves cards for a better turn."),
  nothing_better: () => t("Hint: there is nothing better to do."),
  aims: () => t("Hint: this takes a good card from another player."),
  rum: () => t("Hint: this gets you cards from a round of rum."),
  lantern: () => t("Hint: this lets you pick the best of the next cards."),
  chest: () => t("Hint: this may get you cards from the chest."),
  keeps_best: () => t("Hint: this keeps the best cards."),
};

/**
 * Return the sentence for a hint's reason {why, params}. A newer server may give one that this page does not know.
 * @param {Room["hintWhy"]} reason
 */
export function describeHint(reason) {
  const { why, params } = reason ?? {};
  return (
    reasons[String(why)]?.(/** @type {Record<string, number>} */ (params)) ??
    t("Hint: this is what a good sailor would do.")
  );
}
