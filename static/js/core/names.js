// Translated names of symbols, colours, places and people, for labels, log and live region.

/** @import {Card, Colour, Place, SeatLooks, View} from "./types.d.ts" */

import { formatList, N_, t, tn } from "./i18n.js";

/** @type {Colour[]} */
export const COLOURS = ["red", "blue", "yellow", "green", "violet"];

/** The symbols of each set in alphabetical order. */
export const SYMBOLS = {
  classic: ["bottle", "dagger", "hat", "key", "pistol", "skull"],
  escape: ["chest", "hook", "lantern", "parrot", "pistol", "rum"],
};

const colourNames = [N_("red"), N_("blue"), N_("yellow"), N_("green"), N_("violet")];

/** @type {Record<string, string>} */
const symbolNames = {
  bottle: N_("bottle"),
  dagger: N_("dagger"),
  hat: N_("hat"),
  key: N_("key"),
  pistol: N_("pistol"),
  skull: N_("skull"),
  chest: N_("chest"),
  hook: N_("hook"),
  lantern: N_("lantern"),
  parrot: N_("parrot"),
  rum: N_("rum"),
};

/** @type {Record<string, string>} */
const presetNames = {
  jamaica: N_("Jamaica"),
  tortuga: N_("Tortuga"),
  hispaniola: N_("Hispaniola"),
  "first-escape": N_("First Escape"),
  dungeon: N_("The Dungeon"),
  jungle: N_("The Jungle"),
  complete: N_("The Complete Escape"),
};

/** @type {Record<string, string>} */
const levelNames = {
  "cabin-boy": N_("Cabin boy"),
  sailor: N_("Sailor"),
  mate: N_("Mate"),
  captain: N_("Captain"),
  legend: N_("Legend"),
};

/** @param {string} preset */
export const presetName = (preset) => t(presetNames[preset] ?? preset);
/** @param {string} level */
export const levelName = (level) => t(levelNames[level] ?? level);
export const LEVELS = Object.keys(levelNames);

/**
 * "key", or "dark key" for a dark card.
 * @param {Card} card
 */
export function cardName(card) {
  const symbol = t(symbolNames[card.replace("*", "")] ?? card);
  return card.endsWith("*") ? t("dark {symbol}", { symbol }) : symbol;
}

/**
 * Cards as the object of a sentence ("plays a key"): with an article, and in the case the language wants.
 * @type {Record<string, (n: number) => string>}
 */
const cardObjects = {
  bottle: (n) => tn("a bottle", "{n} bottles", n),
  dagger: (n) => tn("a dagger", "{n} daggers", n),
  hat: (n) => tn("a hat", "{n} hats", n),
  key: (n) => tn("a key", "{n} keys", n),
  pistol: (n) => tn("a pistol", "{n} pistols", n),
  skull: (n) => tn("a skull", "{n} skulls", n),
  chest: (n) => tn("a chest", "{n} chests", n),
  hook: (n) => tn("a hook", "{n} hooks", n),
  lantern: (n) => tn("a lantern", "{n} lanterns", n),
  parrot: (n) => tn("a parrot", "{n} parrots", n),
  rum: (n) => tn("a rum card", "{n} rum cards", n),
};

/**
 * "a key", "2 keys (dark cards)": goes into {card} of a sentence such as "{name} plays {card}".
 * @param {Card} card
 */
export function cardObject(card, n = 1) {
  const object = cardObjects[card.replace("*", "")]?.(n) ?? card;
  return card.endsWith("*") ? tn("{card} (dark card)", "{card} (dark cards)", n, { card: object }) : object;
}

/** @param {string} symbol */
const symbolName = (symbol) => t(symbolNames[symbol] ?? symbol);

/**
 * Count cards by kind: [["key", 3], ["key*", 1], …], in the order of first occurrence.
 * @param {Card[]} cards
 */
export function countByKind(cards) {
  const counts = new Map();
  for (const card of cards) counts.set(card, (counts.get(card) ?? 0) + 1);
  return [...counts];
}

/**
 * List cards with equal ones counted: "2 × key and hat".
 * @param {Card[]} cards
 */
export function describeCards(cards) {
  return formatList(
    countByKind(cards).map(([card, n]) =>
      n > 1 ? t("{n} × {card}", { n, card: cardName(card) }) : cardName(card),
    ),
  );
}

/**
 * Cards as the object of a sentence: "2 keys and a hat".
 * @param {Card[]} cards
 */
export const describeCardObjects = (cards) =>
  formatList(countByKind(cards).map(([card, n]) => cardObject(card, n)));

/** @param {number} n */
export const cardCount = (n) => tn("{n} card", "{n} cards", n);

/**
 * Return the index (0–4) of a seat's figure and colour. Before colours are chosen, seats take them in order.
 * @param {SeatLooks} seats
 * @param {number} seat
 */
export function lookOf(seats, seat) {
  const at = COLOURS.indexOf(/** @type {Colour} */ (seats?.[seat]?.colour));
  return at < 0 ? seat % 5 : at;
}

/** @param {number} look */
export const colourName = (look) => t(colourNames[look]);

/**
 * Return the letter on a figure. It is not translated, because two colours may share an initial.
 * @param {number} look
 */
export const letterOf = (look) => "RBYGV"[look];

/**
 * Return a person's name, or a placeholder for a deleted person.
 * @param {string | null | undefined} name
 */
export const personName = (name) => name || t("someone");

/**
 * Return the name of a seat: its person's, its bot's, or its colour.
 * @param {SeatLooks} seats
 * @param {number} seat
 */
export function seatName(seats, seat) {
  const info = seats?.[seat];
  if (info?.person || info?.reserved) return personName(info.name);
  if (info?.name) return info.name;
  const colour = colourName(lookOf(seats, seat));
  return colour.charAt(0).toLocaleUpperCase(document.documentElement.lang) + colour.slice(1);
}

// A place has one phrase per preposition, because most languages inflect it ("aus dem Gefängnis", "au sloop").
const placeWords = {
  prison: {
    name: N_("the prison"),
    at: N_("in the prison"),
    from: N_("from the prison"),
    to: N_("to the prison"),
  },
  wreck: {
    name: N_("the wreck"),
    at: N_("at the wreck"),
    from: N_("from the wreck"),
    to: N_("to the wreck"),
  },
  sloop: {
    name: N_("the sloop"),
    at: N_("aboard the sloop"),
    from: N_("from the sloop"),
    to: N_("to the sloop"),
  },
  bay: {
    name: N_("the pirate bay"),
    at: N_("in the pirate bay"),
    from: N_("from the pirate bay"),
    to: N_("to the pirate bay"),
  },
  space: {
    name: N_("space {n}"),
    at: N_("on space {n}"),
    from: N_("from space {n}"),
    to: N_("to space {n}"),
  },
};

/**
 * Return the phrases of a place. Start and goal depend on the scenario.
 * @param {View} view
 * @param {Place} place
 */
function placeWordsOf(view, place) {
  const { scenario } = view.options;
  if (place === "start") return scenario === "jungle" ? placeWords.wreck : placeWords.prison;
  if (place === "goal") return scenario === "passage" ? placeWords.sloop : placeWords.bay;
  return placeWords[place === "sloop" ? "sloop" : "space"];
}

/**
 * Return "the prison" or "space 12", for labels only. Sentences take `placeAt` and `fromToWords`.
 * @param {View} view
 * @param {Place} place
 */
const placeName = (view, place) => t(placeWordsOf(view, place).name, { n: place });

/**
 * Return "in the prison" or "on space 12", for {at} of a sentence.
 * @param {View} view
 * @param {Place} place
 */
export const placeAt = (view, place) => t(placeWordsOf(view, place).at, { n: place });

/**
 * Return {from} and {to} of a sentence: "from the prison", "to space 12".
 * @param {View} view
 * @param {Place} from
 * @param {Place} to
 */
export const fromToWords = (view, from, to) => ({
  from: t(placeWordsOf(view, from).from, { n: from }),
  to: t(placeWordsOf(view, to).to, { n: to }),
});

/**
 * Return the screen-reader label of a place: "space 12, key, two pirates: red, blue".
 * @param {View} view
 * @param {Place} place
 * @param {SeatLooks} seats
 */
export function placeLabel(view, place, seats) {
  const parts = [placeName(view, place)];
  if (typeof place === "number") parts.push(symbolName(view.board[place - 1]));
  if (place === "sloop") parts.push(view.sloop === "tortuga" ? t("at Tortuga") : t("at Cartagena"));
  if (typeof place === "number" && view.chests && String(place) in view.chests)
    parts.push(t("there is a chest here"));
  const groups = view.players.map((player, seat) => ({
    seat,
    count: player.pirates.filter((at) => at === place).length,
  }));
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) parts.push(t("no pirates"));
  else {
    const who = groups
      .filter(({ count }) => count)
      .map(({ seat, count }) => {
        const colour = colourName(lookOf(seats, seat));
        return count > 1 ? t("{n} × {colour}", { n: count, colour }) : colour;
      });
    parts.push(tn("{n} pirate: {who}", "{n} pirates: {who}", total, { who: who.join(", ") }));
  }
  return parts.join(", ");
}
