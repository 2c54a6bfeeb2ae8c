// The review page: the player's mistakes, the curve of winning chances, the better turn beside the one played, luck and
// losses, and a trial from any turn.

/** @import {GameEvent, LoadedGame, Review, ReviewTurn, View} from "../core/types.d.ts" */

import { drawArrows, groupByAction, turnArrows } from "../board/arrows.js";
import { Board } from "../board/board.js";
import { RefusedError } from "../core/api.js";
import { el, find, findAll, setChildren, svg } from "../core/dom.js";
import { describeEvents } from "../core/event_text.js";
import { replayViews } from "../core/fold.js";
import { formatPercent, language, t, tn } from "../core/i18n.js";
import { lookOf, seatName } from "../core/names.js";
import { canAnalyse, openAnalysis } from "../core/open_analysis.js";
import { getFromGame } from "../core/password_prompt.js";
import { describePoints, describeSignedPoints, toPoints } from "../core/percentage_points.js";
import { describeRefusalCode } from "../core/refusals.js";
import { loadGame } from "./replay_source.js";
import { Curve } from "./review_curve.js";
import { describeBetter } from "./review_reasons.js";

const page = find("[data-review]");
const room = String(page.dataset.room);
const MAX_MISTAKES = 3;
const MIN_LUCK = 0.02;

/** @type {LoadedGame} */
let game;
/** @type {Review} */
let review;
/** @type {View[]} */
let views = [];
/** @type {ReturnType<typeof Board>} */
let board;
/** @type {ReturnType<typeof Curve>} */
let curve;
let currentTurn = 0;

/** @param {number} seat */
const playerName = (seat) => seatName(game.seats, seat);
/**
 * @param {GameEvent[]} events
 * @param {View} view
 */
const describe = (events, view) => describeEvents(events, view, game.seats).text;
/** @param {ReviewTurn} turn */
const eventsOf = ({ first_step: from, step: to }) =>
  game.replay.steps.slice(from, to).flatMap(({ events }) => events);
/** @param {ReviewTurn} turn */
const isTurningPoint = ({ turn }) => review.turning_points.includes(turn);

/**
 * Return the label of a turn on the curve, for screen readers.
 * @param {number} n
 */
function turnLabel(n) {
  if (n === 0) return t("The start of the game.");
  const turn = review.turns[n - 1];
  const parts = [
    t("Turn {n}: {name}", { n, name: playerName(turn.seat) }),
    t("chance of winning: {percent}", { percent: formatPercent(turn.chances[turn.seat]) }),
  ];
  if (isTurningPoint(turn)) parts.push(t("turning point"));
  if (turn.better) parts.push(tn("{n} point given away", "{n} points given away", toPoints(turn.loss)));
  return parts.join(", ");
}

/**
 * Create a sample of an arrow for the legend.
 * @param {string} kind
 */
const ArrowSample = (kind) =>
  svg(
    "svg",
    { class: `arrow-sample ${kind}`, viewBox: "0 0 44 16", "aria-hidden": "true" },
    svg("path", { class: "arrow-edge", d: "M3 8h26" }),
    svg("path", { class: "arrow-way", d: "M3 8h26" }),
    svg("path", { class: "arrow-head", d: "M41 8l-13-6v12z" }),
  );

/** @param {ReviewTurn} turn */
function LuckLine({ luck }) {
  if (Math.abs(luck) < MIN_LUCK) return null;
  const words = { points: describeSignedPoints(luck) };
  return el(
    "p",
    {},
    luck > 0
      ? t("The cards drawn were lucky: {points}.", words)
      : t("The cards drawn were unlucky: {points}.", words),
  );
}

/**
 * Create the list of a turn's actions, numbered like the arrows.
 * @param {GameEvent[]} events
 * @param {View} view
 */
function ActionList(events, view) {
  const items = groupByAction(events).map((action) => el("li", {}, describe(action, view)));
  return items.length ? el("ol", { class: "review-moves" }, ...items) : el("p", {}, t("No actions."));
}

/**
 * Describe a turn: what was played, what would have been better, and the luck.
 * @param {number} n
 */
function TurnDetails(n) {
  if (n === 0) return [el("p", {}, el("strong", {}, t("The start of the game.")))];
  const turn = review.turns[n - 1];
  const view = views[turn.first_step];
  return [
    el(
      "p",
      {},
      el("strong", {}, t("Turn {n}: {name}", { n, name: playerName(turn.seat) })),
      ` · ${t("chance of winning: {percent}", { percent: formatPercent(turn.chances[turn.seat]) })}`,
      isTurningPoint(turn) ? el("strong", {}, ` · ▼ ${t("turning point")}`) : null,
    ),
    el("p", {}, ArrowSample("played"), " ", el("b", {}, t("Played:"))),
    ActionList(eventsOf(turn), view),
    turn.better
      ? el(
          "p",
          {},
          ArrowSample("better"),
          " ",
          el("b", {}, tn("Better by {n} point:", "Better by {n} points:", toPoints(turn.loss))),
        )
      : null,
    turn.better ? ActionList(turn.better, view) : null,
    turn.better ? el("p", { class: "review-why" }, describeBetter(turn.better_why)) : null,
    LuckLine(turn),
  ];
}

/**
 * Show a turn: the board before it, with the played and the better turn as arrows.
 * @param {number} n
 * @param {boolean} [keepAddress]
 */
function goTo(n, keepAddress = true) {
  currentTurn = n;
  const turn = n ? review.turns[n - 1] : null;
  const step = turn ? turn.first_step : 0;
  board.mark({});
  board.set(views[step]);
  if (turn)
    board.mark({
      arrows: [...turnArrows(eventsOf(turn), "played"), ...turnArrows(turn.better ?? [], "better")],
    });
  curve.show(n);
  setChildren(find("[data-turn]", page), ...TurnDetails(n));
  for (const [seat, shown] of findAll("[data-chance]", page).entries())
    shown.textContent = formatPercent((turn?.chances ?? review.start)[seat]);
  /** @type {HTMLButtonElement} */ (find("[data-back]", page)).disabled = n === 0;
  /** @type {HTMLButtonElement} */ (find("[data-on]", page)).disabled = n === review.turns.length;
  for (const link of /** @type {HTMLAnchorElement[]} */ (findAll("[data-at-step]", page)))
    link.href = `${link.dataset.atStep}?step=${step}`;
  find("[data-analyse]", page).hidden = !canAnalyse(views[step]);
  for (const item of findAll("[data-first]", page)) {
    if (turn && Number(item.dataset.first) === step) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  }
  if (!keepAddress) return;
  const address = new URL(location.href);
  address.searchParams.set("step", String(step));
  history.replaceState(null, "", address);
}

/**
 * Show a turn and scroll to the board.
 * @param {number} n
 */
function jumpTo(n) {
  goTo(n);
  find("[data-stage-table]", page).scrollIntoView({ block: "start" });
  curve.picture.focus({ preventScroll: true });
}

function LegendItems() {
  const items = review.start.map((_, seat) => {
    const mark = svg(
      "svg",
      { viewBox: "0 0 40 10", "aria-hidden": "true" },
      svg("line", {
        class: `review-line review-seat-${lookOf(game.seats, seat)}`,
        x1: 0,
        x2: 40,
        y1: 5,
        y2: 5,
      }),
    );
    return el("li", {}, mark, " ", playerName(seat), " ", el("b", { "data-chance": "" }));
  });
  if (review.turning_points.length)
    items.push(el("li", {}, el("span", { "aria-hidden": "true" }, "▼ "), t("turning point")));
  return items;
}

/** Return the player's worst turns, worst first; for a spectator, those of all players. */
function worstTurns() {
  const own = game.you?.seat ?? null;
  const found = review.turns.filter(({ seat, better }) => better && (own === null || seat === own));
  return found.sort((a, b) => b.loss - a.loss).slice(0, MAX_MISTAKES);
}

// Events of a turn in which the player did nothing.
const IDLE_EVENTS = ["turn_passed", "resigned", "game_won"];

/**
 * Return whether this seat, or any if null, played at least one action.
 * @param {number | null} seat
 */
const hasPlayed = (seat) =>
  game.replay.steps.some(({ events }) =>
    events.some((event) => !IDLE_EVENTS.includes(event.type) && (seat === null || event.seat === seat)),
  );

/** @param {ReviewTurn[]} found */
function showMistakes(found) {
  const own = game.you?.seat ?? null;
  if (!hasPlayed(own)) {
    find(".review-mistakes", page).hidden = true;
    return;
  }
  const title = find("[data-mistakes-title]", page);
  if (own === null) title.textContent = t("The biggest mistakes");
  else
    title.textContent = found.length === MAX_MISTAKES ? t("Your three biggest mistakes") : t("Your mistakes");
  if (!found.length) {
    setChildren(
      find("[data-mistakes]", page),
      el("li", {}, t("No turn could have been much better. Well played!")),
    );
    return;
  }
  setChildren(
    find("[data-mistakes]", page),
    ...found.map((turn) => {
      const words =
        own === null
          ? t("Turn {n}: {name}", { n: turn.turn, name: playerName(turn.seat) })
          : t("Turn {n}", { n: turn.turn });
      return el(
        "li",
        {},
        el(
          "button",
          { type: "button", class: "mistake", onclick: () => jumpTo(turn.turn) },
          el("strong", {}, words),
          el(
            "span",
            { class: "mistake-loss" },
            tn("{n} point given away", "{n} points given away", toPoints(turn.loss)),
          ),
        ),
      );
    }),
  );
}

/**
 * Create the cell with the result minus the luck of all draws, and its uncertainty. Null if no luck was counted.
 * @param {number} seat
 */
function AdjustedResult(seat) {
  const winner = game.table?.result?.winner ?? null;
  if (!review.result_luck || winner === null) return null;
  for (const part of findAll("[data-adjusted-hint]", page)) part.hidden = false;
  const format = new Intl.NumberFormat(language(), { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const adjusted = Number(seat === winner) - review.result_luck[seat];
  return el("td", {}, `${format.format(adjusted)} ± ${format.format(Number(review.result_error))}`);
}

function SumRows() {
  return review.start.map((_, seat) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, playerName(seat)),
      el("td", {}, describeSignedPoints(review.luck[seat])),
      el("td", {}, describePoints(review.loss[seat])),
      AdjustedResult(seat),
      el("td", {}, String(review.hints[seat])),
    ),
  );
}

/** @param {ReviewTurn} turn */
function TurnItem(turn) {
  return el(
    "li",
    { "data-first": String(turn.first_step) },
    el(
      "p",
      {},
      el(
        "button",
        { type: "button", class: "turn-button", onclick: () => jumpTo(turn.turn) },
        t("Turn {n}: {name}", { n: turn.turn, name: playerName(turn.seat) }),
      ),
      " · ",
      t("chance of winning: {percent}", { percent: formatPercent(turn.chances[turn.seat]) }),
      isTurningPoint(turn) ? el("strong", {}, ` · ${t("turning point")}`) : null,
    ),
    LuckLine(turn),
    turn.better
      ? el(
          "p",
          {},
          tn("Better by {n} point:", "Better by {n} points:", toPoints(turn.loss)),
          " ",
          describe(turn.better, views[turn.first_step]),
          " ",
          describeBetter(turn.better_why),
        )
      : null,
  );
}

/** @param {boolean} all */
function showTurns(all) {
  /** @param {ReviewTurn} turn */
  const matters = (turn) => turn.better || Math.abs(turn.luck) >= MIN_LUCK || isTurningPoint(turn);
  setChildren(
    find("[data-turns]", page),
    ...review.turns.filter((turn) => all || matters(turn)).map(TurnItem),
  );
}

/**
 * Return the first turn to show: the one in the address, else the worst mistake, else the start.
 * @param {ReviewTurn | undefined} worst
 */
function initialTurn(worst) {
  const step = new URLSearchParams(location.search).get("step");
  if (step !== null)
    return review.turns.findLast((turn) => turn.first_step <= (Number(step) || 0))?.turn ?? 0;
  return worst?.turn ?? 0;
}

/** @param {unknown} problem */
function fail(problem) {
  if (!(problem instanceof RefusedError)) throw problem;
  const notice = find("[data-problem]", page);
  notice.textContent = problem.message;
  notice.hidden = false;
}

async function show() {
  try {
    game = await loadGame(room);
    if (!game.table?.result) throw new RefusedError(409, "not_over", describeRefusalCode("not_over", ""));
    review = await getFromGame(room, "/review");
    views = replayViews(game.replay, null);
    find("[data-stage]", page).hidden = false;
    const picture = svg("svg");
    setChildren(find("[data-board]", page), picture);
    board = Board(picture, { interactive: false, seats: game.seats, fit: "box", drawArrows });
    const box = find("[data-curve]", page);
    // Phones get a narrower picture instead of a scaled one, so that its labels stay readable.
    curve = Curve(review, game.seats, Math.max(320, Math.min(720, box.clientWidth)), {
      onTurn: goTo,
      textOf: turnLabel,
    });
    setChildren(box, curve.picture);
    setChildren(find("[data-legend]", page), ...LegendItems());
    setChildren(find("[data-sums]", page), ...SumRows());
    const found = worstTurns();
    showMistakes(found);
    // The server searches the game for the puzzles of its players.
    find("[data-to-practice]", page).hidden = !found.length || (game.you?.seat ?? null) === null;
    showTurns(false);
    find("[data-all]", page).addEventListener("change", (event) =>
      showTurns(/** @type {HTMLInputElement} */ (event.target).checked),
    );
    find("[data-back]", page).addEventListener("click", () => goTo(currentTurn - 1));
    find("[data-on]", page).addEventListener("click", () => goTo(currentTurn + 1));
    find("[data-analyse]", page).addEventListener("click", () => {
      const turn = currentTurn ? review.turns[currentTurn - 1] : null;
      openAnalysis(views[turn ? turn.first_step : 0]).catch(fail);
    });
    goTo(initialTurn(found[0]), false);
  } catch (problem) {
    fail(problem);
  } finally {
    find("[data-waiting]", page).hidden = true;
  }
}

show();
