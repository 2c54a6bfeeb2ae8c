// The options of a table as a list of sentences, including its clock.

/** @import {ClockRule, Options, Table} from "../core/types.d.ts" */

import { N_, t, tn } from "../core/i18n.js";
import { poolName } from "../core/rating_text.js";

/** @type {Record<Options["card_gain"], string>} */
const gains = {
  retreat: N_("You win cards by retreating."),
  morgan: N_("You win cards with Morgan, by sending other players' pirates forward."),
  both: N_("You win cards by retreating or with Morgan."),
  split: N_("You win cards by retreating in the passage and with Morgan in the jungle."),
};

/**
 * Describe a table's clock in a sentence.
 * @param {ClockRule | null} clock
 */
function describeClock(clock) {
  switch (clock?.kind) {
    case "turn":
      return tn("{n} second per turn.", "{n} seconds per turn.", clock.seconds);
    case "bank":
      return t("{time} each, plus {more} per turn.", {
        time: tn("{n} minute", "{n} minutes", Math.round(clock.seconds / 60)),
        more: tn("{n} second", "{n} seconds", clock.increment),
      });
    case "days":
      return tn("{n} day per turn.", "{n} days per turn.", clock.days);
    default:
      return t("No clock.");
  }
}

/** @param {Table} table */
export function optionLines({ options, clock, hints, spectators, rated }) {
  const lines = [
    options.hands === "open" ? t("Hands are face up.") : t("Hands are hidden."),
    options.supply === "row"
      ? tn(
          "Cards come from a face-up row of {n} card.",
          "Cards come from a face-up row of {n} cards.",
          options.row_size,
        )
      : t("Cards come from a face-down deck."),
    tn("Each player has {n} pirate.", "Each player has {n} pirates.", options.pirates),
    t("Actions per turn: at least {min}, at most {max}.", { min: options.min_actions, max: options.actions }),
    t(gains[options.card_gain]),
  ];
  if (options.scoundrels)
    lines.push(t("Scoundrels: dark cards make the others discard down to seven cards."));
  if (options.black_magic) lines.push(t("Black magic: cards have powers."));
  lines.push(describeClock(clock));
  if (rated) lines.push(t("This game is rated: {pool}.", { pool: poolName(rated.pool) }));
  if (hints) lines.push(t("Players may ask for hints."));
  if (spectators === false) lines.push(t("Spectators are not allowed."));
  return lines;
}
