// Applies events to a view, as app/rules/core/event.py does on the server. Events carry patches; no rules are needed here.

/** @import {Card, EventOf, EventType, GameEvent, PendingOf, Place, Player, Step, View} from "./types.d.ts" */

/**
 * A view while the game runs.
 * @typedef {Omit<View, "deck" | "players"> & { deck: number, players: (Player & { cards: number })[] }} RunningView
 */

/**
 * @param {string} a
 * @param {string} b
 */
const byCodePoint = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Return the rank of a place on this game's route, for sorting pirates.
 * @param {RunningView} view
 * @param {Place} place
 */
function placeRank(view, place) {
  if (place === "start") return 0;
  if (place === "goal") return 1e6;
  const passage = view.options.passage_boards * 6;
  if (place === "sloop") return passage + 0.5;
  return place;
}

/**
 * @param {RunningView} view
 * @param {number} seat
 * @param {Place} from
 * @param {Place} to
 */
function movePirate(view, seat, from, to) {
  const pirates = view.players[seat].pirates;
  const at = pirates.indexOf(from);
  if (at < 0) throw new Error(`no pirate of seat ${seat} at ${from}`);
  pirates[at] = to;
  pirates.sort((a, b) => placeRank(view, a) - placeRank(view, b));
}

/**
 * @param {RunningView} view
 * @param {number} seat
 * @param {Card[] | null} cards
 * @param {number} count
 */
function addCards(view, seat, cards, count) {
  const player = view.players[seat];
  player.cards += count;
  if (player.hand && cards) player.hand = [...player.hand, ...cards].sort(byCodePoint);
}

/**
 * @param {RunningView} view
 * @param {number} seat
 * @param {Card[] | null} cards
 * @param {number} [count]
 */
function removeCards(view, seat, cards, count = /** @type {Card[]} */ (cards).length) {
  const player = view.players[seat];
  player.cards -= count;
  if (player.hand && cards) for (const card of cards) removeCard(player.hand, card);
}

/**
 * @param {Card[]} cards
 * @param {Card} card
 */
function removeCard(cards, card) {
  const at = cards.indexOf(card);
  if (at < 0) throw new Error(`${card} is not there`);
  cards.splice(at, 1);
}

/**
 * Move played cards from the hand to the discards and count `actions` as taken.
 * @param {RunningView} view
 * @param {number} seat
 * @param {Card[]} cards
 * @param {number} [actions]
 */
function playCards(view, seat, cards, actions = 1) {
  removeCards(view, seat, cards);
  view.discard.push(...cards);
  view.turn.taken += actions;
  view.forced_passes = 0;
}

/** @param {Card} card */
const isDark = (card) => card.endsWith("*");

/**
 * @param {RunningView} view
 * @param {number} from
 * @param {number | null} viewer
 */
function hideHandAgain(view, from, viewer) {
  const hidden = view.options.hands === "hidden" && viewer !== from;
  if (hidden) view.players[from].hand = null;
}

/**
 * @param {RunningView} view
 * @param {"share" | "stack"} kind
 * @param {{ seat: number, card: Card }} event
 * @param {number | null} viewer
 */
function setPendingCards(view, kind, event, viewer) {
  /** @type {PendingOf<"share" | "stack">} */
  const pending = { kind, seat: event.seat, cards: null, dark: isDark(event.card) };
  if (viewer === event.seat) pending.cards = [];
  else pending.count = 0;
  view.pending = pending;
}

/** @type {{ [T in EventType]: (view: RunningView, e: EventOf<T>, viewer: number | null) => void }} */
const patches = {
  advanced(view, e) {
    playCards(view, e.seat, [e.card]);
    movePirate(view, e.seat, e.from, e.to);
  },
  retreated(view, e) {
    movePirate(view, e.seat, e.from, e.to);
    view.turn.taken += 1;
    view.forced_passes = 0;
  },
  morgan_moved(view, e) {
    movePirate(view, e.player, e.from, e.to);
    view.turn.taken += 1;
    view.forced_passes = 0;
  },
  sailed(view, e) {
    view.sloop = e.to;
    if (e.free) view.turn.captain_used = true;
    else view.turn.taken += 1;
    view.forced_passes = 0;
  },
  rested(view) {
    view.forced_passes = 0;
  },
  cards_drawn(view, e) {
    if (e.source === "row") view.row.splice(0, e.count);
    else view.deck -= e.count;
    addCards(view, e.seat, e.cards, e.count);
  },
  row_laid(view, e) {
    view.deck -= e.cards.length;
    view.row.push(...e.cards);
  },
  deck_shuffled(view, e) {
    view.deck = e.count;
    view.discard = [];
    view.shuffles += 1;
  },
  turn_passed(view, e) {
    view.turn = { seat: e.next, taken: 0, captain_used: false };
    view.forced_passes = e.forced ? view.forced_passes + 1 : 0;
  },
  stalemate_broken(view) {
    view.forced_passes = 0;
  },
  resigned(view, e) {
    const player = view.players[e.seat];
    player.cards = 0;
    if (player.hand) player.hand = [];
    view.discard.push(...e.cards);
    player.resigned = true;
    view.forced_passes = 0;
  },
  pistol_aimed(view, e) {
    playCards(view, e.seat, [e.card]);
    view.pending = { kind: "steal", seat: e.seat, from: e.player, dark: isDark(e.card) };
    if (e.hand) view.players[e.player].hand = [...e.hand];
  },
  card_stolen(view, e, viewer) {
    view.pending = null;
    addCards(view, e.seat, e.card ? [e.card] : null, 1);
    removeCards(view, e.from, e.card ? [e.card] : null, 1);
    hideHandAgain(view, e.from, viewer);
    view.forced_passes = 0;
  },
  steal_lapsed(view, e, viewer) {
    view.pending = null;
    hideHandAgain(view, e.from, viewer);
  },
  rum_poured(view, e, viewer) {
    playCards(view, e.seat, [e.card]);
    setPendingCards(view, "share", e, viewer);
  },
  lantern_lit(view, e, viewer) {
    playCards(view, e.seat, [e.card]);
    setPendingCards(view, "stack", e, viewer);
  },
  choice_dealt(view, e) {
    view.deck -= e.count;
    const pending = /** @type {PendingOf<"share" | "stack">} */ (view.pending);
    if (pending.cards)
      pending.cards = [...pending.cards, .../** @type {Card[]} */ (e.cards)].sort(byCodePoint);
    else pending.count = /** @type {number} */ (pending.count) + e.count;
  },
  cards_shared(view, e) {
    view.pending = null;
    addCards(view, e.seat, e.keep, e.kept);
    for (const [seat, card] of Object.entries(e.give)) addCards(view, Number(seat), card ? [card] : null, 1);
    view.forced_passes = 0;
  },
  cards_stacked(view, e) {
    view.pending = null;
    addCards(view, e.seat, e.keep ? [e.keep] : null, 1);
    view.deck += e.count;
    view.forced_passes = 0;
  },
  parrot_advanced(view, e) {
    playCards(view, e.seat, [...e.cards].sort(byCodePoint));
    movePirate(view, e.seat, e.from, e.to);
  },
  hook_advanced(view, e) {
    playCards(view, e.seat, [e.card, e.with], 2);
    movePirate(view, e.seat, e.from, e.to);
    movePirate(view, e.seat, e.from, e.to);
  },
  chest_opened(view, e) {
    playCards(view, e.seat, [e.card]);
    delete view.chests[e.from];
  },
  snake_struck(view, e) {
    movePirate(view, e.seat, e.from, e.to);
  },
  chests_laid(view, e) {
    view.chests = Object.fromEntries(e.spaces.map((space) => [space, null]));
    view.chests_aside = e.aside;
    view.chest_shuffles += 1;
  },
  discard_owed(view, e) {
    view.pending = { kind: "discard", owed: { ...e.owed } };
  },
  cards_discarded(view, e) {
    removeCards(view, e.seat, e.cards);
    view.discard.push(...e.cards);
    const { owed } = /** @type {PendingOf<"discard">} */ (view.pending);
    delete owed[e.seat];
    if (Object.keys(owed).length === 0) view.pending = null;
    view.forced_passes = 0;
  },
  pending_discarded(view, e) {
    view.pending = null;
    view.discard.push(...e.cards);
  },
  game_won(view, e) {
    view.winner = e.seat;
    const { hands } = e;
    // A deal of the day keeps its hands and deck secret.
    if (!hands) return;
    const shown = /** @type {View} */ (view);
    const whole = /** @type {Required<typeof e>} */ (e);
    shown.seed = whole.seed;
    shown.deck = whole.deck;
    shown.chests = whole.chests;
    shown.chests_aside = whole.chests_aside;
    shown.players.forEach((player, seat) => {
      player.hand = hands[seat];
      delete player.cards;
    });
  },
};

/** @typedef {(view: RunningView, e: GameEvent, viewer: number | null) => void} Patch */

/**
 * Apply one event to the view in place. `viewer` is a seat, or null for a spectator.
 * @param {View} view
 * @param {GameEvent} event
 * @param {number | null} viewer
 */
export function fold(view, event, viewer) {
  const patch = /** @type {Patch | undefined} */ (patches[event.type]);
  if (!patch) throw new Error(`unknown event ${event.type}`);
  patch(/** @type {RunningView} */ (view), event, viewer);
}

/**
 * Return a new view with all events applied. The given view is not changed.
 * @param {View} view
 * @param {GameEvent[]} events
 * @param {number | null} viewer
 */
export function foldAll(view, events, viewer) {
  const next = structuredClone(view);
  for (const event of events) fold(next, event, viewer);
  return next;
}

/**
 * Return the index of the view at which a seat's last completed turn began; 0 if it has none.
 * @param {View[]} views
 * @param {number} seat
 */
export function lastTurnStart(views, seat) {
  /** @param {number} at */
  const isOwnTurn = (at) => at >= 0 && views[at].turn.seat === seat;
  let at = views.length - 1;
  // Skip the turn in progress.
  while (isOwnTurn(at)) at -= 1;
  while (at >= 0 && !isOwnTurn(at)) at -= 1;
  while (isOwnTurn(at - 1)) at -= 1;
  return Math.max(0, at);
}

/**
 * Return all views of a replay, the initial one first.
 * @param {{ view: View, steps: Step[] }} parts
 * @param {number | null} viewer
 */
export function replayViews({ view, steps }, viewer) {
  const views = [view];
  for (const step of steps) views.push(step.view ?? foldAll(views[views.length - 1], step.events, viewer));
  return views;
}
