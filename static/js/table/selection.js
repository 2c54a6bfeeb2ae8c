// From choices and clicks to an action: pure, knows no rules, only the list the server sent.
//
// A selection is {card?, from?}. Each click returns one of
//   {action}     send this                      {selection}  nothing to send yet, show this
//   {ask, selection}  several choices fit: let the person pick one of `ask` (a list of choices)

/** The cards an action plays, in the order they are named. */
export function cardsOf(action) {
  if (action.cards) return action.cards;
  return action.card === undefined ? [] : [action.card];
}

const answers = new Set(["steal", "share", "stack", "discard"]);

/** Choices that belong to the board and the hand (owed answers have their own dialogs). */
export const moves = (choices) => choices.filter(({ action }) => !answers.has(action.type));

/** Choices that fit what is selected so far. */
export function fitting(choices, { card, from } = {}) {
  return moves(choices).filter(
    ({ action }) =>
      (card === undefined || cardsOf(action).includes(card)) && (from === undefined || action.from === from),
  );
}

/** Two choices that do the same thing in every way a player could care about. */
function sameEffect(a, b) {
  const keys = ["type", "card", "with", "from", "player"];
  return (
    a.to !== undefined &&
    a.to === b.to &&
    keys.every((key) => a.action[key] === b.action[key]) &&
    String(a.action.cards) === String(b.action.cards)
  );
}

function distinct(choices) {
  return choices.filter((choice, at) => !choices.slice(0, at).some((earlier) => sameEffect(earlier, choice)));
}

function decide(choices, selection) {
  const different = distinct(choices);
  if (different.length === 1) return { action: different[0].action };
  return { ask: different, selection };
}

/** What may be lit: cards to choose, places to start from, places to land on, with the choices behind each. */
export function offers(choices, selection = {}) {
  const all = moves(choices);
  const list = fitting(choices, selection);
  const cards = new Map();
  const sources = new Map();
  const targets = new Map();
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

/** A card of the own hand was clicked. */
export function clickCard(choices, selection, card) {
  if (selection.from !== undefined) {
    const fits = fitting(choices, { card, from: selection.from });
    if (fits.length) return decide(fits, { card, from: selection.from });
  }
  if (selection.card === card) return { selection: {} };
  return { selection: fitting(choices, { card }).length ? { card } : {} };
}

/** A place of the board was clicked. */
export function clickPlace(choices, selection, place) {
  const fits = fitting(choices, selection);
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
  return { selection: fitting(choices, { from: place }).length ? { from: place } : {} };
}

/** Another seat's name plate was clicked: whom to aim the pistol at. */
export function clickSeat(choices, selection, seat) {
  const fits = fitting(choices, selection).filter(({ action }) => action.type === "pistol" && action.player === seat);
  if (selection.card === undefined && fits.length === 0) return { selection };
  return fits.length ? decide(fits, selection) : { selection };
}

/** The one choice of a type, for buttons such as end, draw and sail. */
export const single = (choices, type) => choices.find(({ action }) => action.type === type);

/** The selection, or what is left of it, after the choices changed. */
export function stillFits(choices, selection) {
  if (fitting(choices, selection).length) return selection;
  if (selection.card !== undefined && fitting(choices, { card: selection.card }).length)
    return { card: selection.card };
  return {};
}

/** What the board lights: what led to a past position, the move of a log line, a hint, or what may be chosen. */
export function marksOf({ choices, selection, ask, hint, trace, past, recap }) {
  if (past) return { traces: past.traces };
  if (trace) return { traces: [trace] };
  if (hint && ask) return { selected: hint.from };
  if (!choices.length) return {};
  const { sources, targets } = offers(choices, selection);
  return {
    recap: recap ?? [],
    selected: selection.from,
    sources: selection.from === undefined ? [...sources.keys()] : [],
    targets: [...targets].flatMap(([place, list]) =>
      list.map(({ action, draws }) => ({
        place,
        draws,
        cards: action.type === "parrot" ? [action.as] : action.card ? [action.card] : [],
      })),
    ),
  };
}
