// Why a hint is what it is, in one clause: the server's code and numbers (docs/protocol.md, "hint") as a sentence.

import { t, tn } from "../core/i18n.js";

const reasons = {
  wins: () => t("A hint: this wins the game."),
  home: () => t("A hint: this brings a pirate home."),
  out: () => t("A hint: this gets a pirate under way."),
  last: () => t("A hint: this brings the hindmost along."),
  jump: ({ n }) => tn("A hint: this jumps {n} space.", "A hint: this jumps {n} spaces.", n),
  company: () => t("A hint: this keeps company for the next draw."),
  draws: ({ n }) => tn("A hint: this draws {n} card.", "A hint: this draws {n} cards.", n),
  sails: () => t("A hint: this takes the sloop where it is needed."),
  saves: () => t("A hint: this saves cards for a better turn."),
  nothing_better: () => t("A hint: nothing better is left to do."),
  aims: () => t("A hint: this takes a good card from somebody."),
  rum: () => t("A hint: this brings cards from a round of rum."),
  lantern: () => t("A hint: this picks the best of the next cards."),
  chest: () => t("A hint: this may bring cards from the chest."),
  keeps_best: () => t("A hint: this keeps the best cards."),
};

/** The sentence for a hint's reason {why, params}; an older server, or a newer one, may give none that we know. */
export function hintText({ why, params }) {
  return reasons[why]?.(params) ?? t("A hint: this is what a good sailor would do.");
}
