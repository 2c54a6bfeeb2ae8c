// Animates cards between hands, deck, row and discards. The table already shows the result.

/** @import {Card, GameEvent} from "../core/types.d.ts" */

import { canAnimate, fly } from "../board/animate.js";
import { cardBack, cardFace } from "./cards.js";

/**
 * The elements between which cards fly. `element` returns the one of a card in the player's hand, or of a seat.
 * @typedef {object} CardPlaces
 * @property {number | null} seat the viewer's seat
 * @property {{ element: (card: Card) => Element | null, root: Element | null }} hand
 * @property {{ element: (seat: number) => Element | null }} seats
 * @property {Record<"deck" | "row" | "discards", Element>} supply
 */

/** @param {GameEvent} event */
const playedCards = (event) =>
  event.cards ?? /** @type {Card[]} */ ([event.card, event.with].filter(Boolean));

/**
 * Animate the cards that the events move.
 * @param {GameEvent[]} events
 * @param {CardPlaces} options
 */
export function flyCards(events, { seat, hand, seats, supply }) {
  if (!canAnimate()) return;
  /**
   * @param {number} who
   * @param {Card | null} [card]
   */
  const holder = (who, card) =>
    who === seat ? (card && hand.element(card)) || hand.root : seats.element(who);
  let delay = 0;
  /**
   * @param {Card | null} card
   * @param {Element | null} from
   * @param {Element | null} to
   */
  const send = (card, from, to) => {
    fly(card ? cardFace(card, "small") : cardBack("small"), from, to, { delay });
    delay += 90;
  };
  for (const event of events) {
    switch (event.type) {
      case "advanced":
      case "parrot_advanced":
      case "hook_advanced":
      case "pistol_aimed":
      case "rum_poured":
      case "lantern_lit":
      case "chest_opened":
      case "cards_discarded":
        for (const card of playedCards(event)) send(card, holder(event.seat, card), supply.discards);
        break;
      case "cards_drawn":
        for (let n = 0; n < Math.min(event.count, 3); n += 1) {
          send(
            event.cards?.[n] ?? null,
            event.source === "row" ? supply.row : supply.deck,
            holder(event.seat, event.cards?.[n]),
          );
        }
        break;
      case "card_stolen":
        send(event.card, holder(event.from), holder(event.seat, event.card));
        break;
      default:
    }
  }
}
