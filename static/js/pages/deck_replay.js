// Replays a game's events with the recomputed deck and reports the first card that differs.

/** @import {Card, EventOf, EventType, GameEvent, Options, View} from "../core/types.d.ts" */

import { byCodePoint, layChests, setUp, shuffle } from "./seeded_setup.js";

/**
 * An event with all fields, from a replayed record. The server is not trusted here: a missing field must cause an error,
 * so no field has a default.
 * @template {EventType} T
 * @typedef {{ [K in keyof EventOf<T>]-?: NonNullable<EventOf<T>[K]> }} OpenEvent
 */

/** A card, token or board that does not follow from the seed. */
export class Mismatch extends Error {
  /**
   * @param {string} what
   * @param {unknown} expected
   * @param {unknown} found
   */
  constructor(what, expected, found) {
    super(what);
    this.what = what;
    this.expected = expected;
    this.found = found;
  }
}

/** @param {unknown} value */
const toJson = (value) => JSON.stringify(value);

/**
 * @param {string} what
 * @param {unknown} expected
 * @param {unknown} found
 */
function requireSame(what, expected, found) {
  if (toJson(expected) !== toJson(found)) throw new Mismatch(what, expected, found);
}

/**
 * @param {Card[]} from
 * @param {Card[]} cards
 * @param {string} what
 */
function removeCards(from, cards, what) {
  for (const card of cards) {
    const at = from.indexOf(card);
    if (at < 0) throw new Mismatch(what, from.slice(), card);
    from.splice(at, 1);
  }
}

/** Hands, deck and discards of a game, recomputed from its seed. */
export class DeckReplay {
  /**
   * @param {Options} options
   * @param {string} seed
   */
  constructor(options, seed) {
    const { board, hands, row, deck, first, chests, aside } = setUp(options, seed);
    this.seed = seed;
    this.board = board;
    this.hands = hands;
    this.row = row;
    this.deck = deck;
    this.first = first;
    this.chests = chests;
    this.aside = aside;
    /** @type {Card[]} */
    this.discard = [];
    this.shuffles = 0;
    this.chestShuffles = 0;
    /** @type {Card[]} */
    this.pending = [];
    this.cardsSeen = hands.flat().length + row.length;
  }

  /**
   * Check the position before the first action. Throws Mismatch.
   * @param {View} view
   */
  checkStart(view) {
    requireSame("board", this.board, view.board);
    requireSame("first", this.first, view.turn.seat);
    requireSame("row", this.row, view.row);
    view.players.forEach((player, seat) => {
      requireSame("hand", this.hands[seat], player.hand);
    });
    if (Array.isArray(view.deck)) requireSame("deck", this.deck, view.deck);
  }

  /**
   * @param {number} seat
   * @param {Card[]} cards
   */
  gain(seat, cards) {
    this.hands[seat] = [...this.hands[seat], ...cards].sort(byCodePoint);
  }

  /**
   * @param {number} seat
   * @param {Card[]} cards
   */
  play(seat, cards) {
    removeCards(this.hands[seat], cards, "played");
    this.discard.push(...cards);
  }

  /** @param {Card[]} cards */
  draw(cards) {
    requireSame("drawn", this.deck.splice(0, cards.length), cards);
    this.cardsSeen += cards.length;
  }

  /**
   * Check one event and apply it. Throws Mismatch. Events that move no card are ignored.
   * @param {GameEvent} event
   */
  follow(event) {
    const step = /** @type {((game: DeckReplay, e: GameEvent) => void) | undefined} */ (
      EVENT_CHECKS[event.type]
    );
    step?.(this, event);
  }
}

/** @type {{ [T in EventType]?: (game: DeckReplay, e: OpenEvent<T>) => void }} */
const EVENT_CHECKS = {
  advanced(game, e) {
    game.play(e.seat, [e.card]);
  },
  pistol_aimed(game, e) {
    requireSame("hand", game.hands[e.player], e.hand);
    game.play(e.seat, [e.card]);
  },
  rum_poured(game, e) {
    game.play(e.seat, [e.card]);
    game.pending = [];
  },
  lantern_lit(game, e) {
    game.play(e.seat, [e.card]);
    game.pending = [];
  },
  parrot_advanced(game, e) {
    game.play(e.seat, [...e.cards].sort(byCodePoint));
  },
  hook_advanced(game, e) {
    game.play(e.seat, [e.card, e.with]);
  },
  cards_drawn(game, e) {
    if (e.source === "deck") game.draw(e.cards);
    else requireSame("row", game.row.splice(0, e.cards.length), e.cards);
    game.gain(e.seat, e.cards);
  },
  row_laid(game, e) {
    game.draw(e.cards);
    game.row.push(...e.cards);
  },
  deck_shuffled(game, e) {
    game.shuffles += 1;
    requireSame("count", game.discard.length, e.count);
    game.deck = shuffle(game.seed, `deck:${game.shuffles}`, game.discard);
    game.discard = [];
  },
  resigned(game, e) {
    requireSame("hand", game.hands[e.seat], e.cards);
    game.hands[e.seat] = [];
    game.discard.push(...e.cards);
  },
  card_stolen(game, e) {
    removeCards(game.hands[e.from], [e.card], "stolen");
    game.gain(e.seat, [e.card]);
  },
  choice_dealt(game, e) {
    game.draw(e.cards);
    game.pending.push(...e.cards);
  },
  cards_shared(game, e) {
    removeCards(game.pending, e.keep, "kept");
    game.gain(e.seat, e.keep);
    for (const [seat, card] of Object.entries(e.give)) {
      removeCards(game.pending, [/** @type {Card} */ (card)], "given");
      game.gain(Number(seat), [/** @type {Card} */ (card)]);
    }
    game.pending = [];
  },
  cards_stacked(game, e) {
    removeCards(game.pending, [e.keep, ...e.back], "kept");
    game.gain(e.seat, [e.keep]);
    game.deck.unshift(...e.back);
    game.pending = [];
  },
  cards_discarded(game, e) {
    game.play(e.seat, e.cards);
  },
  pending_discarded(game, e) {
    game.discard.push(...e.cards);
    game.pending = [];
  },
  chest_opened(game, e) {
    game.play(e.seat, [e.card]);
    requireSame("chest", game.chests[e.from], e.token);
    delete game.chests[e.from];
  },
  chests_laid(game) {
    game.chestShuffles += 1;
    const { chests, aside } = layChests(game.seed, game.chestShuffles, game.board);
    game.chests = chests;
    game.aside = aside;
  },
  game_won(game, e) {
    requireSame("seed", game.seed, e.seed);
    e.hands.forEach((hand, seat) => {
      requireSame("hand", game.hands[seat], hand);
    });
    requireSame("deck", game.deck, e.deck);
    requireSame("chest", game.chests, e.chests);
  },
};
