// Events as sentences: what the log says, what the live region reads, and which move a line shows on the board.
// Cards are named only as far as the event names them, and an event names only what its viewer may know.

import { N_, list, t, tn } from "./i18n.js";
import { cardName, cardsInWords, placeAt, road, seatName, symbolName } from "./names.js";

const tokens = {
  1: N_("one card"),
  2: N_("two cards"),
  3: N_("three cards"),
  empty: N_("it is empty"),
  snake: N_("a snake"),
};

const sentences = {
  advanced: (e, c) =>
    t("{name} plays {card} and goes {from} {to}.", {
      name: c.name(e.seat),
      card: cardName(e.card),
      ...c.road(e),
    }),
  retreated: (e, c) => t("{name} falls back {from} {to}.", { name: c.name(e.seat), ...c.road(e) }),
  morgan_moved: (e, c) =>
    t("{name} sends a pirate of {other} {from} {to}.", {
      name: c.name(e.seat),
      other: c.name(e.player),
      ...c.road(e),
    }),
  sailed: (e, c) => sail(e, c.name(e.seat)),
  rested: (e, c) => t("{name} rests and takes a card.", { name: c.name(e.seat) }),
  cards_drawn: (e, c) =>
    e.cards
      ? t("{name} draws {cards}.", { name: c.name(e.seat), cards: cardsInWords(e.cards) })
      : tn("{name} draws {n} card.", "{name} draws {n} cards.", e.count, { name: c.name(e.seat) }),
  row_laid: (e) => t("A new row is laid: {cards}.", { cards: cardsInWords(e.cards) }),
  deck_shuffled: (e) =>
    tn("The discards become a new deck of {n} card.", "The discards become a new deck of {n} cards.", e.count),
  turn_passed: (e, c) =>
    e.forced
      ? t("{name} can do nothing and passes; {other} is next.", { name: c.name(e.seat), other: c.name(e.next) })
      : t("{name} ends the turn; {other} is next.", { name: c.name(e.seat), other: c.name(e.next) }),
  stalemate_broken: () => t("Nobody could move, so everybody takes a card."),
  resigned: (e, c) => t("{name} gives up.", { name: c.name(e.seat) }),
  pistol_aimed: (e, c) =>
    t("{name} points a pistol at {other} and looks at that hand.", { name: c.name(e.seat), other: c.name(e.player) }),
  card_stolen: (e, c) =>
    e.card
      ? t("{name} takes {card} from {other}.", { name: c.name(e.seat), other: c.name(e.from), card: cardName(e.card) })
      : t("{name} takes a card from {other}.", { name: c.name(e.seat), other: c.name(e.from) }),
  steal_lapsed: (e, c) => t("Nothing is taken from {other}.", { other: c.name(e.from) }),
  rum_poured: (e, c) => t("{name} pours rum and turns over cards to share.", { name: c.name(e.seat) }),
  lantern_lit: (e, c) => t("{name} lights a lantern and looks into the deck.", { name: c.name(e.seat) }),
  cards_shared: shared,
  cards_stacked: (e, c) =>
    e.keep
      ? t("{name} keeps {card} and puts the rest back on the deck.", { name: c.name(e.seat), card: cardName(e.keep) })
      : t("{name} keeps a card and puts the rest back on the deck.", { name: c.name(e.seat) }),
  parrot_advanced: (e, c) =>
    t("{name} plays two parrots as {card} and goes {from} {to}.", {
      name: c.name(e.seat),
      card: symbolName(e.as),
      ...c.road(e),
    }),
  hook_advanced: (e, c) =>
    t("{name} pulls two pirates along with hook and {card} {from} {to}.", {
      name: c.name(e.seat),
      card: cardName(e.with),
      ...c.road(e),
    }),
  chest_opened: (e, c) =>
    t("{name} opens the chest {at}: {what}.", {
      name: c.name(e.seat),
      at: placeAt(c.view, e.from),
      what: t(tokens[e.token]),
    }),
  snake_struck: (e, c) =>
    e.from === e.to
      ? t("The pirate of {name} stands its ground.", { name: c.name(e.seat) })
      : t("The pirate of {name} flees {from} {to}.", { name: c.name(e.seat), ...c.road(e) }),
  chests_laid: () => t("All chests are shuffled and laid anew."),
  discard_owed: (e, c) =>
    t("A dark card: {who} must discard down to seven.", {
      who: list(Object.keys(e.owed).map((seat) => c.name(Number(seat)))),
    }),
  cards_discarded: (e, c) => t("{name} discards {cards}.", { name: c.name(e.seat), cards: cardsInWords(e.cards) }),
  game_won: (e, c) => t("{name} has won!", { name: c.name(e.seat) }),
};

function sail({ to, free }, name) {
  if (to === "tortuga")
    return free
      ? t("{name} is captain and sails to Tortuga for free.", { name })
      : t("{name} sails to Tortuga.", { name });
  return free
    ? t("{name} is captain and sails to Cartagena for free.", { name })
    : t("{name} sails to Cartagena.", { name });
}

function shared(e, c) {
  const name = c.name(e.seat);
  const open = Object.entries(e.give).filter(([, card]) => card);
  const parts = [
    e.keep
      ? t("{name} keeps {cards} and gives one card to each of the others.", { name, cards: cardsInWords(e.keep) })
      : tn(
          "{name} keeps {n} card and gives one to each of the others.",
          "{name} keeps {n} cards and gives one to each of the others.",
          e.kept,
          { name },
        ),
  ];
  for (const [seat, card] of open)
    parts.push(t("{name} gets {card}.", { name: c.name(Number(seat)), card: cardName(card) }));
  return parts.join(" ");
}

/** The moves among events: {from, to, seat}, the seat being that of the pirate. */
export const tracesOf = (events) =>
  events
    .filter((e) => e.from !== undefined && e.to !== undefined && !["card_stolen", "steal_lapsed"].includes(e.type))
    .map(({ from, to, seat, player }) => ({ from, to, seat: player ?? seat }));

/** What a list of events says: {text, texts, seat, traces: [{from, to, seat}]}, texts one a sentence; text is empty when nothing is worth a line. */
export function eventLine(events, view, seats, by) {
  const context = {
    name: (seat) => seatName(seats, seat),
    view,
    road: (e) => road(view, e.from, e.to),
  };
  const texts = events.map((event) => sentences[event.type]?.(event, context)).filter(Boolean);
  if (by === "clock" && texts.length) texts.unshift(t("Time is up."));
  return { text: texts.join(" "), texts, seat: events.find((e) => e.seat !== undefined)?.seat ?? null, traces: tracesOf(events) };
}

const tableLines = {
  seated: N_("{name} sits down."),
  left: N_("A seat is free again."),
  asked: N_("{name} has not confirmed yet and is asked once more."),
  voided: N_("The start is void: {name} did not confirm."),
  started: N_("The game begins."),
  undo: N_("{name} takes the last action back."),
  paused: N_("The game is paused."),
  continued: N_("The game goes on."),
  takeover: N_("A bot now plays for {name}."),
  returned: N_("{name} is back."),
  aborted: N_("The game was ended without a winner."),
  absent: N_("{name} is absent."),
  waited: N_("The table waits for {name}."),
  rematch: N_("There is a new table for a rematch."),
  host: N_("{name} is now the host."),
  credited: N_("The server was away; clocks were put back."),
};

/** A line for an entry that is not a game action, or "" when it is not worth one. */
export function tableLine(kind, seat, seats) {
  const sentence = tableLines[kind];
  if (!sentence) return "";
  return t(sentence, { name: seat === undefined || seat === null ? "" : seatName(seats, seat) });
}

/** What everybody may know about what is owed: "Blue is choosing a card to take from Red." */
export function pendingText(pending, seats) {
  if (pending.kind === "discard") {
    const who = list(Object.keys(pending.owed).map((seat) => seatName(seats, Number(seat))));
    return t("{who} must choose cards to discard.", { who });
  }
  const name = seatName(seats, pending.seat);
  if (pending.kind === "steal")
    return t("{name} is choosing a card to take from {other}.", { name, other: seatName(seats, pending.from) });
  if (pending.kind === "share") return t("{name} is choosing which cards to keep and which to give.", { name });
  return t("{name} is choosing a card by lantern light.", { name });
}
