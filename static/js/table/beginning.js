// Before the start: who may begin, who waits for whom, and how long until a rematch begins by itself.

import { el } from "../core/dom.js";
import { list, t, tn } from "../core/i18n.js";
import { personName } from "../core/names.js";

const isBots = ({ person, bot }) => bot && !person;

/** Whether this person sits with bots, and nobody else sits or has a seat kept: nobody waits for anybody. */
export function isAlone({ table, you }) {
  const others = table.seats.filter((_, seat) => seat !== you.seat);
  return you.seat !== null && others.some(isBots) && others.every((seat) => isBots(seat) || !(seat.person || seat.reserved));
}

/** Whoever sits may begin: the host, or anybody where no host sits. */
export const mayBegin = ({ table, you }) =>
  you.seat !== null && (table.host === you.person || !table.seats.some(({ person }) => person === table.host));

function countdown(time, now) {
  const seconds = Math.max(0, Math.ceil((time - now()) / 1000));
  return tn("The game begins in {n} second.", "The game begins in {n} seconds.", seconds);
}

/** After a rematch, or at a table opened from a screen: who is still waited for, and how long; `tick` is called every second. */
export function waiting({ table }, now) {
  const missing = table.seats.filter(({ person, reserved }) => !person && reserved).map(({ name }) => personName(name));
  const begins = table.series?.begins ?? table.screen?.begins;
  const line = (words, more = {}) => el("p", { class: "seating-wait", ...more }, words);
  return [
    missing.length ? line(t("Waiting for {names}.", { names: list(missing) })) : null,
    begins ? line(countdown(begins, now), { "data-begins": begins }) : null,
  ].filter(Boolean);
}

export function tick(root, now) {
  for (const line of root.querySelectorAll("[data-begins]")) line.textContent = countdown(Number(line.dataset.begins), now);
}
