// Events as sentences, for the log and the live region, and the moves that a log line shows on the board.
// An event contains only what its viewer may know, so a sentence names a card only if the event does.

/** @import {Actor, Card, EventOf, EventType, GameEvent, MoveEvent, Pending, Place, SeatLooks, Trace, View} from "./types.d.ts" */

import { formatList, N_, t, tn } from "./i18n.js";
import { cardObject, describeCardObjects, describeCards, fromToWords, placeAt, seatName } from "./names.js";

/**
 * @typedef {object} Context
 * @property {(seat: number) => string} name
 * @property {View} view
 * @property {(e: { from: Place, to: Place }) => { from: string, to: string }} fromTo
 */

/** @type {Record<string, string>} */
const chestTokenNames = {
  1: N_("one card"),
  2: N_("two cards"),
  3: N_("three cards"),
  empty: N_("it is empty"),
  snake: N_("a snake"),
};

/** @typedef {(e: GameEvent, c: Context) => string} Sentence */

/** @type {{ [T in EventType]?: (e: EventOf<T>, c: Context) => string }} */
const eventSentences = {
  advanced: (e, c) =>
    t("{name} plays {card} and moves {from} {to}.", {
      name: c.name(e.seat),
      card: cardObject(e.card),
      ...c.fromTo(e),
    }),
  retreated: (e, c) => t("{name} retreats {from} {to}.", { name: c.name(e.seat), ...c.fromTo(e) }),
  morgan_moved: (e, c) =>
    t("{name} sends one of {other}'s pirates {from} {to}.", {
      name: c.name(e.seat),
      other: c.name(e.player),
      ...c.fromTo(e),
    }),
  sailed: (e, c) => sailSentence(e, c.name(e.seat)),
  rested: (e, c) => t("{name} draws a relief card.", { name: c.name(e.seat) }),
  cards_drawn: (e, c) =>
    e.cards
      ? t("{name} draws {cards}.", { name: c.name(e.seat), cards: describeCardObjects(e.cards) })
      : tn("{name} draws {n} card.", "{name} draws {n} cards.", e.count, { name: c.name(e.seat) }),
  row_laid: (e) => t("A new row is laid out: {cards}.", { cards: describeCards(e.cards) }),
  deck_shuffled: (e) =>
    tn(
      "The discards become a new deck of {n} card.",
      "The discards become a new deck of {n} cards.",
      e.count,
    ),
  turn_passed: (e, c) =>
    e.forced
      ? t("{name} cannot do anything and passes; {other} is next.", {
          name: c.name(e.seat),
          other: c.name(e.next),
        })
      : t("{name} ends their turn; {other} is next.", { name: c.name(e.seat), other: c.name(e.next) }),
  stalemate_broken: () => t("No one could move, so everyone draws a card."),
  resigned: (e, c) => t("{name} resigns.", { name: c.name(e.seat) }),
  pistol_aimed: (e, c) =>
    t("{name} points a pistol at {other} and looks at their hand.", {
      name: c.name(e.seat),
      other: c.name(e.player),
    }),
  card_stolen: (e, c) =>
    e.card
      ? t("{name} takes {card} from {other}.", {
          name: c.name(e.seat),
          other: c.name(e.from),
          card: cardObject(e.card),
        })
      : t("{name} takes a card from {other}.", { name: c.name(e.seat), other: c.name(e.from) }),
  steal_lapsed: (e, c) => t("No card is taken from {other}.", { other: c.name(e.from) }),
  rum_poured: (e, c) => t("{name} pours rum and draws cards to share.", { name: c.name(e.seat) }),
  lantern_lit: (e, c) =>
    t("{name} lights a lantern and looks at the top of the deck.", { name: c.name(e.seat) }),
  cards_shared: sharedSentence,
  cards_stacked: (e, c) =>
    e.keep
      ? t("{name} keeps {card} and puts the rest back on the deck.", {
          name: c.name(e.seat),
          card: cardObject(e.keep),
        })
      : t("{name} keeps a card and puts the rest back on the deck.", { name: c.name(e.seat) }),
  parrot_advanced: (e, c) =>
    t("{name} plays two parrots as {card} and moves {from} {to}.", {
      name: c.name(e.seat),
      card: cardObject(e.as),
      ...c.fromTo(e),
    }),
  hook_advanced: (e, c) =>
    t("{name} plays a hook with {card} and moves two pirates {from} {to}.", {
      name: c.name(e.seat),
      card: cardObject(e.with),
      ...c.fromTo(e),
    }),
  chest_opened: (e, c) =>
    t("{name} opens the chest {at}: {what}.", {
      name: c.name(e.seat),
      at: placeAt(c.view, e.from),
      what: t(chestTokenNames[e.token]),
    }),
  snake_struck: (e, c) =>
    e.from === e.to
      ? t("{name}'s pirate stays where it is.", { name: c.name(e.seat) })
      : t("{name}'s pirate flees {from} {to}.", { name: c.name(e.seat), ...c.fromTo(e) }),
  chests_laid: () => t("All chests are shuffled and laid out again."),
  discard_owed: (e, c) =>
    tn(
      "A dark card was played: {who} has to discard down to seven cards.",
      "A dark card was played: {who} have to discard down to seven cards.",
      Object.keys(e.owed).length,
      { who: formatList(Object.keys(e.owed).map((seat) => c.name(Number(seat)))) },
    ),
  cards_discarded: (e, c) =>
    t("{name} discards {cards}.", { name: c.name(e.seat), cards: describeCardObjects(e.cards) }),
  game_won: (e, c) => t("{name} has won!", { name: c.name(e.seat) }),
};

/**
 * @param {EventOf<"sailed">} event
 * @param {string} name
 */
function sailSentence({ to, free }, name) {
  if (to === "tortuga")
    return free
      ? t("{name} is captain and sails to Tortuga without using an action.", { name })
      : t("{name} sails to Tortuga.", { name });
  return free
    ? t("{name} is captain and sails to Cartagena without using an action.", { name })
    : t("{name} sails to Cartagena.", { name });
}

/**
 * @param {EventOf<"cards_shared">} e
 * @param {Context} c
 */
function sharedSentence(e, c) {
  const name = c.name(e.seat);
  const open = Object.entries(e.give).filter(([, card]) => card);
  const parts = [
    e.keep
      ? t("{name} keeps {cards} and gives one card to each of the others.", {
          name,
          cards: describeCardObjects(e.keep),
        })
      : tn(
          "{name} keeps {n} card and gives one to each of the others.",
          "{name} keeps {n} cards and gives one to each of the others.",
          e.kept,
          { name },
        ),
  ];
  for (const [seat, card] of open)
    parts.push(
      t("{name} gets {card}.", { name: c.name(Number(seat)), card: cardObject(/** @type {Card} */ (card)) }),
    );
  return parts.join(" ");
}

/**
 * Whether a pirate moves in this event.
 * @param {GameEvent} e
 * @returns {e is MoveEvent}
 */
export const isMove = (e) =>
  e.from !== undefined && e.to !== undefined && !["card_stolen", "steal_lapsed"].includes(e.type);

/**
 * Return the moves among the events as {from, to, seat}; `seat` is the pirate's.
 * @param {GameEvent[]} events
 * @returns {Trace[]}
 */
export const tracesOf = (events) =>
  events.filter(isMove).map(({ from, to, seat, player }) => ({ from, to, seat: player ?? seat }));

/**
 * Describe events as {text, texts, seat, traces}. `texts` has one sentence each; `text` is empty if there is nothing to
 * say.
 * @param {GameEvent[]} events
 * @param {View} view
 * @param {SeatLooks} seats
 * @param {Actor} [by]
 */
export function describeEvents(events, view, seats, by) {
  /** @type {Context} */
  const context = {
    name: (seat) => seatName(seats, seat),
    view,
    fromTo: (e) => fromToWords(view, e.from, e.to),
  };
  // A resignation says who is next no more than the end of the game: often it ends the game.
  const resigned = events.find(({ type }) => type === "resigned")?.seat;
  const texts = events
    .filter((event) => event.type !== "turn_passed" || event.seat !== resigned)
    .map((event) => /** @type {Sentence | undefined} */ (eventSentences[event.type])?.(event, context))
    .filter(/** @returns {text is string} */ (text) => Boolean(text));
  if (by === "clock" && texts.length) texts.unshift(t("Time is up."));
  return {
    text: texts.join(" "),
    texts,
    seat: events.find((e) => e.seat !== undefined)?.seat ?? null,
    traces: tracesOf(events),
  };
}

/** @type {Record<string, string>} */
const tableEntrySentences = {
  seated: N_("{name} sits down."),
  left: N_("A seat is empty again."),
  asked: N_("{name} has not confirmed yet and is being asked once more."),
  voided: N_("The game did not start: {name} did not confirm."),
  started: N_("The game starts."),
  undo: N_("{name} undoes their last action."),
  paused: N_("The game is paused."),
  continued: N_("The game continues."),
  takeover: N_("A bot is now playing for {name}."),
  returned: N_("{name} is back."),
  aborted: N_("The game was ended without a winner."),
  absent: N_("{name} is absent."),
  waited: N_("The table is waiting for {name}."),
  rematch: N_("There is a new table for a rematch."),
  host: N_("{name} is now the host."),
  credited: N_("The server was down; the lost time has been given back."),
};

/**
 * Describe a log entry that is not a game action; "" if it needs no line.
 * @param {string} kind
 * @param {number | null | undefined} seat
 * @param {SeatLooks} seats
 * @param {string} [name] Of the player meant, if not the one who has the seat now.
 */
export function describeTableEntry(kind, seat, seats, name) {
  const sentence = tableEntrySentences[kind];
  if (!sentence) return "";
  return t(sentence, { name: name ?? (seat === undefined || seat === null ? "" : seatName(seats, seat)) });
}

/**
 * Describe a pending choice as everyone may know it.
 * @param {Pending} pending
 * @param {SeatLooks} seats
 */
export function describePending(pending, seats) {
  if (pending.kind === "discard") {
    const names = Object.keys(pending.owed).map((seat) => seatName(seats, Number(seat)));
    return tn(
      "{who} has to choose cards to discard.",
      "{who} have to choose cards to discard.",
      names.length,
      { who: formatList(names) },
    );
  }
  const name = seatName(seats, pending.seat);
  if (pending.kind === "steal")
    return t("{name} is choosing a card to take from {other}.", {
      name,
      other: seatName(seats, pending.from),
    });
  if (pending.kind === "share")
    return t("{name} is choosing which cards to keep and which to give.", { name });
  return t("{name} is choosing a card by lantern light.", { name });
}
