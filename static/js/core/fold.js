// The fold: a view and an event make the next view, as fold.py does on the server. No rules, only the patches events carry.

const bySize = (a, b) => (a < b ? -1 : a > b ? 1 : 0); // as text, by code point

/** The order of places on this game's route, for sorting pirates. */
function rank(view, place) {
  if (place === "start") return 0;
  if (place === "goal") return 1e6;
  const passage = view.options.passage_boards * 6;
  if (place === "sloop") return passage + 0.5;
  return place;
}

function move(view, seat, from, to) {
  const pirates = view.players[seat].pirates;
  const at = pirates.indexOf(from);
  if (at < 0) throw new Error(`no pirate of seat ${seat} at ${from}`);
  pirates[at] = to;
  pirates.sort((a, b) => rank(view, a) - rank(view, b));
}

function gain(view, seat, cards, count) {
  const player = view.players[seat];
  player.cards += count;
  if (player.hand && cards) player.hand = [...player.hand, ...cards].sort(bySize);
}

function lose(view, seat, cards, count = cards.length) {
  const player = view.players[seat];
  player.cards -= count;
  if (player.hand && cards) for (const card of cards) takeOut(player.hand, card);
}

function takeOut(cards, card) {
  const at = cards.indexOf(card);
  if (at < 0) throw new Error(`${card} is not there`);
  cards.splice(at, 1);
}

/** A card was played: it leaves the hand for the discards and costs `actions`. */
function play(view, seat, cards, actions = 1) {
  lose(view, seat, cards);
  view.discard.push(...cards);
  view.turn.taken += actions;
  view.forced_passes = 0;
}

const isDark = (card) => card.endsWith("*");

function hideAgain(view, from, viewer) {
  const hidden = view.options.hands === "hidden" && viewer !== from;
  if (hidden) view.players[from].hand = null;
}

function owe(view, kind, event, viewer) {
  view.pending = { kind, seat: event.seat, cards: null, dark: isDark(event.card) };
  if (viewer === event.seat) view.pending.cards = [];
  else view.pending.count = 0;
}

const patches = {
  advanced(view, e) {
    play(view, e.seat, [e.card]);
    move(view, e.seat, e.from, e.to);
  },
  retreated(view, e) {
    move(view, e.seat, e.from, e.to);
    view.turn.taken += 1;
    view.forced_passes = 0;
  },
  morgan_moved(view, e) {
    move(view, e.player, e.from, e.to);
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
    gain(view, e.seat, e.cards, e.count);
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
    play(view, e.seat, [e.card]);
    view.pending = { kind: "steal", seat: e.seat, from: e.player, dark: isDark(e.card) };
    if (e.hand) view.players[e.player].hand = [...e.hand];
  },
  card_stolen(view, e, viewer) {
    view.pending = null;
    gain(view, e.seat, e.card ? [e.card] : null, 1);
    lose(view, e.from, e.card ? [e.card] : null, 1);
    hideAgain(view, e.from, viewer);
    view.forced_passes = 0;
  },
  steal_lapsed(view, e, viewer) {
    view.pending = null;
    hideAgain(view, e.from, viewer);
  },
  rum_poured(view, e, viewer) {
    play(view, e.seat, [e.card]);
    owe(view, "share", e, viewer);
  },
  lantern_lit(view, e, viewer) {
    play(view, e.seat, [e.card]);
    owe(view, "stack", e, viewer);
  },
  choice_dealt(view, e) {
    view.deck -= e.count;
    if (view.pending.cards) view.pending.cards = [...view.pending.cards, ...e.cards].sort(bySize);
    else view.pending.count += e.count;
  },
  cards_shared(view, e) {
    view.pending = null;
    gain(view, e.seat, e.keep, e.kept);
    for (const [seat, card] of Object.entries(e.give)) gain(view, Number(seat), card ? [card] : null, 1);
    view.forced_passes = 0;
  },
  cards_stacked(view, e) {
    view.pending = null;
    gain(view, e.seat, e.keep ? [e.keep] : null, 1);
    view.deck += e.count;
    view.forced_passes = 0;
  },
  parrot_advanced(view, e) {
    play(view, e.seat, [...e.cards].sort(bySize));
    move(view, e.seat, e.from, e.to);
  },
  hook_advanced(view, e) {
    play(view, e.seat, [e.card, e.with], 2);
    move(view, e.seat, e.from, e.to);
    move(view, e.seat, e.from, e.to);
  },
  chest_opened(view, e) {
    play(view, e.seat, [e.card]);
    delete view.chests[e.from];
  },
  snake_struck(view, e) {
    move(view, e.seat, e.from, e.to);
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
    lose(view, e.seat, e.cards);
    view.discard.push(...e.cards);
    delete view.pending.owed[e.seat];
    if (Object.keys(view.pending.owed).length === 0) view.pending = null;
    view.forced_passes = 0;
  },
  pending_discarded(view, e) {
    view.pending = null;
    view.discard.push(...e.cards);
  },
  game_won(view, e) {
    view.winner = e.seat;
    if (!e.hands) return; // a deal that others play too
    view.seed = e.seed;
    view.deck = e.deck;
    view.chests = e.chests;
    view.chests_aside = e.chests_aside;
    view.players.forEach((player, seat) => {
      player.hand = e.hands[seat];
      delete player.cards;
    });
  },
};

/** The view after one event, in place. `viewer` is a seat or null for a spectator. */
export function fold(view, event, viewer) {
  const patch = patches[event.type];
  if (!patch) throw new Error(`unknown event ${event.type}`);
  patch(view, event, viewer);
}

/** A fresh view after a list of events; the old one stays as it was. */
export function foldAll(view, events, viewer) {
  const next = structuredClone(view);
  for (const event of events) fold(next, event, viewer);
  return next;
}

/** Where the last turn of a seat that is over begins among the views of a game; 0 if it has had none. */
export function lastTurnOf(views, seat) {
  const isIts = (at) => at >= 0 && views[at].turn.seat === seat;
  let at = views.length - 1;
  while (isIts(at)) at -= 1; // the turn under way
  while (at >= 0 && !isIts(at)) at -= 1;
  while (isIts(at - 1)) at -= 1;
  return Math.max(0, at);
}

/** All views of a replay, the opening first. */
export function viewsOf({ view, steps }, viewer) {
  const views = [view];
  for (const step of steps) views.push(step.view ?? foldAll(views[views.length - 1], step.events, viewer));
  return views;
}
