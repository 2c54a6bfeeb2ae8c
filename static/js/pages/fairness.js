// The fairness page: what was fixed when, and a check of the whole game in this browser with its own code.
import { t } from "../core/i18n.js";
import { seatName } from "../core/names.js";
import { Refused } from "../core/api.js";
import { getOfGame } from "../core/password_door.js";
import { el, find, put } from "../core/dom.js";
import { playThrough, readRecord } from "./replay_source.js";
import { checkRecord, seedOf } from "./verifier.js";

const page = find("[data-fairness]");
const room = page.dataset.room;
const list = find("[data-checks]", page);
const verdict = find("[data-verdict]", page);
const button = find("[data-check]", page); // only beside a game
let table = null; // of the room, as the server shows it
let record = null;

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

async function run(given) {
  verdict.textContent = t("Checking…");
  verdict.className = "verdict";
  list.replaceChildren();
  const scheme = table !== null && table.commitment === given.commitment ? table.scheme : null;
  let holds = false;
  try {
    holds = await checkRecord(given, { playThrough, scheme, room: room || null, note, remark });
  } catch {
    note(false, t("This is not a whole record."));
  }
  verdict.textContent = holds ? t("Everything holds. This game was fair.") : t("This does not hold. The line marked ✗ says why.");
  verdict.classList.add(holds ? "is-good" : "is-bad");
}

async function load() {
  ({ table } = await getOfGame(room));
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
