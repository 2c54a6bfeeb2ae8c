// The head of the seating: title and edition of the table, the score of a series, and whether the game is rated.

/** @import {TableState} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { symbolIcon } from "../core/icons.js";
import { presetName, SYMBOLS } from "../core/names.js";
import { poolName } from "../core/rating_text.js";
import { scoreLine } from "./rematch.js";

/**
 * Say what a rated table means, and whether the game would count with the people seated now; "" at other tables.
 * @param {TableState} state
 */
function RatedNote({ table: { rated, status } }) {
  if (!rated || status !== "open") return "";
  return el(
    "p",
    { class: "seating-rated" },
    el("b", {}, t("Rated: {pool}.", { pool: poolName(rated.pool) })),
    " ",
    t(
      "The result changes the players' ratings. Everyone needs an account. There are no hints, and resigning or leaving means last place.",
    ),
    rated.counts
      ? ""
      : el(
          "span",
          { class: "seating-uncounted" },
          t("With fewer than two people, this game won't be rated."),
        ),
  );
}

/**
 * Return the elements of the head.
 * @param {TableState} state
 */
export function headOfSeating(state) {
  const { title, options } = state.table;
  return [
    el("h2", { class: "seating-title" }, title || presetName(options.preset)),
    title ? el("p", { class: "lead" }, presetName(options.preset)) : "",
    scoreLine(state) ?? "",
    el(
      "p",
      { class: "seating-art", "aria-hidden": "true" },
      ...SYMBOLS[options.symbols].map((symbol) => symbolIcon(symbol)),
    ),
    RatedNote(state),
  ];
}
