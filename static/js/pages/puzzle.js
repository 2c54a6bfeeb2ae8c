// The practice page: the player's mistakes as puzzles. A turn is put together with the clicks of the real table; then the
// server judges it, and the board plays it and the best turn.

/** @import {Action, Card, Choice, ClickResult, GameEvent, Place, ReviewTurn, Seat, Selection, View} from "../core/types.d.ts" */

import { drawArrows, groupByAction, turnArrows } from "../board/arrows.js";
import { Board } from "../board/board.js";
import { get, getUrl, postUrl, RefusedError } from "../core/api.js";
import { el, find, setChildren, svg } from "../core/dom.js";
import { describeEvents } from "../core/event_text.js";
import { foldAll } from "../core/fold.js";
import { formatPercent, t, tn } from "../core/i18n.js";
import { symbolIcon } from "../core/icons.js";
import { keepFocus } from "../core/keep_focus.js";
import { cardName, colourName, personName } from "../core/names.js";
import { OneAtATime } from "../core/one_at_a_time.js";
import { describeChoice } from "../table/choice_text.js";
import { cardsOf, choiceOfType, clickCard, clickPlace, keepFitting, offers } from "../table/selection.js";
import { describePractice } from "./practice_state.js";
import { PuzzleFacts } from "./puzzle_facts.js";
import { describeBetter } from "./review_reasons.js";

/**
 * @typedef {{ game: string, step: number, stage: number }} PuzzleKey
 * @typedef {{ due: number, waiting: number, done: number, searching: number, searched: number, next_at: number | null, puzzles: PuzzleKey[], now?: number }} Overview
 * @typedef {{ before: View, view: View, choices: Choice[], is_over: boolean, seat: number, seats: { name: string, bot: string | null }[] }} Position
 * @typedef {{ events: GameEvent[], chance: number }} JudgedTurn
 * @typedef {{ is_right: boolean, why: ReviewTurn["better_why"], best: JudgedTurn, tried: JudgedTurn, played: JudgedTurn }} Verdict
 */

const POLL_MS = 4000;
const ACTION_PAUSE_MS = 350;

const page = find("[data-practice]");
const say = find("[data-say]", page);
const more = find("[data-more]", page);
const lines = find("[data-lines]", page);
const bench = find("[data-bench]", page);
const nextButton = find("[data-next]", page);
const againButton = find("[data-again]", page);

/** @type {PuzzleKey[]} */
let queue = [];
// Puzzles that are due beside the open one. The queue has only the first of them.
let dueCount = 0;
/** @type {PuzzleKey} */
let puzzle;
/** @type {Position} Undefined until the first puzzle is open. */
let position;
/** @type {View} The start of the turn. */
let opening;
/** @type {Action[]} */
let actions = [];
/** @type {Selection} */
let selection = {};
const requests = OneAtATime();
// Counts lines played on the board: a new one stops the one before.
let lineCount = 0;

const picture = svg("svg");
setChildren(find("[data-board]", page), picture);
const board = Board(picture, {
  drawArrows,
  /** @param {Place} place */
  onSpace: (place) => {
    // After the verdict the board shows a turn and its arrows.
    if (!bench.hidden) applyClick(clickPlace(position.choices, selection, place));
  },
});

/** @param {unknown} problem */
function fail(problem) {
  if (!(problem instanceof RefusedError)) throw problem;
  const notice = find("[data-problem]", page);
  notice.textContent = problem.message;
  notice.hidden = false;
}

/**
 * Run one request at a time; a refusal is shown.
 * @param {() => Promise<void>} work
 */
const once = (work) =>
  requests
    .run(() => {
      find("[data-problem]", page).hidden = true;
      return work();
    })
    .catch(fail);

/**
 * @param {PuzzleKey} key
 * @param {string} what
 * @param {Action[]} turn
 */
const post = ({ game, step }, what, turn) =>
  postUrl(`/practice/mistakes/${encodeURIComponent(game)}/${step}/${what}`, { actions: turn });

/** @param {ClickResult} meant */
function applyClick(meant) {
  if (meant.action) playAction(meant.action);
  else {
    selection = meant.selection ?? {};
    draw();
  }
}

/** @param {Action} action */
const playAction = (action) =>
  once(async () => {
    if (action.type === "end") return judge([...actions, action]);
    const after = await post(puzzle, "play", [...actions, action]);
    actions.push(action);
    show(after);
    if (after.is_over) await judge(actions);
  });

/** @param {Position} after */
function show(after) {
  position = after;
  selection = keepFitting(position.choices, selection);
  board.set(position.view);
  draw();
}

const seats = () =>
  /** @type {Seat[]} */ (
    position.seats.map(({ name, bot }) => ({ name: bot ? name : personName(name), bot, colour: null }))
  );

/** @param {PuzzleKey} key */
function drop(key) {
  if (queue.includes(key)) dueCount -= 1;
  queue = queue.filter((other) => other !== key);
  nextButton.hidden = queue.length === 0;
}

/** @param {PuzzleKey} next */
const open = (next) =>
  once(async () => {
    const opened = /** @type {Position} */ (
      await post(next, "play", []).catch((problem) => {
        // Its game no longer exists.
        if (problem.status === 404) drop(next);
        throw problem;
      })
    );
    const hadFocus = page.contains(document.activeElement);
    puzzle = next;
    drop(next);
    lineCount += 1;
    actions = [];
    selection = {};
    opening = opened.view;
    find("[data-stage]", page).hidden = false;
    bench.hidden = false;
    for (const part of [lines, nextButton, againButton, find("[data-review]", page)]) part.hidden = true;
    show(opened);
    board.setSeats(seats());
    sayTask();
    // The button that was pressed is hidden now.
    const focused = document.activeElement;
    if (hadFocus && (focused === document.body || !focused?.checkVisibility()))
      bench.focus({ preventScroll: true });
  });

function sayTask() {
  say.textContent = t("Find a better turn.");
  more.textContent = [
    t("Your colour: {colour}.", { colour: colourName(position.seat) }),
    tn("{n} puzzle is left today.", "{n} puzzles are left today.", dueCount + 1),
  ].join(" ");
}

/** @param {Action[]} turn */
async function judge(turn) {
  say.textContent = t("Checking your turn…");
  more.textContent = "";
  const verdict = /** @type {Verdict} */ (
    await post(puzzle, "judge", turn).catch((problem) => {
      sayTask();
      throw problem;
    })
  );
  const hadFocus = bench.contains(document.activeElement);
  position = { ...position, choices: [] };
  bench.hidden = true;
  const words = { best: formatPercent(verdict.best.chance), yours: formatPercent(verdict.tried.chance) };
  say.textContent = verdict.is_right ? t("Right!") : t("There is a better turn.");
  more.textContent = [
    verdict.is_right
      ? t("Your turn wins {yours} of the games, the best one {best}.", words)
      : t("The best turn wins {best} of the games, yours {yours}.", words),
    describeBetter(verdict.why),
  ].join(" ");
  setChildren(
    lines,
    Line(t("Your turn"), verdict.tried, "played"),
    Line(t("The best turn"), verdict.best, "better"),
    Line(t("What you played in the game"), verdict.played, "played"),
  );
  lines.hidden = false;
  nextButton.hidden = queue.length === 0;
  againButton.hidden = verdict.is_right;
  const review = /** @type {HTMLAnchorElement} */ (find("[data-review]", page));
  review.href = `/g/${puzzle.game}/review?step=${puzzle.step}`;
  review.hidden = false;
  find("button", lines).click();
  if (hadFocus) find(".lesson-tools > :not([hidden])", page).focus({ preventScroll: true });
  // A search may have found more, and the list has an end.
  if (!queue.length) await refill();
}

/** Fetch the puzzles that are still due. */
async function refill() {
  const { due, puzzles } = /** @type {Overview} */ (await getUrl("/practice/mistakes"));
  queue = puzzles.filter(({ game, step }) => game !== puzzle.game || step !== puzzle.step);
  dueCount = due - (puzzles.length - queue.length);
  nextButton.hidden = queue.length === 0;
}

/**
 * A turn with its chance; a click plays it on the board.
 * @param {string} title
 * @param {JudgedTurn} turn
 * @param {"played" | "better"} kind
 */
function Line(title, { events, chance }, kind) {
  const button = el(
    "button",
    { type: "button", "aria-pressed": "false" },
    el("b", {}, title),
    el("b", {}, formatPercent(chance)),
    el("small", {}, describeEvents(events, opening, seats()).text || t("No actions.")),
  );
  button.addEventListener("click", ({ isTrusted }) => {
    // On a phone the board is below the lines.
    if (isTrusted) find("[data-board]", page).scrollIntoView({ block: "nearest", behavior: "smooth" });
    for (const other of lines.querySelectorAll("button"))
      other.setAttribute("aria-pressed", String(other === button));
    playLine(events, kind);
  });
  return el("li", {}, button);
}

/**
 * Play a turn on the board, action by action, and leave its arrows there.
 * @param {GameEvent[]} events
 * @param {"played" | "better"} kind
 */
async function playLine(events, kind) {
  lineCount += 1;
  const count = lineCount;
  let view = opening;
  board.mark({});
  board.set(view);
  for (const action of groupByAction(events)) {
    await new Promise((done) => setTimeout(done, ACTION_PAUSE_MS));
    if (count !== lineCount) return;
    view = foldAll(view, action, position.seat);
    await board.set(view, action);
  }
  if (count === lineCount) board.mark({ arrows: turnArrows(events, kind) });
}

/**
 * @param {Card} card
 * @param {number} count
 * @param {boolean} isLit
 */
function CardButton(card, count, isLit) {
  const isChosen = selection.card === card;
  return el(
    isChosen ? "button.card-button.is-chosen" : "button.card-button",
    {
      type: "button",
      "aria-pressed": String(isChosen),
      "data-key": card,
      disabled: !isLit,
      onclick: () => applyClick(clickCard(position.choices, selection, card)),
    },
    symbolIcon(card, "symbol"),
    el("span", {}, count > 1 ? t("{n} × {card}", { n: count, card: cardName(card) }) : cardName(card)),
  );
}

/** @param {Choice} choice */
function MoveButton(choice) {
  const { text, cost } = describeChoice(choice, position.view, seats());
  const words = [text, choice.action.type === "end" ? "" : cost].filter(Boolean).join(", ");
  return el(
    "button.button.button-small",
    { type: "button", "data-key": JSON.stringify(choice.action), onclick: () => playAction(choice.action) },
    words,
  );
}

/** Highlight what can be done, and show the hand. */
function draw() {
  const lit = offers(position.choices, selection);
  board.mark({
    selected: selection.from,
    sources: [...lit.sources.keys()],
    targets: [...lit.targets].map(([place, list]) => ({
      place,
      cards: list.flatMap(({ action }) => cardsOf(action)),
      draws: list[0].draws,
    })),
  });
  keepFocus(bench, drawBench);
}

function drawBench() {
  const { choices, view, seat } = position;
  const lit = offers(choices, selection);
  setChildren(find("[data-facts]", page), ...PuzzleFacts(position, seats()));
  const { hand, cards } = view.players[seat];
  const held = hand ?? [];
  const kinds = [...new Set(held)];
  const unknown = Number(cards) - held.length;
  setChildren(
    find("[data-hand]", page),
    ...kinds.map((card) =>
      CardButton(card, held.filter((other) => other === card).length, lit.cards.has(card)),
    ),
    unknown > 0
      ? el("p.empty", {}, tn("and {n} card from the deck", "and {n} cards from the deck", unknown))
      : null,
    held.length || unknown ? null : el("p.empty", {}, t("Your hand is empty.")),
  );
  const end = choiceOfType(choices, "end");
  const sail = ["sail", "draw"].flatMap(
    (type) => choiceOfType(choices, /** @type {Action["type"]} */ (type)) ?? [],
  );
  const undo = el(
    "button.button.button-small.button-quiet",
    { type: "button", "data-key": "again", onclick: () => open(puzzle) },
    t("Start the turn again"),
  );
  setChildren(
    find("[data-moves]", page),
    ...[...lit.list, ...sail.filter((choice) => !lit.list.includes(choice))].map(MoveButton),
    end && MoveButton(end),
    actions.length ? undo : null,
  );
}

/** @param {Overview} overview */
function showIdle(overview) {
  [say.textContent, more.textContent] = describePractice(overview);
}

async function refresh() {
  const overview = /** @type {Overview} */ (await getUrl("/practice/mistakes"));
  find("[data-waiting]", page).hidden = true;
  if (!position && overview.puzzles.length) {
    queue = overview.puzzles;
    dueCount = overview.due;
    await open(overview.puzzles[0]);
    return;
  }
  showIdle(overview);
  if (overview.searching) setTimeout(() => refresh().catch(fail), POLL_MS);
}

async function start() {
  try {
    const { person } = await get("/me");
    if (person) {
      await postUrl("/practice/mistakes/search", {});
      await refresh();
    } else showIdle({ due: 0, waiting: 0, done: 0, searching: 0, searched: 0, next_at: null, puzzles: [] });
  } catch (problem) {
    fail(problem);
  } finally {
    find("[data-waiting]", page).hidden = true;
  }
}

nextButton.addEventListener("click", () => {
  if (queue.length) open(queue[0]);
});
againButton.addEventListener("click", () => open(puzzle));
start();
