// Choices in words: what each legal action does and what it costs, before it is done.

import { el } from "../core/dom.js";
import { icon, symbolIcon } from "../core/icons.js";
import { cardName, placeAt, road, seatName, symbolName } from "../core/names.js";
import { t, tn } from "../core/i18n.js";

const price = ({ action: { type }, draws, final }) => {
  // resting says already that it takes a card
  if (draws && type !== "draw")
    return tn("draws {n} card and cannot be undone", "draws {n} cards and cannot be undone", draws);
  return (draws || final) && type !== "end" ? t("cannot be undone") : "";
};

const phrases = {
  advance: ({ action, to }, c) => t("{card}: {from} {to}", { card: cardName(action.card), ...c.road(action, to) }),
  retreat: ({ action, to }, c) => t("Fall back {from} {to}", c.road(action, to)),
  morgan: ({ action, to }, c) =>
    t("Morgan: send {other} {from} {to}", { other: c.name(action.player), ...c.road(action, to) }),
  sail: (_, c) => (c.view.sloop === "cartagena" ? t("Sail to Tortuga") : t("Sail to Cartagena")),
  draw: () => t("Rest: take a card and end the turn"),
  end: () => t("End turn"),
  pistol: ({ action }, c) =>
    t("{card}: take a card from {other}", { card: cardName(action.card), other: c.name(action.player) }),
  rum: ({ action }) => t("{card}: draw, keep two, give one to each of the others", { card: cardName(action.card) }),
  lantern: ({ action }) => t("{card}: look at four cards of the deck and keep one", { card: cardName(action.card) }),
  parrot: ({ action, to }, c) =>
    t("Two parrots as {card}: {from} {to}", { card: symbolName(action.as), ...c.road(action, to) }),
  hook: ({ action, to }, c) =>
    t("{hook} with {card}: two pirates {from} {to}, two actions", {
      hook: cardName(action.card),
      card: cardName(action.with),
      ...c.road(action, to),
    }),
  chest: ({ action }, c) =>
    t("{card}: open the chest {at}", { card: cardName(action.card), at: placeAt(c.view, action.from) }),
};

/** One choice as {text, price}. */
export function inWords(choice, view, seats) {
  const context = { view, road: ({ from }, to) => road(view, from, to), name: (seat) => seatName(seats, seat) };
  return { text: phrases[choice.action.type]?.(choice, context) ?? choice.action.type, price: price(choice) };
}

const signs = { sail: "ui-anchor", draw: "ui-cards", end: "ui-done", retreat: "ui-undo", morgan: "ui-arrow" };

function signOf({ action }) {
  const { type } = action;
  if (type === "parrot") return [symbolIcon("parrot"), symbolIcon(action.as)];
  if (type === "hook") return [symbolIcon("hook"), symbolIcon(action.with)];
  if (action.card) return [symbolIcon(action.card)];
  return [icon("ui", signs[type] ?? "ui-arrow")];
}

/** A choice as a button. `why`: what speaks for it, where the line that says so has no room (a phone). */
export function choiceButton(choice, view, seats, onPick, why = null) {
  const { text, price: cost } = inWords(choice, view, seats);
  return el(
    "button",
    { type: "button", class: "choice", onclick: () => onPick(choice) },
    el("span", { class: "choice-signs" }, ...signOf(choice)),
    el("span", { class: "choice-words" }, el("span", {}, text), cost ? el("small", {}, cost) : null, why ? el("small", { class: "choice-why", "aria-hidden": "true" }, why) : null),
  );
}
