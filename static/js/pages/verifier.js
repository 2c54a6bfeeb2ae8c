// Checks a record with this browser's own code: its chance, its cards and its result. It knows no page.
import { botNonce, commitmentOf, sealOf, seedFrom, setUp } from "./chance.js";
import { Dealer, Mismatch } from "./dealer.js";
import { Refused } from "../core/api.js";
import { fold } from "../core/fold.js";
import { t, tn } from "../core/i18n.js";
import { compared } from "../core/sealing.js";

/** The seed of a record. In a deal of the day the day stands in the place of the players' numbers. */
export const seedOf = ({ server_seed: secret, nonces, deal }) => seedFrom(secret, deal ? ["deal", deal] : nonces);

const WRONG = {
  board: () => t("The boards are not those of the seed."),
  first: () => t("Another player began than the seed says."),
  hand: () => t("A hand does not hold the cards that were dealt and drawn."),
  row: () => t("The open row is not the one of the seed."),
  drawn: () => t("A card was drawn that did not lie on top of the deck."),
  played: () => t("A card was played that its player did not hold."),
  deck: () => t("The deck at the end is not the one of the seed."),
  chest: () => t("A chest token is not the one of the seed."),
};

/** Whether each person's number fits its seal, each void round is one, and no seal was used twice. */
function checkSeals({ commitment, nonces, players, seals, void_rounds: rounds }, { note }) {
  const people = players.flatMap(({ bot }, seat) => (bot === null ? [seat] : []));
  const fits = (seal, nonce) => Boolean(seal) && Boolean(nonce) && sealOf(commitment, nonce) === seal;
  const isSealed = players.every(({ bot }, seat) => (bot === null ? fits(seals[seat], nonces[seat]) : seals[seat] === null));
  if (!note(isSealed, tn("The number of {n} player fits the seal that was frozen before any number was shown.", "The numbers of {n} players fit the seals that were frozen before any number was shown.", people.length))) return false;
  // A seat is missing that had a seal and did not open it.
  const isMissing = (voided, seat) => Boolean(voided.seals[seat]) && voided.nonces[seat] === null;
  const isVoid = (voided) =>
    voided.nonces.every((nonce, seat) => nonce === null || fits(voided.seals[seat], nonce)) &&
    voided.missing.length > 0 && voided.missing.every((seat) => isMissing(voided, seat));
  const shown = [seals, ...rounds.map((voided) => voided.seals)].flat().filter((seal) => seal !== null);
  const holds = rounds.every(isVoid) && new Set(shown).size === shown.length;
  if (!rounds.length && holds) return true;
  return note(holds, tn("{n} start before came to nothing, because somebody did not confirm; no number of it was used.", "{n} starts before came to nothing, because somebody did not confirm; no number of them was used.", rounds.length));
}

/** What this browser kept when it sat down, beside what the record says. `scheme`: that of the table, if it is known. */
function checkMemory(record, { room, scheme, note, remark }) {
  const found = compared(record, room);
  if (found === "same") return note(true, t("This browser was there: fingerprint, seals and its own number are those that it kept."));
  if (found === "other") return note(false, t("This is not the game that this browser was shown when it sat down."));
  if (scheme === null && (record.scheme ?? 1) === 1) return note(false, t("This record has no seals, so nothing in it shows where the players' numbers came from. Check the game on its own page."));
  remark(
    found === "unused"
      ? t("This browser was not there when the game began: none of the numbers it made for this table is in it.")
      : t("This browser was not there: it can only check that the record agrees with itself."),
  );
  return true;
}

const sameList = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** How far a seat's pirates have come, all together; aboard counts as the last space of the passage. */
function spacesReached({ options, board }, { pirates }) {
  const reached = { start: 0, sloop: options.passage_boards * 6, goal: board.length + 1 };
  return pirates.reduce((sum, place) => sum + (reached[place] ?? place), 0);
}

/** The place of each seat, equal ones shared: the winner, then pirates at the goal, spaces reached, cards in hand. */
function placesOf(view) {
  const ranks = view.players.map((player, seat) => [
    Number(seat === view.winner), player.pirates.filter((place) => place === "goal").length, spacesReached(view, player), player.hand.length,
  ]);
  const isBefore = (one, other) => {
    const at = one.findIndex((value, index) => value !== other[index]);
    return at >= 0 && one[at] > other[at];
  };
  return ranks.map((own) => 1 + ranks.filter((other) => isBefore(other, own)).length);
}

/** Whether winner, places and reason are those of the last position. */
function isResult({ result, players, actions }, view) {
  const { winner, places, reason } = result;
  if (reason === "aborted") return winner === null && places === null && view.winner === null;
  if (reason === "resigned" && winner === null) {
    // Every person has resigned and only bots are left: they share the first place.
    const people = players.flatMap(({ bot }, seat) => (bot === null ? [seat] : []));
    const order = actions.filter(({ action }) => action.type === "resign").map(({ seat }) => seat);
    const expected = players.map((_, seat) => (order.includes(seat) ? players.length - order.indexOf(seat) : 1));
    return view.winner === null && people.length > 0 && people.every((seat) => view.players[seat].resigned) && sameList(places, expected);
  }
  if (view.winner === null || view.winner !== winner) return false;
  const isHome = view.players[winner].pirates.every((place) => place === "goal");
  return reason === (isHome ? "goal" : "resigned") && sameList(places, placesOf(view));
}

/**
 * Check a record step by step; the first step that fails ends it. Resolves to whether all held.
 * `playThrough(record)` gives the opening and the events of each action; `note(holds, words)` reports a step and returns
 * `holds`; `remark(words)` reports what is neither good nor bad. `scheme` is that of the table, null if it is not known;
 * `room` the table whose memory is compared, null for the one with the record's fingerprint.
 */
export async function checkRecord(record, { playThrough, scheme = null, room = null, note, remark }) {
  const { server_seed: secret, commitment, nonces, options } = record;
  const isDeal = record.scheme === 3;
  if (scheme !== null && !note(scheme === (record.scheme ?? 1), t("The record is of the same scheme as its table."))) return false;
  if (!note(commitmentOf(secret) === commitment, t("The secret has the fingerprint that was shown before the game."))) return false;
  const bots = record.players.flatMap(({ bot }, seat) => (bot === null ? [] : [seat]));
  if (!isDeal && bots.length && !note(bots.every((seat) => nonces[seat] === botNonce(secret, seat)), t("The numbers of the bots follow from the secret; nobody could choose them."))) return false;
  if ((record.scheme ?? 1) === 2) {
    if (!checkSeals(record, { note })) return false;
  } else if (isDeal) remark(t("A deal of the day: nobody at the table added a number, so that it is the same for everybody. That it was fixed beforehand is what its fingerprint shows."));
  else remark(t("This game was played by the older scheme: everybody's number was known as soon as they sat down."));
  if (!isDeal && !checkMemory(record, { room, scheme, note, remark })) return false;
  const seed = seedOf(record);
  note(true, isDeal ? t("The seed follows from the secret and the day, {day}.", { day: record.deal }) : t("The seed follows from the secret and every player's number."));
  const { board, hands } = setUp(options, seed);
  note(true, t("{spaces} spaces laid and {cards} cards dealt in this browser.", { spaces: board.length, cards: hands.flat().length }));
  let played;
  try {
    played = await playThrough(record);
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    return note(false, t("The moves cannot be played from this start: {why}", { why: problem.message }));
  }
  const { view, steps } = played;
  const dealer = new Dealer(options, seed);
  try {
    dealer.checkStart(view);
    note(true, t("Boards, first player and hands of the game are the same."));
    for (const { events } of steps) {
      for (const event of events) {
        dealer.follow(event);
        fold(view, event, null);
      }
    }
  } catch (problem) {
    if (!(problem instanceof Mismatch)) throw problem;
    return note(false, (WRONG[problem.what] ?? WRONG.drawn)());
  }
  note(true, tn("{n} card came as the seed says, from the first to the last.", "All {n} cards came as the seed says, from the first to the last.", dealer.cardsSeen));
  if (dealer.shuffles) note(true, tn("The discards were mixed once, as the seed says.", "The discards were mixed {n} times, as the seed says.", dealer.shuffles));
  return note(isResult(record, view), t("Winner and places follow from the moves."));
}
