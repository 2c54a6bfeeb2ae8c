// The turns of an attempt at a deal of the day, compared with those of the others.

/** @import {Action, Comparison, DealTurn} from "../core/types.d.ts" */

import { el, setChildren } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { describeActions } from "./deal_moves.js";

// As in app/play/deal/results.py: with fewer others, no choice is called unusual.
const MIN_COMPARED_TRIES = 3;

/** @param {Pick<Comparison, "others" | "parting">} comparison */
export function partingText({ others, parting }) {
  if (!others) return t("No one else has finished this deal yet.");
  if (others < MIN_COMPARED_TRIES)
    return t(
      "Fewer than three others have finished this deal, so it's too early to say which choices are unusual.",
    );
  if (!parting) return t("None of your choices was unusual.");
  const numbers = { turn: parting.turn, others: parting.others, usual: parting.usual };
  return t(
    "In turn {turn} you made an unusual choice. Others who had played as you had until then: {others}. Those of them who made the usual choice: {usual}.",
    numbers,
  );
}

/**
 * Create the list of one turn's actions.
 * @param {string} title
 * @param {Action[]} actions
 * @param {string} scenario
 */
const PartingMoves = (title, actions, scenario) =>
  el(
    "div",
    {},
    el("h3", {}, title),
    el("ol", {}, ...describeActions(actions, scenario).map((text) => el("li", {}, text))),
  );

/**
 * Create a bar of how many others were behind, level and ahead, with the numbers as text.
 * @param {DealTurn} turn
 */
function OthersBar({ behind, level, ahead }) {
  /**
   * @param {string} kind
   * @param {number} n
   */
  const piece = (kind, n) => (n ? el(`i.deal-${kind}`, { "data-n": n }, "") : null);
  const bar = el(
    "span.deal-bar",
    { "aria-hidden": "true" },
    ...["behind", "level", "ahead"].map((kind) =>
      piece(kind, /** @type {Record<string, number>} */ ({ behind, level, ahead })[kind]),
    ),
  );
  for (const segment of /** @type {Iterable<HTMLElement>} */ (bar.children))
    segment.style.flexGrow = String(segment.dataset.n);
  return [
    bar,
    el("span.deal-numbers", {}, t("{behind} behind, {level} level, {ahead} ahead", { behind, level, ahead })),
  ];
}

/**
 * Show the turns of the player's attempt beside those of the others.
 * @param {Comparison | null} comparison
 * @param {(name: string) => HTMLElement} part
 * @param {string} scenario
 */
export function showTurns(comparison, part, scenario) {
  if (!comparison?.turns.length) return;
  part("parting").textContent = partingText(comparison);
  const { parting } = comparison;
  if (parting)
    setChildren(
      part("partings"),
      PartingMoves(t("You"), parting.played_actions, scenario),
      // Hidden until the day is over.
      parting.instead_actions ? PartingMoves(t("The usual choice"), parting.instead_actions, scenario) : null,
    );
  part("partings").hidden = !parting;
  setChildren(
    part("turn-rows"),
    ...comparison.turns.map((turn, n) =>
      el(
        comparison.parting?.turn === n + 1 ? "tr.deal-parted" : "tr",
        {},
        el("th", { scope: "row" }, String(n + 1)),
        el("td", {}, `${turn.spaces} (${turn.gained < 0 ? "−" : "+"}${Math.abs(turn.gained)})`),
        el("td", {}, String(turn.home)),
        el("td", {}, ...(comparison.others ? OthersBar(turn) : ["–"])),
        el("td", {}, comparison.others ? String(turn.same) : "–"),
      ),
    ),
  );
  part("turns").hidden = false;
}
