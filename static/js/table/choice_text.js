// Descriptions of choices: what an action does and what it costs, and what the tray asks the player to choose next.

/** @import {ActionOf, ActionType, Choice, Place, SeatLooks, State, View} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";
import { icon, symbolIcon } from "../core/icons.js";
import { cardName, cardObject, fromToWords, placeAt, seatName } from "../core/names.js";
import { cardsOf, offers } from "./selection.js";

/** @param {Choice} choice */
const costText = ({ action: { type }, draws, final }) => {
  // The text of "draw" already mentions the card.
  if (draws && type !== "draw")
    return tn("draws {n} card and cannot be undone", "draws {n} cards and cannot be undone", draws);
  return (draws || final) && type !== "end" ? t("cannot be undone") : "";
};

// Beside Undo and End turn on a phone there is room for this much; the board shows the number of cards.
const shortCostText = () => t("cannot be undone");

/**
 * @typedef {object} Context
 * @property {View} view
 * @property {(action: { from: Place }, to: Place | undefined) => { from: string, to: string }} fromTo
 * @property {(seat: number) => string} name
 */

/** @typedef {(choice: Choice, c: Context) => string} Phrase */

/** @type {{ [T in ActionType]?: (choice: { action: ActionOf<T>, to?: Place }, c: Context) => string }} */
const actionPhrases = {
  advance: ({ action, to }, c) =>
    t("{card}: {from} {to}", { card: cardName(action.card), ...c.fromTo(action, to) }),
  retreat: ({ action, to }, c) => t("Retreat {from} {to}", c.fromTo(action, to)),
  morgan: ({ action, to }, c) =>
    t("Morgan: send {other}'s pirate {from} {to}", { other: c.name(action.player), ...c.fromTo(action, to) }),
  sail: (_, c) => (c.view.sloop === "cartagena" ? t("Sail to Tortuga") : t("Sail to Cartagena")),
  draw: () => t("Draw a relief card and end the turn"),
  end: () => t("End turn"),
  pistol: ({ action }, c) =>
    t("{card}: take a card from {other}", { card: cardName(action.card), other: c.name(action.player) }),
  rum: ({ action }) =>
    t("{card}: draw cards, keep two and give one to each of the others", { card: cardName(action.card) }),
  lantern: ({ action }) =>
    t("{card}: look at the top four cards of the deck and keep one", { card: cardName(action.card) }),
  parrot: ({ action, to }, c) =>
    t("Two parrots as {card}: {from} {to}", { card: cardObject(action.as), ...c.fromTo(action, to) }),
  hook: ({ action, to }, c) =>
    t("{hook} + {card}: move two pirates {from} {to}, for two actions", {
      hook: cardName(action.card),
      card: cardName(action.with),
      ...c.fromTo(action, to),
    }),
  chest: ({ action }, c) =>
    t("{card}: open the chest {at}", { card: cardName(action.card), at: placeAt(c.view, action.from) }),
};

/**
 * Describe a choice as {text, cost}.
 * @param {Choice} choice
 * @param {View} view
 * @param {SeatLooks} seats
 */
export function describeChoice(choice, view, seats) {
  /** @type {Context} */
  const context = {
    view,
    fromTo: ({ from }, to) => fromToWords(view, from, /** @type {Place} */ (to)),
    name: (seat) => seatName(seats, seat),
  };
  return {
    text:
      /** @type {Phrase | undefined} */ (actionPhrases[choice.action.type])?.(choice, context) ??
      choice.action.type,
    cost: costText(choice),
  };
}

/** @type {Partial<Record<ActionType, string>>} */
const actionIcons = {
  sail: "ui-anchor",
  draw: "ui-cards",
  end: "ui-done",
  retreat: "ui-undo",
  morgan: "ui-arrow",
};

/** @param {Choice} choice */
function choiceIcons({ action }) {
  const { type } = action;
  if (type === "parrot") return [symbolIcon("parrot"), symbolIcon(action.as)];
  if (type === "hook") return [symbolIcon("hook"), symbolIcon(action.with)];
  if (action.card) return [symbolIcon(action.card)];
  return [icon("ui", actionIcons[type] ?? "ui-arrow")];
}

/**
 * Create the button of a choice.
 * @param {Choice} choice
 * @param {View} view
 * @param {SeatLooks} seats
 * @param {(choice: Choice) => void} onPick
 */
export function ChoiceButton(choice, view, seats, onPick) {
  const { text, cost } = describeChoice(choice, view, seats);
  return el(
    "button",
    { type: "button", class: "choice", "data-explains": choice.action.type, onclick: () => onPick(choice) },
    el("span", { class: "choice-signs" }, ...choiceIcons(choice)),
    el(
      "span",
      { class: "choice-words" },
      el("span", {}, text),
      cost ? el("small", {}, cost) : null,
      cost ? el("small", { class: "cost-short", "aria-hidden": "true" }, shortCostText()) : null,
    ),
  );
}

/** @param {Choice} choice */
const playsCard = ({ action }) => cardsOf(action).length > 0;
/** @param {Choice} choice */
const movesPirate = ({ action }) => action.from !== undefined;

/**
 * Return what to do with a card or a pirate that is selected.
 * @param {Pick<State, "choices" | "selection"> & { view: View }} state
 */
export function describeSelection({ choices, selection, view }) {
  const { list } = offers(choices, selection);
  if (selection.from === undefined)
    return list.some(movesPirate)
      ? t("Choose a pirate to move with this card ({card}), or put it back.", {
          card: cardName(/** @type {string} */ (selection.card)),
        })
      : t("Which of these do you want?");
  const at = placeAt(view, selection.from);
  const hasSpace = list.some(({ to }) => to !== undefined);
  if (list.some(playsCard))
    return hasSpace
      ? t("Choose a highlighted space, or a card for the pirate {at}.", { at })
      : t("Choose a card for the pirate {at}.", { at });
  return hasSpace
    ? t("Choose a highlighted space for the pirate {at}.", { at })
    : t("Which of these do you want?");
}

/**
 * Return how many actions are left and what to choose first.
 * @param {Pick<State, "choices"> & { view: View }} state
 */
export function describeTurn({ choices, view }) {
  const left = view.options.actions - view.turn.taken;
  const hasPirate = choices.some(movesPirate);
  if (choices.some(playsCard))
    return hasPirate
      ? tn(
          "Your turn: {n} action left. Choose a card or a pirate.",
          "Your turn: {n} actions left. Choose a card or a pirate.",
          left,
        )
      : tn("Your turn: {n} action left. Choose a card.", "Your turn: {n} actions left. Choose a card.", left);
  return hasPirate
    ? tn(
        "Your turn: {n} action left. Choose a pirate.",
        "Your turn: {n} actions left. Choose a pirate.",
        left,
      )
    : tn(
        "Your turn: {n} action left. Choose a button.",
        "Your turn: {n} actions left. Choose a button.",
        left,
      );
}
