// What a player sees beside the board of a puzzle.

/** @import {Card, Seat, View} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { pirateIcon, symbolIcon } from "../core/icons.js";
import { cardCount, cardName, letterOf, seatName } from "../core/names.js";

/** @param {Card[]} cards */
const MiniCards = (cards) =>
  cards.map((card) =>
    el(
      card.endsWith("*") ? "span.mini-card.is-dark" : "span.mini-card",
      { title: cardName(card) },
      symbolIcon(card, "symbol"),
      el("span.hidden", {}, cardName(card)),
    ),
  );

/**
 * List what else the player sees: the row, and the other hands as far as they are open.
 * @param {{ view: View, seat: number }} position
 * @param {Seat[]} seats
 */
export function PuzzleFacts({ view, seat }, seats) {
  const others = view.players.flatMap(({ hand, cards }, at) =>
    at === seat
      ? []
      : [
          el(
            "li",
            {},
            pirateIcon(at, letterOf(at)),
            el("b", {}, seatName(seats, at)),
            ...(hand ? MiniCards(hand) : [cardCount(Number(cards))]),
          ),
        ],
  );
  const row =
    view.options.supply === "row" ? el("li", {}, el("b", {}, t("Row")), ...MiniCards(view.row)) : null;
  return [row, ...others];
}
