// The big screen before the start: join code, seats, readiness and countdown.

/** @import {Colour, Seat, Table, TableState} from "../core/types.d.ts" */

import { el, setChildren } from "../core/dom.js";
import { N_, t } from "../core/i18n.js";
import { icon, pirateIcon } from "../core/icons.js";
import { COLOURS, letterOf, levelName, personName, presetName } from "../core/names.js";
import { updateCountdown, waitingLines } from "../table/before_start.js";
import { scoreLine } from "../table/rematch.js";
import { hasFreeSeat } from "./join_code.js";

/** @type {Record<string, string>} */
const CLOSED_REASONS = {
  host: N_("The host has closed this table."),
  empty: N_("This table was closed automatically: everyone had left."),
  operator: N_("This table was closed before the game started."),
};

/** @param {Seat} info */
function SeatRow({ person, bot, name, colour, ready, reserved }) {
  const look = COLOURS.indexOf(/** @type {Colour} */ (colour));
  const figure = el(
    "span",
    { class: "berth-figure" },
    look >= 0 ? pirateIcon(look, letterOf(look)) : icon("ui", "ui-plus"),
  );
  const isTaken = person || bot;
  const who = person || reserved ? personName(name) : bot ? (name ?? levelName(bot)) : t("Empty seat");
  const note = bot
    ? t("bot: {level}", { level: levelName(bot) })
    : person
      ? ready
        ? t("ready")
        : t("not ready yet")
      : reserved
        ? t("expected")
        : "";
  return el(
    "li",
    { class: `berth ${isTaken ? "" : "free"}` },
    figure,
    el("b", { class: "berth-who" }, who),
    el("span", { class: `berth-ready ${isTaken && (ready || bot) ? "yes" : ""}` }, note),
  );
}

/**
 * Return a hint about what is missing for the start.
 * @param {Table} table
 */
function hintText(table) {
  const taken = table.seats.filter(({ person, bot }) => person || bot);
  if (table.opening) return t("The game is about to start.");
  if (!taken.some(({ person }) => person) && hasFreeSeat(table))
    return t("Scan the code with your phone and sit down there.");
  if (table.series) return "";
  if (taken.length < 2) return t("At least two seats must be filled.");
  if (table.screen && taken.every(({ ready, bot }) => ready || bot))
    return hasFreeSeat(table) ? t("If you still want to play, sit down now.") : "";
  if (table.screen) return t("The game starts when everyone at the table is ready.");
  return t("The host starts the game when everyone is ready.");
}

/**
 * Pregame({joinCode, now, onAnother}) -> {element, update(state)}. `onAnother` opens another table on this screen.
 * @param {{ joinCode: { element: HTMLElement }, now: () => number, onAnother: (button: HTMLButtonElement) => void }} parts
 */
export function Pregame({ joinCode, now, onAnother }) {
  const title = el("h1", { class: "gather-title" });
  const edition = el("p", { class: "gather-edition" });
  const score = el("div", { class: "gather-score" });
  const seats = el("ol", { class: "berths" });
  const words = el("div", { class: "gather-words", role: "status" });
  const another = el(
    "button",
    { type: "button", class: "button button-main", hidden: true },
    t("Create a table for this room"),
  );
  another.addEventListener("click", () => onAnother(another));
  const side = el("div", { class: "gather-side" }, title, edition, score, seats, words, another);
  const element = el("section", { class: "gathering", "aria-label": t("Before the game") }, side);
  setInterval(() => updateCountdown(element, now), 500);
  return {
    element,
    /** @param {TableState} state */
    update(state) {
      const { table } = state;
      if (joinCode.element.parentElement !== element) element.prepend(joinCode.element);
      const isClosed = table.status === "closed";
      joinCode.element.hidden = isClosed;
      another.hidden = !isClosed;
      title.textContent = table.title || presetName(table.options.preset);
      edition.textContent = table.title ? presetName(table.options.preset) : "";
      edition.hidden = !table.title;
      setChildren(score, scoreLine(state));
      seats.replaceChildren(...table.seats.map(SeatRow));
      const line = isClosed
        ? t(CLOSED_REASONS[String(table.closed_why)] ?? CLOSED_REASONS.operator)
        : hintText(table);
      setChildren(words, ...(isClosed ? [] : waitingLines(state, now)), ...(line ? [el("p", {}, line)] : []));
    },
  };
}
