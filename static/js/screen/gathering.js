// Before the start, for the whole room: the code to scan, who sits and who is ready, and when it begins.

import { tick, waiting } from "../table/beginning.js";
import { scoreLine } from "../table/rematch.js";
import { el } from "../core/dom.js";
import { icon, pirateIcon } from "../core/icons.js";
import { COLOURS, letterOf, levelName, personName, presetName } from "../core/names.js";
import { N_, t } from "../core/i18n.js";
import { hasFreeSeat } from "./scan.js";

const CLOSED = {
  host: N_("The host has closed this table."),
  empty: N_("This table has closed by itself: nobody was there any more."),
  operator: N_("This table was closed before the game began."),
};

function seatRow({ person, bot, name, colour, ready, reserved }) {
  const look = COLOURS.indexOf(colour);
  const figure = el("span", { class: "berth-figure" }, look >= 0 ? pirateIcon(look, letterOf(look)) : icon("ui", "ui-plus"));
  const isTaken = person || bot;
  const who = person || reserved ? personName(name) : bot ? (name ?? levelName(bot)) : t("Free seat");
  const note = bot
    ? t("bot: {level}", { level: levelName(bot) })
    : person
      ? ready
        ? t("ready")
        : t("not ready yet")
      : reserved
        ? t("is waited for")
        : "";
  return el(
    "li",
    { class: `berth ${isTaken ? "" : "free"}` },
    figure,
    el("b", { class: "berth-who" }, who),
    el("span", { class: `berth-ready ${isTaken && (ready || bot) ? "yes" : ""}` }, note),
  );
}

/** What everybody waits for. */
function hint(table) {
  const taken = table.seats.filter(({ person, bot }) => person || bot);
  if (table.opening) return t("The game is about to begin.");
  if (!taken.some(({ person }) => person) && hasFreeSeat(table)) return t("Everybody scans the code with a phone and sits down there.");
  if (table.series) return "";
  if (taken.length < 2) return t("At least two seats must be filled.");
  if (table.screen && taken.every(({ ready, bot }) => ready || bot))
    return hasFreeSeat(table) ? t("Whoever still wants to play sits down now.") : "";
  if (table.screen) return t("It begins when all who sit are ready.");
  return t("The host begins the game when everybody is ready.");
}

/** Gathering({scan, now, onAnother}) -> {element, update(state)}; onAnother opens another table for this room. */
export function Gathering({ scan, now, onAnother }) {
  const title = el("h1", { class: "gather-title" });
  const edition = el("p", { class: "gather-edition" });
  const score = el("div", { class: "gather-score" });
  const seats = el("ol", { class: "berths" });
  const words = el("div", { class: "gather-words", role: "status" });
  const another = el("button", { type: "button", class: "button button-main", hidden: true }, t("Start a table for this room"));
  another.addEventListener("click", () => onAnother(another));
  const side = el("div", { class: "gather-side" }, title, edition, score, seats, words, another);
  const element = el("section", { class: "gathering", "aria-label": t("Before the start") }, side);
  setInterval(() => tick(element, now), 500);
  return {
    element,
    update(state) {
      const { table } = state;
      if (scan.element.parentElement !== element) element.prepend(scan.element);
      const isClosed = table.status === "closed";
      scan.element.hidden = isClosed;
      another.hidden = !isClosed;
      title.textContent = table.title || presetName(table.options.preset);
      edition.textContent = table.title ? presetName(table.options.preset) : "";
      edition.hidden = !table.title;
      score.replaceChildren(...[scoreLine(state)].filter(Boolean));
      seats.replaceChildren(...table.seats.map(seatRow));
      const line = isClosed ? t(CLOSED[table.closed_why] ?? CLOSED.operator) : hint(table);
      words.replaceChildren(...(isClosed ? [] : waiting(state, now)), ...(line ? [el("p", {}, line)] : []));
    },
  };
}
