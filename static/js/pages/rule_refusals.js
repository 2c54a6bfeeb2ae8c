// What the rules refuse, in the reader's language: the server's sentence is recognised by its pattern, its words
// (cards, places, seats) are taken out and put into the translated sentence. Loaded when a refusal comes.

import { N_, t } from "../core/i18n.js";
import { cardName, symbolName } from "../core/names.js";

const places = { start: N_("the start"), sloop: N_("the sloop"), goal: N_("the goal") };
const modules = { Morgan: N_("Morgan"), "a sailing sloop": N_("a sailing sloop"), "black magic": N_("black magic") };

/** How each kind of word is said; those without an entry (numbers) stay as they are. */
const say = {
  card: (word) => cardName(word),
  symbol: (word) => symbolName(word),
  place: (word) => (places[word] ? t(places[word]) : t("space {n}", { n: word })),
  module: (word) => t(modules[word] ?? word),
};

export const PATTERNS = [
  N_("Nothing is owed now, so there is nothing to answer."),
  N_("Take at least {n} action(s) before you end your turn."),
  N_("This table plays without {module}."),
  N_("All actions of this turn are taken: only ending the turn is left."),
  N_("That is not one of the choices you have: use each card before you exactly once."),
  N_("A choice is owed first: answer it before you do anything else."),
  N_("You do not hold the card {card} twice."),
  N_("You do not hold the card {card}."),
  N_("You do not hold {card} that often."),
  N_("This route has no place {where}."),
  N_("No pirate of yours stands at {place}."),
  N_("No pirate of yours stands on space {n}."),
  N_("To sail to tortuga you need a pirate aboard."),
  N_("To sail back to cartagena you need a pirate at the start or in the passage."),
  N_("Deck and discards hold too few cards for a round of rum."),
  N_("No face-down chest lies under that pirate."),
  N_("That power needs exactly two parrot cards."),
  N_("That power needs a {symbol} card."),
  N_("The symbol {symbol} is not in this game."),
  N_("A pirate at the goal cannot advance."),
  N_("Aboard the sloop a card works only while it lies at tortuga."),
  N_("No empty space of that symbol lies ahead, and the sloop cannot take the pirate aboard."),
  N_("At this table cards are won by Morgan: there is no retreat."),
  N_("A pirate at the start has nowhere to fall back to."),
  N_("From the sloop a pirate falls back only while it lies at cartagena."),
  N_("In the jungle of this table there is no retreat, only Morgan."),
  N_("No company stands behind that pirate: a retreat needs a space with one or two pirates."),
  N_("This table has the seats 0 to {n}."),
  N_("Morgan moves other players' pirates, not your own."),
  N_("The pirates of a player who has resigned stay where they are."),
  N_("No pirate of that player stands at {place}."),
  N_("Morgan cannot move a pirate that has reached the goal."),
  N_("At this table Morgan rules in the jungle only."),
  N_("Morgan fetches pirates from the sloop only while it lies at tortuga."),
  N_("The sloop cannot take that pirate aboard now."),
  N_("At this table there is no relief for an empty hand."),
  N_("The relief card can be drawn only before the first action of a turn."),
  N_("The relief card is only for a player with an empty hand."),
  N_("Aim the pistol at another player."),
  N_("That player has resigned."),
  N_("That player holds no card."),
  N_("A hook costs two actions, and fewer are left."),
  N_("A hook needs two of your pirates on the same space."),
  N_("There is no room for both pirates where that card leads."),
  N_("That cannot be done now."),
  N_("This seat has resigned already."),
  N_("Exactly {n} of your cards must be discarded."),
  // and what a table cannot be set up with
  N_("The passage scenario has 4 to 8 passage boards and no jungle boards."),
  N_("The jungle scenario has 4 to 8 jungle boards and no passage boards."),
  N_("The complete scenario has 3 to 5 passage boards and 3 to 5 jungle boards, at most 8 in all."),
  N_("The complete scenario needs the relief rest or start: without it some games cannot end."),
  N_("Printed boards need the classic symbols and exactly six boards in all."),
  N_("A turn cannot ask for more actions (min_actions) than it has (actions)."),
  N_("The card gain split needs the complete scenario."),
  N_("Black magic needs the escape symbols and the deck supply."),
  N_("The seat that starts (first) must be one of the players' seats, counted from 0."),
];

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const known = PATTERNS.map((pattern) => {
  const holes = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const shape = pattern.split(/\{\w+\}/).map(escaped).join("(.+?)");
  return { pattern, holes, shape: new RegExp(`^${shape}$`) };
});

/** The sentence in the reader's language, or null where it is not one of the rules'. */
export function ruleRefusal(message) {
  for (const { pattern, holes, shape } of known) {
    const found = shape.exec(message);
    if (!found) continue;
    const words = Object.fromEntries(holes.map((name, at) => [name, (say[name] ?? String)(found[at + 1])]));
    return t(pattern, words);
  }
  return null;
}
