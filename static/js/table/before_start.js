// The time before the start: who can start the game, who is still missing, and the countdown of an automatic start.

/** @import {Attributes, Seat, TableState} from "../core/types.d.ts" */

import { el, findAll } from "../core/dom.js";
import { formatList, t, tn } from "../core/i18n.js";
import { personName } from "../core/names.js";

/** @param {Seat} info */
const isBotSeat = ({ person, bot }) => bot && !person;

/**
 * Whether the player's only company are bots: no other seat is taken by a person or reserved.
 * @param {TableState} state
 */
export function isAloneWithBots({ table, you }) {
  const others = table.seats.filter((_, seat) => seat !== you.seat);
  return (
    you.seat !== null &&
    others.some(isBotSeat) &&
    others.every((seat) => isBotSeat(seat) || !(seat.person || seat.reserved))
  );
}

/**
 * Whether the player can start the game: the host can, or any seated player if the host has no seat.
 * @param {TableState} state
 */
export const canStart = ({ table, you }) =>
  you.seat !== null &&
  (table.host === you.person || !table.seats.some(({ person }) => person === table.host));

/**
 * @param {number} time
 * @param {() => number} now
 */
function countdownText(time, now) {
  const seconds = Math.max(0, Math.ceil((time - now()) / 1000));
  return tn("The game starts in {n} second.", "The game starts in {n} seconds.", seconds);
}

/**
 * Return lines with the missing players and the countdown of an automatic start. `updateCountdown` keeps it current.
 * @param {TableState} state
 * @param {() => number} now
 */
export function waitingLines({ table }, now) {
  const missing = table.seats
    .filter(({ person, reserved }) => !person && reserved)
    .map(({ name }) => personName(name));
  const begins = table.series?.begins ?? table.screen?.begins;
  /**
   * @param {string} words
   * @param {Attributes} [more]
   */
  const line = (words, more = {}) => el("p", { class: "seating-wait", ...more }, words);
  return [
    missing.length ? line(t("Waiting for {names}.", { names: formatList(missing) })) : null,
    begins ? line(countdownText(begins, now), { "data-begins": begins }) : null,
  ].filter(Boolean);
}

/**
 * @param {HTMLElement} root
 * @param {() => number} now
 */
export function updateCountdown(root, now) {
  for (const line of findAll("[data-begins]", root))
    line.textContent = countdownText(Number(line.dataset.begins), now);
}
