// The lines of lessons.js.

import { N_ } from "../core/i18n.js";

/** @type {Record<string, string>} By the type of an action, or "dark" or "hold". */
export const LESSONS = {
  pistol: N_("Pistol: instead of moving a pirate, you may look at another player's hand and take one card."),
  rum: N_(
    "Rum: instead of moving a pirate, you may draw cards, keep two and give one to each of the others.",
  ),
  lantern: N_(
    "Lantern: instead of moving a pirate, you may look at the top four cards of the deck and keep one.",
  ),
  parrot: N_("Parrots: two of them together count as a card with any symbol."),
  hook: N_("Hook: with a second card it moves two of your pirates from the same space, for two actions."),
  chest: N_("Chest: your pirate stands on one. A chest card opens it: cards, nothing, or the snake."),
  morgan: N_(
    "Morgan: send another player's pirate forward to the nearest one or two pirates, and draw as many cards.",
  ),
  sail: N_(
    "Sailing needs no card. If no one has more pirates aboard than you, your first sail of a turn is free.",
  ),
  draw: N_("Your hand is empty: you may draw one card, which ends your turn."),
  dark: N_(
    "Dark card: when you play one, every other player with more than seven cards discards down to seven.",
  ),
  hold: N_("To learn what a card, space or sign does, right-click it, or press “?” on the keyboard."),
  touch: N_("To learn what a card, space or sign does, press and hold it."),
};
