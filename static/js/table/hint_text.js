// The reason of a hint as a sentence, from the server's code and numbers (docs/protocol.md, "hint").

/** @import {Room} from "../core/types.d.ts" */

import { formatPercent, t, tn } from "../core/i18n.js";

/**
 * `n` is what the action or its turn reaches, `other` what the runner-up does.
 * @type {Record<string, (params: Record<string, number>) => string>}
 */
const HINT_REASONS = {
  wins: () => t("This wins the game."),
  wins_turn: () => t("With this you can win this turn."),
  home: ({ n }) => tn("This brings {n} pirate to the goal.", "This brings {n} pirates to the goal.", n),
  home_turn: ({ n }) =>
    tn(
      "With this you can bring {n} pirate to the goal this turn.",
      "With this you can bring {n} pirates to the goal this turn.",
      n,
    ),
  out: ({ n }) => tn("This gets {n} pirate under way.", "This gets {n} pirates under way.", n),
  out_turn: ({ n }) =>
    tn(
      "With this you can get {n} pirate under way this turn.",
      "With this you can get {n} pirates under way this turn.",
      n,
    ),
  draws: ({ n }) => tn("This draws {n} card.", "This draws {n} cards.", n),
  draws_turn: ({ n }) =>
    tn("With this you can draw {n} card this turn.", "With this you can draw {n} cards this turn.", n),
  jump: ({ n }) =>
    tn(
      "This jumps {n} space ahead, and nothing else jumps further.",
      "This jumps {n} spaces ahead, and nothing else jumps further.",
      n,
    ),
  jump_turn: ({ n }) =>
    tn(
      "With this you can jump {n} space this turn, further than any card takes you now.",
      "With this you can jump {n} spaces this turn, further than any card takes you now.",
      n,
    ),
  spaces: ({ n, other }) =>
    other > 0
      ? tn(
          "With this you can get {n} space further this turn; the next best turn gets {other}.",
          "With this you can get {n} spaces further this turn; the next best turn gets {other}.",
          n,
          { other },
        )
      : tn(
          "With this you can get {n} space further this turn.",
          "With this you can get {n} spaces further this turn.",
          n,
        ),
  loses_little: ({ n, other }) =>
    n
      ? tn(
          "With this you go back only {n} space this turn; with the next best turn it's {other}.",
          "With this you go back only {n} spaces this turn; with the next best turn it's {other}.",
          n,
          { other },
        )
      : t("With this you don't lose ground this turn."),
  last: ({ n }) =>
    tn(
      "With this your last pirate can get {n} space further this turn.",
      "With this your last pirate can get {n} spaces further this turn.",
      n,
    ),
  rear: ({ n }) =>
    tn(
      "With this the rear half of your pirates can get {n} space further this turn.",
      "With this the rear half of your pirates can get {n} spaces further this turn.",
      n,
    ),
  saves: ({ n, other }) =>
    tn(
      "With this you have {n} card left after this turn; the next best turn leaves {other}.",
      "With this you have {n} cards left after this turn; the next best turn leaves {other}.",
      n,
      { other },
    ),
  company: ({ n }) =>
    tn(
      "This leaves you a retreat that could draw {n} card next turn.",
      "This leaves you a retreat that could draw {n} cards next turn.",
      n,
    ),
  company_turn: ({ n }) =>
    tn(
      "With this you can end your turn with a retreat left that could draw {n} card.",
      "With this you can end your turn with a retreat left that could draw {n} cards.",
      n,
    ),
  retreats_left: ({ n }) =>
    tn(
      "This leaves you {n} pirate that could retreat next turn.",
      "This leaves you {n} pirates that could retreat next turn.",
      n,
    ),
  retreats_left_turn: ({ n }) =>
    tn(
      "With this you can end your turn with {n} pirate that could retreat.",
      "With this you can end your turn with {n} pirates that could retreat.",
      n,
    ),
  jump_left: ({ n }) =>
    tn(
      "With the cards you keep you could jump {n} space next.",
      "With the cards you keep you could jump {n} spaces next.",
      n,
    ),
  jump_left_turn: ({ n }) =>
    tn(
      "With this you can end your turn with a card for a jump of {n} space.",
      "With this you can end your turn with a card for a jump of {n} spaces.",
      n,
    ),
  last_jump_left: ({ n }) =>
    tn(
      "With the cards you keep your last pirate could jump {n} space next.",
      "With the cards you keep your last pirate could jump {n} spaces next.",
      n,
    ),
  last_jump_left_turn: ({ n }) =>
    tn(
      "With this you can end your turn with a card that could take your last pirate {n} space ahead.",
      "With this you can end your turn with a card that could take your last pirate {n} spaces ahead.",
      n,
    ),
  reach: ({ n, other }) =>
    tn(
      "The cards you keep could jump {n} space in all; the next best choice leaves {other}.",
      "The cards you keep could jump {n} spaces in all; the next best choice leaves {other}.",
      n,
      { other },
    ),
  reach_turn: ({ n, other }) =>
    tn(
      "With this you can end your turn with cards that could jump {n} space in all; the next best turn leaves {other}.",
      "With this you can end your turn with cards that could jump {n} spaces in all; the next best turn leaves {other}.",
      n,
      { other },
    ),
  variety: ({ n }) =>
    tn(
      "With this you can end your turn with {n} symbol in hand.",
      "With this you can end your turn with {n} different symbols in hand.",
      n,
    ),
  copies: ({ n }) =>
    tn(
      "You have {n} card with this symbol, so you can spare it.",
      "You have {n} cards with this symbol, so you can spare one.",
      n,
    ),
  gives_little: ({ n, other }) =>
    n
      ? tn(
          "With this you help the others only {n} space forward this turn; with the next best turn it's {other}.",
          "With this you help the others only {n} spaces forward this turn; with the next best turn it's {other}.",
          n,
          { other },
        )
      : t("With this you don't help the others forward this turn."),
  spares_leader: ({ n, other }) =>
    n
      ? tn(
          "With this you help your strongest rival only {n} space forward; with the next best turn it's {other}.",
          "With this you help your strongest rival only {n} spaces forward; with the next best turn it's {other}.",
          n,
          { other },
        )
      : t("With this you don't help your strongest rival forward."),
  denies_jump: ({ n }) =>
    tn(
      "After this no one else can jump more than {n} space at once.",
      "After this no one else can jump more than {n} spaces at once.",
      n,
    ),
  denies_jump_turn: ({ n }) =>
    tn(
      "With this you can end your turn so that no one else can jump more than {n} space at once.",
      "With this you can end your turn so that no one else can jump more than {n} spaces at once.",
      n,
    ),
  denies_retreat: ({ n }) =>
    n
      ? t("After this no one else can draw two cards with one retreat.")
      : t("After this no one else can retreat."),
  denies_retreat_turn: ({ n }) =>
    n
      ? t("With this you can end your turn so that no one else can draw two cards with one retreat.")
      : t("With this you can end your turn so that no one else can retreat."),
  aboard: ({ n }) =>
    tn(
      "With this you have {n} pirate aboard the sloop.",
      "With this you have {n} pirates aboard the sloop.",
      n,
    ),
  aboard_turn: ({ n }) =>
    tn(
      "With this you can end your turn with {n} pirate aboard the sloop.",
      "With this you can end your turn with {n} pirates aboard the sloop.",
      n,
    ),
  ferries: ({ n }) =>
    tn(
      "With this you can take {n} pirate across on the sloop this turn.",
      "With this you can take {n} pirates across on the sloop this turn.",
      n,
    ),
  fetches: () => t("With this you can fetch the sloop back this turn."),
  // Sent by servers before this release.
  sails: () => t("This takes the sloop where you need it."),
  dark: ({ n }) =>
    tn("With this the others must discard {n} card.", "With this the others must discard {n} cards.", n),
  dark_turn: ({ n }) =>
    tn(
      "With this you can make the others discard {n} card this turn.",
      "With this you can make the others discard {n} cards this turn.",
      n,
    ),
  dark_left: ({ n }) => tn("With this you keep {n} dark card.", "With this you keep {n} dark cards.", n),
  aims: () => t("This takes a card of your choice from another player."),
  rum: () => t("This lets you choose two cards from a round of rum."),
  lantern: () => t("This lets you pick the best of the next cards."),
  chest: () => t("This may get you cards from the chest."),
  nothing_better: () => t("This is all you can do now."),
  best_chance: ({ n, other }) =>
    t("This keeps your best chance to win: {chance}; the next best action keeps {next}.", {
      chance: formatPercent(n / 100),
      next: formatPercent(other / 100),
    }),
  little_between: ({ n }) =>
    t("Several actions are about equally good here: your chance to win is {chance}.", {
      chance: formatPercent(n / 100),
    }),
  moves_on: () => t("This moves the game on."),
  keeps_best: () => t("This keeps the cards that help you most."),
  unexplained: () => t("This is a simple action: there was no time to look for the best."),
};

/**
 * Return the sentence for a hint's reason {why, params}. A newer server may give one that this page does not know.
 * @param {Room["hintWhy"]} reason
 */
export function describeHint(reason) {
  const { why, params } = reason ?? {};
  const sentence =
    HINT_REASONS[String(why)]?.(/** @type {Record<string, number>} */ (params)) ??
    t("This is what a good sailor would do.");
  return t("Hint: {reason}", { reason: sentence });
}
