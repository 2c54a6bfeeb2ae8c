// Follows a game's events with the recomputed deck, and objects to the first card that is wrong.
import { byText, layChests, setUp, shuffle } from "./chance.js";

/** A card, token or board is not what chance gave. */
export class Mismatch extends Error {
  constructor(what, expected, found) {
    super(what);
    this.what = what;
    this.expected = expected;
    this.found = found;
  }
}

const text = (value) => JSON.stringify(value);

function same(what, expected, found) {
  if (text(expected) !== text(found)) throw new Mismatch(what, expected, found);
}

export class Dealer {
  constructor(options, seed) {
    const { board, hands, row, deck, first, chests, aside } = setUp(options, seed);
    Object.assign(this, { options, seed, board, hands, row, deck, first, chests, aside });
    this.discard = [];
    this.shuffles = 0;
    this.chestShuffles = 0;
    this.pending = [];
    this.cardsSeen = hands.flat().length + row.length;
  }

  /** The position before the first action must be the one the seed gives. */
  checkStart(view) {
    same("board", this.board, view.board);
    same("first", this.first, view.turn.seat);
    same("row", this.row, view.row);
    view.players.forEach((player, seat) => same("hand", this.hands[seat], player.hand));
    if (Array.isArray(view.deck)) same("deck", this.deck, view.deck);
  }

  take(from, cards, what) {
    for (const card of cards) {
      const at = from.indexOf(card);
      if (at < 0) throw new Mismatch(what, from.slice(), card);
      from.splice(at, 1);
    }
  }

  gain(seat, cards) {
    this.hands[seat] = [...this.hands[seat], ...cards].sort(byText);
  }

  play(seat, cards) {
    this.take(this.hands[seat], cards, "played");
    this.discard.push(...cards);
  }

  draw(cards) {
    same("drawn", this.deck.splice(0, cards.length), cards);
    this.cardsSeen += cards.length;
  }

  /** Follow one event; throws Mismatch at the first thing that does not fit. */
  follow(e) {
    this[e.type]?.(e);
  }

  advanced(e) { this.play(e.seat, [e.card]); }
  pistol_aimed(e) { same("hand", this.hands[e.player], e.hand); this.play(e.seat, [e.card]); }
  rum_poured(e) { this.play(e.seat, [e.card]); this.pending = []; }
  lantern_lit(e) { this.rum_poured(e); }
  parrot_advanced(e) { this.play(e.seat, [...e.cards].sort(byText)); }
  hook_advanced(e) { this.play(e.seat, [e.card, e.with]); }

  cards_drawn(e) {
    if (e.source === "deck") this.draw(e.cards);
    else {
      same("row", this.row.splice(0, e.cards.length), e.cards);
    }
    this.gain(e.seat, e.cards);
  }

  row_laid(e) {
    this.draw(e.cards);
    this.row.push(...e.cards);
  }

  deck_shuffled(e) {
    this.shuffles += 1;
    same("count", this.discard.length, e.count);
    this.deck = shuffle(this.seed, `deck:${this.shuffles}`, this.discard);
    this.discard = [];
  }

  resigned(e) {
    same("hand", this.hands[e.seat], e.cards);
    this.hands[e.seat] = [];
    this.discard.push(...e.cards);
  }

  card_stolen(e) {
    this.take(this.hands[e.from], [e.card], "stolen");
    this.gain(e.seat, [e.card]);
  }

  choice_dealt(e) {
    this.draw(e.cards);
    this.pending.push(...e.cards);
  }

  cards_shared(e) {
    this.take(this.pending, e.keep, "kept");
    this.gain(e.seat, e.keep);
    for (const [seat, card] of Object.entries(e.give)) {
      this.take(this.pending, [card], "given");
      this.gain(Number(seat), [card]);
    }
    this.pending = [];
  }

  cards_stacked(e) {
    this.take(this.pending, [e.keep, ...e.back], "kept");
    this.gain(e.seat, [e.keep]);
    this.deck.unshift(...e.back);
    this.pending = [];
  }

  cards_discarded(e) { this.play(e.seat, e.cards); }

  pending_discarded(e) {
    this.discard.push(...e.cards);
    this.pending = [];
  }

  chest_opened(e) {
    this.play(e.seat, [e.card]);
    same("chest", this.chests[e.from], e.token);
    delete this.chests[e.from];
  }

  chests_laid() {
    this.chestShuffles += 1;
    const { chests, aside } = layChests(this.seed, this.chestShuffles, this.board);
    this.chests = chests;
    this.aside = aside;
  }

  game_won(e) {
    same("seed", this.seed, e.seed);
    e.hands.forEach((hand, seat) => same("hand", this.hands[seat], hand));
    same("deck", this.deck, e.deck);
    same("chest", this.chests, e.chests);
  }
}
