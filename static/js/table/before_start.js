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

/** @param {Seat} info */
const isFilled = ({ person, bot }) => Boolean(person || bot);

/**
 * Whether the player may sit down somewhere: a seat is empty, and not reserved for another person.
 * @param {TableState} state
 */
const hasFreeSeat = ({ table, you }) =>
  table.seats.some((seat) => !isFilled(seat) && (!seat.reserved || seat.reserved === you.person));

/**
 * Whether the others are ready. The player who starts the game gets ready by that.
 * @param {TableState} state
 */
export function isReadyToStart({ table, you }) {
  const filled = table.seats.filter(isFilled);
  return (
    filled.length >= 2 && filled.every(({ ready, bot, person }) => ready || bot || person === you.person)
  );
}

/**
 * Tell spectators what they can do. A banner tells a player who was removed when they can sit down again.
 * @param {TableState} state
 * @param {boolean} isBarred
 */
export function spectatorHint(state, isBarred) {
  const { seats, spectators } = state.table;
  if (isBarred) return spectators ? t("You can stay and watch.") : "";
  if (hasFreeSeat(state))
    return spectators ? t("Sit down to play, or stay and watch.") : t("Sit down to play.");
  const isFull = seats.every(isFilled);
  if (spectators)
    return isFull
      ? t("This table is full. You can stay and watch.")
      : t("The empty seats are reserved for others. You can stay and watch.");
  return isFull
    ? t("This table is full, and its game can't be watched.")
    : t("The empty seats are reserved for others, and the game can't be watched.");
}

/**
 * Tell seated players who are not the host when the game starts. A rematch and a table opened from a screen start by
 * themselves.
 * @param {TableState} state
 */
export const startHint = ({ table }) =>
  table.screen || table.series
    ? t("The game starts when everyone at the table is ready.")
    : t("The host starts the game when everyone is ready.");

/**
 * Tell the player who can start the game what is missing, or what happens at the start.
 * @param {TableState} state
 */
export function describeStart(state) {
  const empty = state.table.seats.filter((seat) => !isFilled(seat)).length;
  if (state.table.seats.length - empty < 2) return t("At least two seats must be filled.");
  if (!isReadyToStart(state)) return t("Not everyone is ready.");
  return empty ? tn("{n} empty seat will be removed.", "{n} empty seats will be removed.", empty) : "";
}

/**
 * Tell a host without a seat what they can do.
 * @param {TableState} state
 */
export function hostHint(state) {
  const hasPeople = state.table.seats.some(({ person }) => person);
  if (hasFreeSeat(state))
    return hasPeople ? t("Sit down to play, or make a seated player the host.") : t("Sit down to play.");
  return hasPeople
    ? t("Make a seated player the host, so that the game can start.")
    : t("Remove someone from a seat to sit down yourself.");
}

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
