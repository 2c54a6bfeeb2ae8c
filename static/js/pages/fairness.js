// The fairness page: shows commitments and seals, and verifies a whole game in this browser.

/** @import {GameRecord, SeatLooks, Table} from "../core/types.d.ts" */

import { RefusedError } from "../core/api.js";
import { el, find, setChildren } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { seatName } from "../core/names.js";
import { getFromGame } from "../core/password_prompt.js";
import { playRecord, readRecord } from "./replay_source.js";
import { checkRecord, recordSeed } from "./verifier.js";

/**
 * The commitments, seals and nonces of a table or a record.
 * @typedef {object} Chance
 * @property {string} commitment
 * @property {string} [deal]
 * @property {(string | null)[]} nonces
 * @property {(string | null)[]} [seals]
 * @property {string | null} server_seed
 */

const page = find("[data-fairness]");
const room = /** @type {string} */ (page.dataset.room);
const checkList = find("[data-checks]", page);
const verdict = find("[data-verdict]", page);
// Missing on the page without a game.
/** @type {HTMLButtonElement} */
const checkButton = find("[data-check]", page);
/** @type {Table | null} */
let table = null;
/** @type {GameRecord | null} */
let record = null;

/**
 * @param {Chance} chance
 * @param {SeatLooks} seats
 */
function showSeals({ commitment, deal, nonces, seals, server_seed: secret }, seats) {
  find("[data-seals]", page).hidden = false;
  find("[data-commitment]", page).textContent = commitment;
  find("[data-server-seed]", page).textContent = secret ?? t("still secret");
  const whole = secret && nonces.every(Boolean);
  find("[data-seed]", page).textContent = whole
    ? recordSeed({ server_seed: secret, nonces: /** @type {string[]} */ (nonces), deal })
    : t("known after the game");
  setChildren(
    find("[data-nonces]", page),
    ...nonces.map((nonce, seat) =>
      el(
        "li",
        {},
        `${seatName(seats, seat)}: `,
        el("code", {}, nonce ?? (seals?.[seat] ? t("sealed: {seal}", { seal: seals[seat] }) : "–")),
      ),
    ),
  );
}

/**
 * @param {boolean} ok
 * @param {string} words
 */
function addCheck(ok, words) {
  checkList.append(
    el(
      ok ? "li.check-good" : "li.check-bad",
      {},
      el("span.check-sign", { "aria-hidden": "true" }, ok ? "✓" : "✗"),
      el("span.hidden", {}, ok ? t("Matches:") : t("Does not match:")),
      " ",
      words,
    ),
  );
  return ok;
}

/**
 * Add a neutral remark.
 * @param {string} words
 */
const addRemark = (words) =>
  checkList.append(
    el("li.check-remark", {}, el("span.check-sign", { "aria-hidden": "true" }, "·"), " ", words),
  );

/** @param {GameRecord} checkedRecord */
async function check(checkedRecord) {
  verdict.textContent = t("Checking…");
  verdict.className = "verdict";
  checkList.replaceChildren();
  const scheme = table !== null && table.commitment === checkedRecord.commitment ? table.scheme : null;
  let holds = false;
  try {
    holds = await checkRecord(checkedRecord, { playRecord, scheme, room: room || null, addCheck, addRemark });
  } catch {
    addCheck(false, t("This record is not complete."));
  }
  verdict.textContent = holds
    ? t("Everything matches. This game was fair.")
    : t("Something does not match. The line marked ✗ says why.");
  verdict.classList.add(holds ? "is-good" : "is-bad");
}

async function load() {
  /** @type {{ table: Table }} */
  const answer = await getFromGame(room);
  table = answer.table;
  showSeals(table, table.seats);
  if (!["finished", "aborted"].includes(table.status)) {
    find("[data-why]", page).textContent = t("The secret is shown when the game is over; come back then.");
    return;
  }
  /** @type {GameRecord} */
  const given = await getFromGame(room, "/record");
  record = given;
  // The table of a deal of the day never contains the secret; the record does.
  if (given.deal) showSeals(given, table.seats);
  checkButton.disabled = false;
}

checkButton?.addEventListener("click", () => check(/** @type {GameRecord} */ (record)));
find("#record-file", page).addEventListener("change", async (event) => {
  const [file] = /** @type {FileList} */ (/** @type {HTMLInputElement} */ (event.target).files);
  if (!file) return;
  try {
    const given = await readRecord(file);
    showSeals(given, given.players ?? []);
    await check(given);
  } catch (problem) {
    checkList.replaceChildren();
    verdict.textContent =
      problem instanceof RefusedError ? problem.message : t("This record is not complete.");
    verdict.className = "verdict is-bad";
  }
});
if (room) {
  load().catch((problem) => {
    if (!(problem instanceof RefusedError)) throw problem;
    find("[data-why]", page).textContent = problem.message;
  });
} else find("[data-why]", page).textContent = t("Choose a record file to check it.");
