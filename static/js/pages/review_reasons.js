// Why a turn was better than the one played, as a sentence: `n` is what it reaches, `other` what the turn played did.

/** @import {ReviewTurn} from "../core/types.d.ts" */

import { formatPercent, t, tn } from "../core/i18n.js";

/** @type {Record<string, (params: { n: number, other: number }) => string>} */
const REVIEW_REASONS = {
  wins: () => t("It wins the game."),
  home: ({ n, other }) =>
    tn(
      "It brings {n} pirate to the goal instead of {other}.",
      "It brings {n} pirates to the goal instead of {other}.",
      n,
      { other },
    ),
  out: ({ n, other }) =>
    tn(
      "It gets {n} pirate under way instead of {other}.",
      "It gets {n} pirates under way instead of {other}.",
      n,
      { other },
    ),
  draws: ({ n, other }) =>
    tn("It draws {n} card instead of {other}.", "It draws {n} cards instead of {other}.", n, { other }),
  jump: ({ n, other }) =>
    tn(
      "Its longest jump is {n} space instead of {other}.",
      "Its longest jump is {n} spaces instead of {other}.",
      n,
      { other },
    ),
  spaces: ({ n, other }) =>
    other >= 0
      ? tn(
          "It gets {n} space further instead of {other}.",
          "It gets {n} spaces further instead of {other}.",
          n,
          {
            other,
          },
        )
      : tn(
          "It gets {n} space further; the turn played went back.",
          "It gets {n} spaces further; the turn played went back.",
          n,
        ),
  loses_little: ({ n, other }) =>
    tn("It goes back {n} space instead of {other}.", "It goes back {n} spaces instead of {other}.", n, {
      other,
    }),
  last: ({ n }) =>
    tn("It gets the last pirate {n} space further.", "It gets the last pirate {n} spaces further.", n),
  rear: ({ n }) =>
    tn(
      "It gets the rear half of the pirates {n} space further.",
      "It gets the rear half of the pirates {n} spaces further.",
      n,
    ),
  saves: ({ n, other }) =>
    tn(
      "It leaves {n} card in hand instead of {other}.",
      "It leaves {n} cards in hand instead of {other}.",
      n,
      { other },
    ),
  company: ({ n }) =>
    tn("It leaves a retreat that could draw {n} card.", "It leaves a retreat that could draw {n} cards.", n),
  retreats_left: ({ n, other }) =>
    tn(
      "It leaves {n} pirate that could retreat instead of {other}.",
      "It leaves {n} pirates that could retreat instead of {other}.",
      n,
      { other },
    ),
  jump_left: ({ n, other }) =>
    tn(
      "It keeps cards for a jump of {n} space instead of {other}.",
      "It keeps cards for a jump of {n} spaces instead of {other}.",
      n,
      { other },
    ),
  last_jump_left: ({ n, other }) =>
    tn(
      "It keeps a card that could take the last pirate {n} space ahead instead of {other}.",
      "It keeps a card that could take the last pirate {n} spaces ahead instead of {other}.",
      n,
      { other },
    ),
  reach: ({ n, other }) =>
    tn(
      "The cards it keeps could jump {n} space in all instead of {other}.",
      "The cards it keeps could jump {n} spaces in all instead of {other}.",
      n,
      { other },
    ),
  variety: ({ n, other }) =>
    tn(
      "It leaves {n} symbol in hand instead of {other}.",
      "It leaves {n} different symbols in hand instead of {other}.",
      n,
      { other },
    ),
  gives_little: ({ n, other }) =>
    tn(
      "It helps the others {n} space forward instead of {other}.",
      "It helps the others {n} spaces forward instead of {other}.",
      n,
      { other },
    ),
  spares_leader: ({ n, other }) =>
    tn(
      "It helps the strongest rival {n} space forward instead of {other}.",
      "It helps the strongest rival {n} spaces forward instead of {other}.",
      n,
      { other },
    ),
  denies_jump: ({ n, other }) =>
    tn(
      "It leaves the others a jump of {n} space at most instead of {other}.",
      "It leaves the others a jump of {n} spaces at most instead of {other}.",
      n,
      { other },
    ),
  denies_retreat: ({ n }) =>
    n ? t("It leaves the others no retreat that draws two cards.") : t("It leaves the others no retreat."),
  aboard: ({ n, other }) =>
    tn(
      "It has {n} pirate aboard the sloop at the end instead of {other}.",
      "It has {n} pirates aboard the sloop at the end instead of {other}.",
      n,
      { other },
    ),
  ferries: ({ n, other }) =>
    tn(
      "It takes {n} pirate across on the sloop instead of {other}.",
      "It takes {n} pirates across on the sloop instead of {other}.",
      n,
      { other },
    ),
  fetches: () => t("It fetches the sloop back."),
  dark: ({ n, other }) =>
    tn(
      "It makes the others discard {n} card instead of {other}.",
      "It makes the others discard {n} cards instead of {other}.",
      n,
      { other },
    ),
  aims: () => t("It takes a card of one's choice from another player."),
  rum: () => t("It lets one choose two cards from a round of rum."),
  lantern: () => t("It lets one pick the best of the next cards."),
  chest: () => t("It may get cards from the chest."),
  best_chance: ({ n, other }) =>
    t("On the whole it keeps a chance to win of {chance} instead of {other}.", {
      chance: formatPercent(n / 100),
      other: formatPercent(other / 100),
    }),
};

/**
 * Return why the better turn was better; "" without a reason that this page knows.
 * @param {ReviewTurn["better_why"]} reason
 */
export const describeBetter = (reason) => (reason ? (REVIEW_REASONS[reason.why]?.(reason.params) ?? "") : "");
