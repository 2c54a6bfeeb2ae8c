// The tutorial: five small positions, played by the server's engine with the clicks of the real table.

/** @import {Action, Card, Choice, ClickResult, Place, Practice, Selection} from "../core/types.d.ts" */

import { Board } from "../board/board.js";
import { el, find, findAll, readJsonBlock, setChildren, svg } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { symbolIcon } from "../core/icons.js";
import { cardName } from "../core/names.js";
import { describeChoice } from "../table/choice_text.js";
import { cardsOf, choiceOfType, clickCard, clickPlace, keepFitting, offers } from "../table/selection.js";
import { playPractice } from "./practice.js";

const page = find("[data-tutorial]");
const lessons = readJsonBlock("lessons");
const task = find("[data-say]", page);
const praise = find("[data-done]", page);
const refusal = find("[data-refused]", page);
const hand = find("[data-hand]", page);
const moveList = find("[data-moves]", page);
const next = find("[data-next]", page);
const showMe = find("[data-show]", page);

let lessonIndex = 0;
/** @type {Action[]} */
let actions = [];
/** @type {Practice} Undefined until the first lesson is open. */
let position;
/** @type {Selection} */
let selection = {};
const finished = new Set();

const picture = svg("svg");
setChildren(find("[data-board]", page), picture);
const board = Board(picture, {
  /** @param {Place} place */
  onSpace: (place) => applyClick(clickPlace(position.choices, selection, place)),
});

/**
 * Apply the result of a click: play an action, or show a new selection.
 * @param {ClickResult} meant
 */
function applyClick(meant) {
  if (meant.action) playAction(meant.action);
  else {
    selection = meant.selection ?? {};
    draw();
  }
}

/** @param {Action} action */
async function playAction(action) {
  refusal.hidden = true;
  try {
    const after = await playPractice(lessons[lessonIndex].name, [...actions, action]);
    actions.push(action);
    show(after);
  } catch (problem) {
    refusal.textContent = /** @type {Error} */ (problem).message;
    refusal.hidden = false;
  }
}

/** @param {Practice} after */
function show(after) {
  position = after;
  selection = keepFitting(position.choices, selection);
  board.set(position.view, position.events);
  draw();
  if (!position.done) return;
  finished.add(lessons[lessonIndex].name);
  praise.textContent = lessons[lessonIndex].praise;
  praise.hidden = false;
  showMe.hidden = true;
  const last = lessonIndex === lessons.length - 1;
  next.hidden = last;
  find("[data-end]", page).hidden = !last;
  if (last) find("[data-play-now]", page).focus();
  else next.focus();
  updateLessonMarks();
}

function updateLessonMarks() {
  for (const [n, mark] of findAll("[data-lesson-mark]", page).entries()) {
    mark.classList.toggle("is-done", finished.has(lessons[n].name));
    const button = find("button", mark);
    if (n === lessonIndex) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
}

/**
 * @param {Card} card
 * @param {number} count
 * @param {boolean} lit
 */
function CardButton(card, count, lit) {
  const chosen = selection.card === card;
  return el(
    chosen ? "button.card-button.is-chosen" : "button.card-button",
    {
      type: "button",
      "aria-pressed": String(chosen),
      disabled: !lit,
      onclick: () => applyClick(clickCard(position.choices, selection, card)),
    },
    symbolIcon(card, "symbol"),
    el("span", {}, count > 1 ? t("{n} × {card}", { n: count, card: cardName(card) }) : cardName(card)),
  );
}

/** @param {Choice} choice */
function MoveButton(choice) {
  const { text, cost } = describeChoice(choice, position.view, null);
  const words = [text, choice.action.type === "end" ? "" : cost].filter(Boolean).join(", ");
  return el(
    "button.button.button-small",
    { type: "button", onclick: () => playAction(choice.action) },
    words,
  );
}

/** Highlight what can be done: cards, pirates and landing places. */
function draw() {
  const { choices, view } = position;
  const lit = offers(choices, selection);
  board.mark({
    selected: selection.from,
    sources: [...lit.sources.keys()],
    targets: [...lit.targets].map(([place, list]) => ({
      place,
      cards: list.flatMap(({ action }) => cardsOf(action)),
      draws: list[0].draws,
    })),
  });
  const cards = view.players[0].hand ?? [];
  const kinds = [...new Set(cards)];
  setChildren(
    hand,
    ...kinds.map((card) =>
      CardButton(card, cards.filter((other) => other === card).length, lit.cards.has(card)),
    ),
  );
  if (!kinds.length) setChildren(hand, el("p.empty", {}, t("Your hand is empty.")));
  const end = choiceOfType(choices, "end");
  setChildren(moveList, ...lit.list.map(MoveButton), end && MoveButton(end));
}

/** @param {number} number */
async function openLesson(number) {
  lessonIndex = number;
  actions = [];
  selection = {};
  task.textContent = lessons[lessonIndex].task;
  for (const part of [praise, refusal, next, find("[data-end]", page)]) part.hidden = true;
  showMe.hidden = false;
  updateLessonMarks();
  if (position) {
    // Actions of the previous lesson must not be played in this one.
    position = { ...position, choices: [] };
    draw();
  }
  try {
    const number = lessonIndex;
    const opened = await playPractice(lessons[lessonIndex].name, []);
    if (number !== lessonIndex) return;
    show(opened);
    page.dataset.lessonOpen = lessons[lessonIndex].name;
  } catch (problem) {
    refusal.textContent = /** @type {Error} */ (problem).message;
    refusal.hidden = false;
  }
}

/** Play the action that the lesson is about, or end the turn after it. */
function showHint() {
  const taught = position.choices.find(
    ({ action }) => JSON.stringify(action) === JSON.stringify(position.show),
  );
  const fallback = choiceOfType(position.choices, "end") ?? position.choices[0];
  const choice = taught ?? fallback;
  if (choice) playAction(choice.action);
}

next.addEventListener("click", () => openLesson(lessonIndex + 1));
showMe.addEventListener("click", showHint);
find("[data-restart]", page).addEventListener("click", () => openLesson(lessonIndex));
for (const [n, button] of findAll("[data-lesson]", page).entries())
  button.addEventListener("click", () => openLesson(n));
openLesson(0);
