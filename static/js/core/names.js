// Names for things, in the page's language: symbols, colours, places, people. Used by labels, log and live region alike.

import { N_, list, t, tn } from "./i18n.js";

export const COLOURS = ["red", "blue", "yellow", "green", "violet"];

/** The symbols of each set, in the order of their names. */
export const SYMBOLS = {
  classic: ["bottle", "dagger", "hat", "key", "pistol", "skull"],
  escape: ["chest", "hook", "lantern", "parrot", "pistol", "rum"],
};

const colourNames = [N_("red"), N_("blue"), N_("yellow"), N_("green"), N_("violet")];

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

const presetNames = {
  jamaica: N_("Jamaica"),
  tortuga: N_("Tortuga"),
  hispaniola: N_("Hispaniola"),
  "first-escape": N_("First Escape"),
  dungeon: N_("The Dungeon"),
  jungle: N_("The Jungle"),
  complete: N_("The Complete Escape"),
};

const levelNames = {
  "cabin-boy": N_("Cabin boy"),
  sailor: N_("Sailor"),
  mate: N_("Mate"),
  captain: N_("Captain"),
  legend: N_("Legend"),
};

export const presetName = (preset) => t(presetNames[preset] ?? preset);
export const levelName = (level) => t(levelNames[level] ?? level);
export const levels = Object.keys(levelNames);

/** "key", or "dark key" for a dark card. */
export function cardName(card) {
  const symbol = t(symbolNames[card.replace("*", "")] ?? card);
  return card.endsWith("*") ? t("dark {symbol}", { symbol }) : symbol;
}

export const symbolName = (symbol) => t(symbolNames[symbol] ?? symbol);

/** Cards by kind: [["key", 3], ["key*", 1], …] in their own order. */
export function byKind(cards) {
  const counts = new Map();
  for (const card of cards) counts.set(card, (counts.get(card) ?? 0) + 1);
  return [...counts];
}

/** Cards in words, alike ones counted: "2 × key and hat". */
export function cardsInWords(cards) {
  return list(
    byKind(cards).map(([card, n]) => (n > 1 ? t("{n} × {card}", { n, card: cardName(card) }) : cardName(card))),
  );
}

export const cardCount = (n) => tn("{n} card", "{n} cards", n);

/** 0-4: which figure and colour a seat has. Before colours are known, seats take them in order. */
export function lookOf(seats, seat) {
  const at = COLOURS.indexOf(seats?.[seat]?.colour);
  return at < 0 ? seat % 5 : at;
}

export const colourName = (look) => t(colourNames[look]);

/** The letter on the coat: not translated, since in some languages two colours begin alike. */
export const letterOf = (look) => "RBYGV"[look];

/** What to call whoever a name belongs to: of somebody who was deleted there is none. */
export const personName = (name) => name || t("somebody");

/** How a seat is called: its name, or its colour when nobody has said a name. */
export function seatName(seats, seat) {
  const info = seats?.[seat];
  if (info?.person || info?.reserved) return personName(info.name);
  return info?.name ?? colourName(lookOf(seats, seat));
}

// A place has words of its own for every way of naming it: most languages bend it ("aus dem Gefängnis", "au sloop").
const placeWords = {
  prison: { name: N_("the prison"), at: N_("in the prison"), from: N_("from the prison"), to: N_("to the prison") },
  wreck: { name: N_("the wreck"), at: N_("at the wreck"), from: N_("from the wreck"), to: N_("to the wreck") },
  sloop: { name: N_("the sloop"), at: N_("aboard the sloop"), from: N_("from the sloop"), to: N_("to the sloop") },
  bay: {
    name: N_("the pirate bay"),
    at: N_("in the pirate bay"),
    from: N_("from the pirate bay"),
    to: N_("to the pirate bay"),
  },
  space: { name: N_("space {n}"), at: N_("on space {n}"), from: N_("from space {n}"), to: N_("to space {n}") },
};

/** Start and goal have their own names in each scenario. */
function wordsOf(view, place) {
  const { scenario } = view.options;
  if (place === "start") return scenario === "jungle" ? placeWords.wreck : placeWords.prison;
  if (place === "goal") return scenario === "passage" ? placeWords.sloop : placeWords.bay;
  return placeWords[place === "sloop" ? "sloop" : "space"];
}

/** "the prison", "space 12": a place by itself, as on a label. Never put it into a sentence, use the others for that. */
export const placeName = (view, place) => t(wordsOf(view, place).name, { n: place });

/** "in the prison", "on space 12": goes into {at} of a sentence, preposition and all. */
export const placeAt = (view, place) => t(wordsOf(view, place).at, { n: place });

/** What {from} and {to} of a sentence are: "from the prison", "to space 12". */
export const road = (view, from, to) => ({
  from: t(wordsOf(view, from).from, { n: from }),
  to: t(wordsOf(view, to).to, { n: to }),
});

/** What a screen reader hears of a place: "space 12, key, two pirates: red, blue". */
export function placeLabel(view, place, seats) {
  const parts = [placeName(view, place)];
  if (typeof place === "number") parts.push(symbolName(view.board[place - 1]));
  if (place === "sloop") parts.push(view.sloop === "tortuga" ? t("at Tortuga") : t("at Cartagena"));
  if (typeof place === "number" && view.chests && String(place) in view.chests) parts.push(t("a chest lies here"));
  const here = view.players.map((player, seat) => ({
    seat,
    count: player.pirates.filter((at) => at === place).length,
  }));
  const total = here.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) parts.push(t("no pirates"));
  else {
    const who = here
      .filter(({ count }) => count)
      .map(({ seat, count }) => {
        const colour = colourName(lookOf(seats, seat));
        return count > 1 ? t("{n} × {colour}", { n: count, colour }) : colour;
      });
    parts.push(tn("{n} pirate: {who}", "{n} pirates: {who}", total, { who: who.join(", ") }));
  }
  return parts.join(", ");
}
