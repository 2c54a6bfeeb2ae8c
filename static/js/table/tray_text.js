// What the tray asks the player to do next, by what the server allows. Pure functions.

/** @import {Choice, State, View} from "../core/types.d.ts" */

import { t, tn } from "../core/i18n.js";
import { cardName, placeAt } from "../core/names.js";
import { cardsOf, offers } from "./selection.js";

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
