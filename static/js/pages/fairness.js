// The fairness page: what was fixed when, and a check of the whole game in this browser with its own code.
import { botNonce, commitmentOf, sealOf, seedFrom, setUp } from "./chance.js";
import { compared } from "../core/sealing.js";
import { t, tn } from "../core/i18n.js";
import { seatName } from "../core/names.js";
import { Refused } from "../core/api.js";
import { getOfGame } from "../core/password_door.js";
import { Dealer, Mismatch } from "./dealer.js";
import { el, find, put } from "../core/dom.js";
import { playThrough, readRecord } from "./replay_source.js";

const page = find("[data-fairness]");
const room = page.dataset.room;
const list = find("[data-checks]", page);
const verdict = find("[data-verdict]", page);
const button = find("[data-check]", page); // only beside a game
let record = null;

/** Of a deal of the day the day stands in the place of the players' numbers. */
const seedOf = ({ server_seed: secret, nonces, deal }) => seedFrom(secret, deal ? ["deal", deal] : nonces);

function showSeals({ commitment, deal, nonces, seals, server_seed: secret }, seats) {
  find("[data-seals]", page).hidden = false;
  find("[data-commitment]", page).textContent = commitment;
  find("[data-server-seed]", page).textContent = secret ?? t("still secret");
  const whole = secret && nonces.every(Boolean);
  find("[data-seed]", page).textContent = whole ? seedOf({ server_seed: secret, nonces, deal }) : t("known after the game");
  put(find("[data-nonces]", page), ...nonces.map((nonce, seat) =>
    el("li", {}, `${seatName(seats, seat)}: `, el("code", {}, nonce ?? (seals?.[seat] ? t("sealed: {seal}", { seal: seals[seat] }) : "–"))),
  ));
}

function note(ok, words) {
  list.append(el(ok ? "li.check-good" : "li.check-bad", {}, el("span.check-sign", { "aria-hidden": "true" }, ok ? "✓" : "✗"), el("span.hidden", {}, ok ? t("Holds:") : t("Does not hold:")), " ", words));
  return ok;
}

/** Something to know that is neither good nor bad. */
const remark = (words) => list.append(el("li.check-remark", {}, el("span.check-sign", { "aria-hidden": "true" }, "·"), " ", words));

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

/** Of sealed seats: nothing that was opened before all was frozen, nothing used twice. */
function checkSeals({ commitment, nonces, players, seals, void_rounds: rounds }) {
  const people = players.flatMap(({ bot }, seat) => (bot === null ? [seat] : []));
  const fits = (seal, nonce) => Boolean(seal) && Boolean(nonce) && sealOf(commitment, nonce) === seal;
  const isSealed = players.every(({ bot }, seat) => (bot === null ? fits(seals[seat], nonces[seat]) : seals[seat] === null));
  if (!note(isSealed, tn("The number of {n} player fits the seal that was frozen before any number was shown.", "The numbers of {n} players fit the seals that were frozen before any number was shown.", people.length))) return false;
  const dead = new Set();
  let holds = true;
  for (const voided of rounds) {
    holds &&= voided.seals.every((seal, seat) => voided.nonces[seat] === null || (fits(seal, voided.nonces[seat]) && !dead.has(voided.nonces[seat])));
    holds &&= voided.missing.length > 0 && voided.seals.some((seal, seat) => seal !== null && voided.nonces[seat] === null);
    for (const nonce of voided.nonces) if (nonce !== null) dead.add(nonce);
  }
  holds &&= nonces.every((nonce) => !dead.has(nonce));
  return !rounds.length || note(holds, tn("{n} start before came to nothing, because somebody did not confirm; no number of it was used.", "{n} starts before came to nothing, because somebody did not confirm; no number of them was used.", rounds.length));
}

/** What this browser kept when it sat down, beside what the record says. */
function checkMemory(given) {
  const found = compared(given, room || null);
  if (found === "same") return note(true, t("This browser was there: fingerprint, seals and its own number are those that it kept."));
  if (found === "other") return note(false, t("This is not the game that this browser was shown when it sat down."));
  remark(
    found === "unused"
      ? t("This browser was not there when the game began: none of the numbers it made for this table is in it.")
      : t("This browser was not there: it can only check that the record agrees with itself."),
  );
  return true;
}

/** The steps in order; the first that fails ends it. Gives whether all held. */
async function check(given) {
  list.replaceChildren();
  const { server_seed: secret, commitment, nonces, options } = given;
  const isDeal = given.scheme === 3;
  if (!note(commitmentOf(secret) === commitment, t("The secret has the fingerprint that was shown before the game."))) return false;
  const bots = given.players.flatMap(({ bot }, seat) => (bot === null ? [] : [seat]));
  if (!isDeal && bots.length && !note(bots.every((seat) => nonces[seat] === botNonce(secret, seat)), t("The numbers of the bots follow from the secret; nobody could choose them."))) return false;
  if ((given.scheme ?? 1) === 2) {
    if (!checkSeals(given)) return false;
  } else if (isDeal) remark(t("A deal of the day: nobody at the table added a number, so that it is the same for everybody. That it was fixed beforehand is what its fingerprint shows."));
  else remark(t("This game was played by the older scheme: everybody's number was known as soon as they sat down."));
  if (!isDeal && !checkMemory(given)) return false;
  const seed = seedOf(given);
  note(true, isDeal ? t("The seed follows from the secret and the day, {day}.", { day: given.deal }) : t("The seed follows from the secret and every player's number."));
  const { board, hands } = setUp(options, seed);
  note(true, t("{spaces} spaces laid and {cards} cards dealt in this browser.", { spaces: board.length, cards: hands.flat().length }));
  let steps;
  try {
    steps = await playThrough(given, "all");
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    return note(false, t("The moves cannot be played from this start: {why}", { why: problem.message }));
  }
  const dealer = new Dealer(options, seed);
  try {
    dealer.checkStart(steps.view);
    note(true, t("Boards, first player and hands of the game are the same."));
    for (const { events } of steps.steps) for (const event of events) dealer.follow(event);
  } catch (problem) {
    if (!(problem instanceof Mismatch)) throw problem;
    return note(false, (WRONG[problem.what] ?? WRONG.drawn)());
  }
  note(true, tn("{n} card came as the seed says, from the first to the last.", "All {n} cards came as the seed says, from the first to the last.", dealer.cardsSeen));
  if (dealer.shuffles) note(true, tn("The discards were mixed once, as the seed says.", "The discards were mixed {n} times, as the seed says.", dealer.shuffles));
  return true;
}

async function run(given) {
  verdict.textContent = t("Checking…");
  verdict.className = "verdict";
  let holds = false;
  try {
    holds = await check(given);
  } catch {
    note(false, t("This is not a whole record."));
  }
  verdict.textContent = holds ? t("Everything holds. This game was fair.") : t("This does not hold. Boards or cards were not what chance gave.");
  verdict.classList.add(holds ? "is-good" : "is-bad");
}

async function load() {
  const { table } = await getOfGame(room);
  showSeals(table, table.seats);
  if (!["finished", "aborted"].includes(table.status)) {
    find("[data-why]", page).textContent = t("The secret is shown when the game is over; come back then.");
    return;
  }
  record = await getOfGame(room, "/record");
  if (record.deal) showSeals(record, table.seats); // a room of a deal shows no secret, whatever the day
  button.disabled = false;
}

button?.addEventListener("click", () => run(record));
find("#record-file", page).addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  try {
    const given = await readRecord(file);
    showSeals(given, given.players ?? []);
    await run(given);
  } catch (problem) {
    list.replaceChildren();
    verdict.textContent = problem instanceof Refused ? problem.message : t("This is not a whole record.");
    verdict.className = "verdict is-bad";
  }
});
if (room) {
  load().catch((problem) => {
    if (!(problem instanceof Refused)) throw problem;
    find("[data-why]", page).textContent = problem.message;
  });
} else find("[data-why]", page).textContent = t("Choose the file of a record to check it.");
