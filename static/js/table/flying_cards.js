// Cards that fly: from hand to discards, from deck or row to a hand. An ornament; the table already shows the result.

import { fly, mayMove } from "../board/animate.js";
import { cardBack, cardFace } from "./cards.js";

const played = (event) => event.cards ?? [event.card, event.with].filter(Boolean);

/** flyCards(events, {seat, hand, seats, supply}): `seat` is the viewer's. */
export function flyCards(events, { seat, hand, seats, supply }) {
  if (!mayMove()) return;
  const holder = (who, card) => (who === seat ? (card && hand.element(card)) || hand.root : seats.element(who));
  let delay = 0;
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
        for (const card of played(event)) send(card, holder(event.seat, card), supply.discards);
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
