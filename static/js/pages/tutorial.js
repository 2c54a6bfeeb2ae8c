// The tutorial: five small positions on the real engine, played with the same clicks as the real table.
import { Board } from "../board/board.js";
import { symbolIcon } from "../core/icons.js";
import { t } from "../core/i18n.js";
import { cardsOf, clickCard, clickPlace, offers, single, stillFits } from "../table/selection.js";
import { inWords } from "../table/choice_text.js";
import { cardName } from "../core/names.js";
import { el, find, findAll, given, put, svg } from "../core/dom.js";
import { practise } from "./practice.js";

const page = find("[data-tutorial]");
const lessons = given("lessons");
const say = find("[data-say]", page);
const done = find("[data-done]", page);
const refused = find("[data-refused]", page);
const hand = find("[data-hand]", page);
const moves = find("[data-moves]", page);
const next = find("[data-next]", page);
const showMe = find("[data-show]", page);

let at = 0;
let actions = [];
let position = null;
let selection = {};
const finished = new Set();

const picture = svg("svg");
put(find("[data-board]", page), picture);
const board = Board(picture, { onSpace: (place) => take(clickPlace(position.choices, selection, place)) });

/** What a click meant: an action to play, or another selection to show. */
function take(meant) {
  if (meant.action) play(meant.action);
  else {
    selection = meant.selection ?? {};
    draw();
  }
}

async function play(action) {
  refused.hidden = true;
  try {
    const after = await practise(lessons[at].name, [...actions, action]);
    actions.push(action);
    show(after);
  } catch (problem) {
    refused.textContent = problem.message;
    refused.hidden = false;
  }
}

function show(after) {
  position = after;
  selection = stillFits(position.choices, selection);
  board.set(position.view, position.events);
  draw();
  if (!position.done) return;
  finished.add(lessons[at].name);
  done.textContent = lessons[at].praise;
  done.hidden = false;
  showMe.hidden = true;
  const last = at === lessons.length - 1;
  next.hidden = last;
  find("[data-end]", page).hidden = !last;
  if (last) find("[data-play-now]", page).focus();
  else next.focus();
  marks();
}

function marks() {
  for (const [n, mark] of findAll("[data-lesson-mark]", page).entries()) {
    mark.classList.toggle("is-done", finished.has(lessons[n].name));
    const button = find("button", mark);
    if (n === at) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
}

function cardButton(card, count, lit) {
  const chosen = selection.card === card;
  return el(
    chosen ? "button.card-button.is-chosen" : "button.card-button",
    { type: "button", "aria-pressed": String(chosen), disabled: !lit, onclick: () => take(clickCard(position.choices, selection, card)) },
    symbolIcon(card, "symbol"),
    el("span", {}, count > 1 ? t("{n} × {card}", { n: count, card: cardName(card) }) : cardName(card)),
  );
}

function moveButton(choice) {
  const { text, price } = inWords(choice, position.view, null);
  const words = [text, choice.action.type === "end" ? "" : price].filter(Boolean).join(", ");
  return el("button.button.button-small", { type: "button", onclick: () => play(choice.action) }, words);
}

/** Light what can be done: cards in the hand, pirates on the board, where each would land. */
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
  const held = view.players[0].hand ?? [];
  const kinds = [...new Set(held)];
  put(hand, ...kinds.map((card) => cardButton(card, held.filter((each) => each === card).length, lit.cards.has(card))));
  if (!kinds.length) put(hand, el("p.empty", {}, t("Your hand is empty.")));
  const end = single(choices, "end");
  put(moves, ...lit.list.map(moveButton), end && moveButton(end));
}

async function open(number) {
  at = number;
  actions = [];
  selection = {};
  say.textContent = lessons[at].task;
  for (const part of [done, refused, next, find("[data-end]", page)]) part.hidden = true;
  showMe.hidden = false;
  marks();
  if (position) {
    position = { ...position, choices: [] }; // nothing of the last step may be played on this one
    draw();
  }
  try {
    const number = at;
    const opened = await practise(lessons[at].name, []);
    if (number !== at) return;
    show(opened);
    page.dataset.lessonOpen = lessons[at].name;
  } catch (problem) {
    refused.textContent = problem.message;
    refused.hidden = false;
  }
}

/** "Show me": the action the lesson is about, or the end of the turn once that is done. */
function hint() {
  const wanted = position.choices.find(({ action }) => JSON.stringify(action) === JSON.stringify(position.show));
  const fallback = single(position.choices, "end") ?? position.choices[0];
  const choice = wanted ?? fallback;
  if (choice) play(choice.action);
}

next.addEventListener("click", () => open(at + 1));
showMe.addEventListener("click", hint);
find("[data-restart]", page).addEventListener("click", () => open(at));
for (const [n, button] of findAll("[data-lesson]", page).entries()) button.addEventListener("click", () => open(n));
open(0);
