// Verifies a record with this browser's own code: seeds, cards and result. No DOM.

/** @import {Card, GameRecord, Player, Replay, View, VoidRound} from "../core/types.d.ts" */

import { RefusedError } from "../core/api.js";
import { fold } from "../core/fold.js";
import { t, tn } from "../core/i18n.js";
import { compareWithRecord } from "../core/sealing.js";
import { DeckReplay, Mismatch } from "./deck_replay.js";
import { botNonce, commitmentOf, deriveSeed, sealOf, setUp } from "./seeded_setup.js";

/**
 * Return the seed of a record. In a deal of the day the day replaces the players' nonces.
 * @param {Pick<GameRecord, "server_seed" | "nonces" | "deal">} parts
 */
export const recordSeed = ({ server_seed: secret, nonces, deal }) =>
  deriveSeed(secret, deal ? ["deal", deal] : nonces);

/**
 * `addCheck` reports a step and returns whether it holds; `addRemark` reports a neutral fact.
 * @typedef {object} Reporting
 * @property {string | null} room
 * @property {number | null} scheme
 * @property {(holds: boolean, words: string) => boolean} addCheck
 * @property {(words: string) => void} addRemark
 *
 * @typedef {object} Checking
 * @property {(record: GameRecord) => Promise<Replay>} playRecord
 * @property {number | null} [scheme]
 * @property {string | null} [room]
 * @property {Reporting["addCheck"]} addCheck
 * @property {Reporting["addRemark"]} addRemark
 */

/** @type {Record<string, () => string>} */
const MISMATCH_TEXTS = {
  board: () => t("The boards are not the ones the seed gives."),
  first: () => t("The first player is not the one the seed gives."),
  hand: () => t("A hand does not contain the cards that were dealt and drawn."),
  row: () => t("The face-up row is not the one the seed gives."),
  drawn: () => t("A card was drawn that was not on top of the deck."),
  played: () => t("A card was played that its player did not have."),
  deck: () => t("The deck at the end is not the one the seed gives."),
  chest: () => t("A chest token is not the one the seed gives."),
};

/**
 * Check that each person's nonce opens its seal, each void round is valid, and no seal was used twice.
 * @param {GameRecord} record
 * @param {Pick<Reporting, "addCheck">} reporting
 */
function checkSeals({ commitment, nonces, players, seals, void_rounds: rounds }, { addCheck }) {
  const people = players.flatMap(({ bot }, seat) => (bot === null ? [seat] : []));
  /**
   * @param {string | null} seal
   * @param {string | null} nonce
   */
  const opensSeal = (seal, nonce) =>
    Boolean(seal) && Boolean(nonce) && sealOf(commitment, /** @type {string} */ (nonce)) === seal;
  const isSealed = players.every(({ bot }, seat) =>
    bot === null ? opensSeal(seals[seat], nonces[seat]) : seals[seat] === null,
  );
  if (
    !addCheck(
      isSealed,
      tn(
        "The number of {n} player matches the seal that was fixed before any number was shown.",
        "The numbers of {n} players match the seals that were fixed before any number was shown.",
        people.length,
      ),
    )
  )
    return false;
  // A missing seat has a seal that was not opened.
  /**
   * @param {VoidRound} voided
   * @param {number} seat
   */
  const isMissing = (voided, seat) => Boolean(voided.seals[seat]) && voided.nonces[seat] === null;
  /** @param {VoidRound} voided */
  const isVoid = (voided) =>
    voided.nonces.every((nonce, seat) => nonce === null || opensSeal(voided.seals[seat], nonce)) &&
    voided.missing.length > 0 &&
    voided.missing.every((seat) => isMissing(voided, seat));
  const shown = [seals, ...rounds.map((voided) => voided.seals)].flat().filter((seal) => seal !== null);
  const holds = rounds.every(isVoid) && new Set(shown).size === shown.length;
  if (!rounds.length && holds) return true;
  return addCheck(
    holds,
    tn(
      "{n} earlier start failed because a player did not confirm; none of its numbers were used.",
      "{n} earlier starts failed because a player did not confirm; none of their numbers were used.",
      rounds.length,
    ),
  );
}

/**
 * Compare the record with what this browser stored. `scheme` is the table's, or null if unknown.
 * @param {GameRecord} record
 * @param {Reporting} reporting
 */
function checkStoredSeals(record, { room, scheme, addCheck, addRemark }) {
  const comparison = compareWithRecord(record, room);
  if (comparison === "same")
    return addCheck(
      true,
      t("This browser was there: the fingerprint, the seals and its own number are the ones it kept."),
    );
  if (comparison === "other")
    return addCheck(false, t("This is not the game that this browser was shown when you sat down."));
  if (scheme === null && (record.scheme ?? 1) === 1)
    return addCheck(
      false,
      t(
        "This record has no seals, so nothing in it shows where the players' numbers came from. Check the game on its own page.",
      ),
    );
  addRemark(
    comparison === "unused"
      ? t(
          "This browser was not there when the game started: none of the numbers it made for this table are in it.",
        )
      : t("This browser was not there: it can only check that the record is consistent."),
  );
  return true;
}

/**
 * @param {unknown} one
 * @param {unknown} other
 */
const isSameList = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Return the total progress of a seat's pirates. The sloop counts as the last space of the passage.
 * @param {View} view
 * @param {Player} player
 */
function spacesReached({ options, board }, { pirates }) {
  /** @type {Record<string, number>} */
  const reached = { start: 0, sloop: options.passage_boards * 6, goal: board.length + 1 };
  return pirates.reduce(
    (/** @type {number} */ sum, place) => sum + (reached[place] ?? /** @type {number} */ (place)),
    0,
  );
}

/**
 * Return the place of each seat by winner, pirates at the goal, spaces reached and cards in hand. Ties share a place.
 * @param {View} view
 */
function computePlaces(view) {
  const ranks = view.players.map((player, seat) => [
    Number(seat === view.winner),
    player.pirates.filter((place) => place === "goal").length,
    spacesReached(view, player),
    /** @type {Card[]} */ (player.hand).length,
  ]);
  /**
   * @param {number[]} one
   * @param {number[]} other
   */
  const isBefore = (one, other) => {
    const at = one.findIndex((value, index) => value !== other[index]);
    return at >= 0 && one[at] > other[at];
  };
  return ranks.map((own) => 1 + ranks.filter((other) => isBefore(other, own)).length);
}

/**
 * Whether winner, places and reason follow from the last position.
 * @param {GameRecord} record
 * @param {View} view
 */
function isExpectedResult({ result, players, actions }, view) {
  const { winner, places, reason } = result;
  if (reason === "aborted") return winner === null && places === null && view.winner === null;
  if (reason === "resigned" && winner === null) {
    // All people have resigned; the remaining bots share the first place.
    const people = players.flatMap(({ bot }, seat) => (bot === null ? [seat] : []));
    const order = actions.filter(({ action }) => action.type === "resign").map(({ seat }) => seat);
    const expected = players.map((_, seat) =>
      order.includes(seat) ? players.length - order.indexOf(seat) : 1,
    );
    return (
      view.winner === null &&
      people.length > 0 &&
      people.every((seat) => view.players[seat].resigned) &&
      isSameList(places, expected)
    );
  }
  if (view.winner === null || view.winner !== winner) return false;
  const isHome = view.players[winner].pirates.every((place) => place === "goal");
  return reason === (isHome ? "goal" : "resigned") && isSameList(places, computePlaces(view));
}

/**
 * Check a record step by step and stop at the first failure. Resolves to whether everything holds.
 * `playRecord(record)` returns the first view and the events of each action. `addCheck(holds, words)` reports a step and
 * returns `holds`; `addRemark(words)` reports a neutral fact. `scheme` is the table's, null if unknown. `room` is the table
 * whose stored data is compared, null for the one with the record's commitment.
 * @param {GameRecord} record
 * @param {Checking} options
 */
export async function checkRecord(record, { playRecord, scheme = null, room = null, addCheck, addRemark }) {
  const { server_seed: secret, commitment, nonces, options } = record;
  const isDeal = record.scheme === 3;
  if (
    scheme !== null &&
    !addCheck(scheme === (record.scheme ?? 1), t("The record uses the same scheme as its table."))
  )
    return false;
  if (
    !addCheck(
      commitmentOf(secret) === commitment,
      t("The secret has the fingerprint that was shown before the game."),
    )
  )
    return false;
  const bots = record.players.flatMap(({ bot }, seat) => (bot === null ? [] : [seat]));
  if (
    !isDeal &&
    bots.length &&
    !addCheck(
      bots.every((seat) => nonces[seat] === botNonce(secret, seat)),
      t("The numbers of the bots follow from the secret; no one could choose them."),
    )
  )
    return false;
  if ((record.scheme ?? 1) === 2) {
    if (!checkSeals(record, { addCheck })) return false;
  } else if (isDeal)
    addRemark(
      t(
        "This is a deal of the day: no one at the table added a number, so that it is the same for everyone. Its fingerprint shows that it was fixed beforehand.",
      ),
    );
  else
    addRemark(
      t("This game used the older scheme: every player's number was known as soon as they sat down."),
    );
  if (!isDeal && !checkStoredSeals(record, { room, scheme, addCheck, addRemark })) return false;
  const seed = recordSeed(record);
  addCheck(
    true,
    isDeal
      ? t("The seed follows from the secret and the day, {day}.", { day: record.deal })
      : t("The seed follows from the secret and every player's number."),
  );
  const { board, hands } = setUp(options, seed);
  addCheck(
    true,
    t("This browser laid out {spaces} spaces and dealt {cards} cards again.", {
      spaces: board.length,
      cards: hands.flat().length,
    }),
  );
  let played;
  try {
    played = await playRecord(record);
  } catch (problem) {
    if (!(problem instanceof RefusedError)) throw problem;
    return addCheck(
      false,
      t("The moves cannot be played from this starting position: {why}", { why: problem.message }),
    );
  }
  const { view, steps } = played;
  const deck = new DeckReplay(options, seed);
  try {
    deck.checkStart(view);
    addCheck(true, t("The boards, the first player and the hands are the same."));
    for (const { events } of steps) {
      for (const event of events) {
        deck.follow(event);
        fold(view, event, null);
      }
    }
  } catch (problem) {
    if (!(problem instanceof Mismatch)) throw problem;
    return addCheck(false, (MISMATCH_TEXTS[problem.what] ?? MISMATCH_TEXTS.drawn)());
  }
  addCheck(
    true,
    tn(
      "{n} card came as the seed says, from the first to the last.",
      "All {n} cards came as the seed says, from the first to the last.",
      deck.cardsSeen,
    ),
  );
  if (deck.shuffles)
    addCheck(
      true,
      tn(
        "The discards were shuffled once, as the seed says.",
        "The discards were shuffled {n} times, as the seed says.",
        deck.shuffles,
      ),
    );
  return addCheck(isExpectedResult(record, view), t("The winner and the ranks follow from the moves."));
}
