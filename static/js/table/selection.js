// Turns clicks into actions. Pure: it knows no rules, only the list of choices that the server sent.
//
// A selection is {card?, from?}. A click returns one of
//   {action}                  send this action
//   {selection}               nothing to send yet; show this selection
//   {candidates, selection}   several choices fit; let the player pick one of them

/** @import {Action, ActionType, Card, Choice, Click, ClickResult, MapMarks, Place, Selection, State, Trace} from "../core/types.d.ts" */

/**
 * Return the cards that an action plays.
 * @param {Action} action
 */
export function cardsOf(action) {
  if (action.cards) return action.cards;
  return action.card === undefined ? [] : [action.card];
}

const PENDING_ANSWERS = new Set(["steal", "share", "stack", "discard"]);

// Two parrots as a parrot go where a single one goes.
/** @param {Action} action */
const isWasteful = (action) => action.type === "parrot" && action.as === "parrot";

/**
 * Return the choices for board and hand. Answers to a pending choice have their own sheets.
 * @param {Choice[]} choices
 */
export const boardChoices = (choices) =>
  choices.filter(({ action }) => !PENDING_ANSWERS.has(action.type) && !isWasteful(action));

/**
 * Return the choices that fit the selection.
 * @param {Choice[]} choices
 * @param {Selection} [options]
 */
function matching(choices, { card, from } = {}) {
  return boardChoices(choices).filter(
    ({ action }) =>
      (card === undefined || cardsOf(action).includes(card)) && (from === undefined || action.from === from),
  );
}

/**
 * Whether two choices have the same visible effect. The two cards of a hook may change places.
 * @param {Choice} a
 * @param {Choice} b
 */
function hasSameEffect(a, b) {
  /** @type {(keyof Action)[]} */
  const keys = ["type", "from", "player"];
  /** @param {Choice} choice */
  const cards = ({ action }) => String([...cardsOf(action), action.with ?? []].flat().sort());
  return (
    a.to !== undefined &&
    a.to === b.to &&
    keys.every((key) => a.action[key] === b.action[key]) &&
    cards(a) === cards(b)
  );
}

/** @param {Choice[]} choices */
function distinct(choices) {
  return choices.filter(
    (choice, at) => !choices.slice(0, at).some((earlier) => hasSameEffect(earlier, choice)),
  );
}

/**
 * @param {Choice[]} choices
 * @param {Selection} selection
 */
function decide(choices, selection) {
  const different = distinct(choices);
  if (different.length === 1) return { action: different[0].action };
  return { candidates: different, selection };
}

/**
 * Return what can be highlighted: cards, sources and targets, each with its choices, and the list of matching choices.
 * @param {Choice[]} choices
 * @param {Selection} [selection]
 */
export function offers(choices, selection = {}) {
  const all = boardChoices(choices);
  const list = matching(choices, selection);
  /** @type {Map<Card, Choice[]>} */
  const cards = new Map();
  /** @type {Map<Place, Choice[]>} */
  const sources = new Map();
  /** @type {Map<Place, Choice[]>} */
  const targets = new Map();
  /** @type {<K>(map: Map<K, Choice[]>, key: K, choice: Choice) => Map<K, Choice[]>} */
  const add = (map, key, choice) => map.set(key, [...(map.get(key) ?? []), choice]);
  for (const choice of selection.from === undefined ? all : list) {
    for (const card of new Set(cardsOf(choice.action))) add(cards, card, choice);
  }
  for (const choice of selection.card === undefined ? all : list) {
    if (choice.action.from !== undefined) add(sources, choice.action.from, choice);
  }
  const chosen = selection.card !== undefined || selection.from !== undefined;
  if (chosen) for (const choice of list) if (choice.to !== undefined) add(targets, choice.to, choice);
  return { list: chosen ? distinct(list) : [], cards, sources, targets };
}

/**
 * Handle a click on a card of the player's hand.
 * @param {Choice[]} choices
 * @param {Selection} selection
 * @param {Card} card
 */
export function clickCard(choices, selection, card) {
  if (selection.from !== undefined) {
    const fits = matching(choices, { card, from: selection.from });
    if (fits.length) return decide(fits, { card, from: selection.from });
  }
  if (selection.card === card) return { selection: {} };
  return { selection: matching(choices, { card }).length ? { card } : {} };
}

/**
 * Handle a click on a place of the board.
 * @param {Choice[]} choices
 * @param {Selection} selection
 * @param {Place} place
 */
export function clickPlace(choices, selection, place) {
  const fits = matching(choices, selection);
  if (selection.from !== undefined) {
    const landing = fits.filter(({ to }) => to === place);
    if (landing.length) return decide(landing, selection);
    if (selection.from === place) return { selection: {} };
  } else if (selection.card !== undefined) {
    const standing = fits.filter(({ action }) => action.from === place);
    if (standing.length) return decide(standing, { card: selection.card, from: place });
    const landing = fits.filter(({ to }) => to === place);
    if (landing.length) return decide(landing, selection);
  }
  return { selection: matching(choices, { from: place }).length ? { from: place } : {} };
}

/**
 * Handle a click on a place while a hint is shown: its landing place plays it.
 * @param {Pick<State, "choices" | "selection" | "candidates" | "hint">} state
 * @param {Place} place
 */
export function clickHintedPlace({ choices, selection, candidates, hint }, place) {
  const hinted = hint && candidates?.find(({ to }) => to === place);
  return hinted ? { action: hinted.action } : clickPlace(choices, selection, place);
}

/**
 * Handle a click on another player's plate: the target of a pistol.
 * @param {Choice[]} choices
 * @param {Selection} selection
 * @param {number} seat
 */
export function clickSeat(choices, selection, seat) {
  const fits = matching(choices, selection).filter(
    ({ action }) => action.type === "pistol" && action.player === seat,
  );
  if (selection.card === undefined && fits.length === 0) return { selection };
  return fits.length ? decide(fits, selection) : { selection };
}

/**
 * Whether a click has neither sent nor selected nor put back anything.
 * @param {ClickResult} meant
 * @param {Selection} before
 * @param {Click} clicked
 */
export function isInert({ action, candidates, selection = {} }, before, { card, place, player }) {
  if (action || candidates) return false;
  if (place !== undefined) return selection.from !== place && before.from !== place;
  if (player !== undefined || card === undefined) return true;
  return selection.card !== card && before.card !== card;
}

/**
 * Return the choice of a type of which there is only one, such as end, draw or sail.
 * @param {Choice[]} choices
 * @param {ActionType} type
 */
export const choiceOfType = (choices, type) => choices.find(({ action }) => action.type === type);

/**
 * Return the part of the selection that still fits after the choices have changed.
 * @param {Choice[]} choices
 * @param {Selection} selection
 */
export function keepFitting(choices, selection) {
  if (matching(choices, selection).length) return selection;
  if (selection.card !== undefined && matching(choices, { card: selection.card }).length)
    return { card: selection.card };
  return {};
}

/**
 * Return the marks of the board: moves of a past position or a log line, a hint, or what can be selected.
 * @param {Pick<State, "choices" | "selection" | "candidates" | "hint" | "trace" | "past" | "recap">} state
 * @returns {MapMarks & { traces?: Trace[], recap?: Trace[] }}
 */
export function marksOf({ choices, selection, candidates, hint, trace, past, recap }) {
  if (past) return { traces: past.traces };
  if (trace) return { traces: [trace] };
  if (hint && candidates) return { selected: hint.from, targets: landingMarks(candidates) };
  if (!choices.length) return {};
  const { sources, targets } = offers(choices, selection);
  return {
    recap: recap ?? [],
    selected: selection.from,
    sources: selection.from === undefined ? [...sources.keys()] : [],
    targets: landingMarks([...targets.values()].flat()),
  };
}

/**
 * Return a mark for the landing place of each choice that has one.
 * @param {Choice[]} choices
 */
const landingMarks = (choices) =>
  choices.flatMap(({ action, draws, to }) =>
    to === undefined
      ? []
      : [
          {
            place: to,
            draws,
            cards: action.type === "parrot" ? [action.as] : action.card ? [action.card] : [],
          },
        ],
  );
