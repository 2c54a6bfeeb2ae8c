// The form for a new table. An edition sets all options; the server checks every change.

/** @import {ClockRule} from "../core/types.d.ts" */

import { post, RefusedError } from "../core/api.js";
import { createOnce, withBusyButton } from "../core/create_once.js";
import { find, findAll, namedFields, readJsonBlock, targetOf } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";
import { storeHostPassword } from "../core/room_password.js";
import { SCREEN_TABLE_FIELDS, screenPath } from "../core/screen_table.js";
import { startGame, takeSeat } from "../core/take_seat.js";
import { toastOnNextPage } from "../core/toast.js";
import { countBotGame, isNewcomer } from "../table/first_games.js";
import { ensureName } from "./player_name.js";
import { RatedChoice } from "./rated_choice.js";

/**
 * The preset, the number of players and the options that differ from the preset.
 * @typedef {{ preset: string, players: number, [option: string]: string | number | boolean }} ChosenOptions
 *
 * @typedef {object} TableRequest
 * @property {ChosenOptions} options
 * @property {string} visibility
 * @property {ClockRule} clock
 * @property {boolean} spectators
 * @property {boolean} hints
 * @property {string[]} bots
 * @property {string} [password]
 * @property {string} [on_timeout]
 * @property {number} [absence]
 * @property {boolean} [rated]
 */

/** @type {HTMLFormElement} */
const form = find("[data-new-table]");
const presets = readJsonBlock("presets");
const message = find("[data-said]", form);
/** @type {HTMLInputElement[]} */
const fields = findAll("[data-of]", form);
// Whether the person has decided about hints. Until then they are on in a newcomer's games against bots alone.
let isHintsTouched = false;
// Whether the table is for a big screen in this browser.
const isForScreen = "forScreen" in form.dataset;
const ratedChoice = RatedChoice(form);

/**
 * @param {string} name
 * @param {string | number | boolean} value
 */
function writeOption(name, value) {
  for (const field of fields.filter((other) => other.name === name)) {
    if (field.dataset.of === "choice") field.checked = field.value === value;
    else if (field.dataset.of === "flag") field.checked = Boolean(value);
    else field.value = String(value);
  }
}

/** @param {HTMLInputElement} field */
function readOption(field) {
  if (field.dataset.of === "flag") return field.checked;
  if (field.dataset.of === "number") return Number(field.value);
  if (field.dataset.of === "seat") return field.value === "random" ? "random" : Number(field.value);
  return field.value;
}

/** @param {string} name */
const fieldValue = (name) => namedFields(form)[name].value;

/** Return the preset, the number of players and the options that differ from the preset. */
function readOptions() {
  const preset = fieldValue("preset");
  /** @type {ChosenOptions} */
  const chosen = { preset, players: Number(fieldValue("players")) };
  for (const field of fields) {
    if (field.dataset.of === "choice" && !field.checked) continue;
    const value = readOption(field);
    if (value !== presets[preset][field.name]) chosen[field.name] = value;
  }
  return chosen;
}

function applyPreset() {
  for (const [name, value] of Object.entries(presets[fieldValue("preset")])) writeOption(name, value);
  update();
}

function showDependentFields() {
  const players = Number(fieldValue("players"));
  for (const field of /** @type {HTMLInputElement[]} */ (findAll('[name="bots"]', form))) {
    field.disabled = Number(field.value) >= players;
    if (field.disabled && field.checked) {
      /** @type {HTMLInputElement} */
      const fewer = find(`[name="bots"][value="${players - 1}"]`, form);
      fewer.checked = true;
    }
  }
  for (const option of /** @type {HTMLOptionElement[]} */ (findAll('select[name="first"] option', form))) {
    option.disabled = option.value !== "random" && Number(option.value) >= players;
  }
  const chosen = clockInput();
  find("[data-when-bots]", form).hidden = fieldValue("bots") === "0";
  if (!isHintsTouched && isNewcomer())
    namedFields(form).hints.checked = Number(fieldValue("bots")) === Number(fieldValue("players")) - 1;
  ratedChoice.update({ players, bots: Number(fieldValue("bots")) });
  find("[data-when-password]", form).hidden = fieldValue("visibility") !== "password";
  find("[data-when-timed]", form).hidden = !("isTimed" in chosen.dataset);
  find("[data-when-untimed]", form).hidden = "isCorrespondence" in chosen.dataset;
  for (const part of findAll("[data-when-clock]", form))
    part.hidden = part.dataset.whenClock !== chosen.value;
}

let checkCount = 0;
// Keeps the result of the submit button visible until something changes.
let isResultShown = false;
/** Let the server check the options for conflicts. Only the answer to the latest request counts. */
async function checkOptions() {
  const thisCheck = ++checkCount;
  const answer = await fetch("/new/check", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(readOptions()),
  }).catch(() => null);
  if (thisCheck !== checkCount || !answer?.ok) return;
  showConflicts((await answer.json()).conflicts);
}

/** @param {{ options: string[], sentence: string }[]} conflicts */
function showConflicts(conflicts) {
  for (const place of findAll("[data-conflict]", form)) place.textContent = "";
  for (const { options: names, sentence } of conflicts) {
    for (const name of names) {
      const place = find(`[data-option="${name}"] [data-conflict]`, form);
      if (place) place.textContent = sentence;
    }
  }
  if (!isResultShown) message.textContent = conflicts.map((conflict) => conflict.sentence).join(" ");
  if (conflicts.length) /** @type {HTMLDetailsElement} */ (find("[data-more]", form)).open = true;
  const changes = Object.keys(readOptions()).length - 2;
  find("[data-changed]", form).textContent = changes
    ? tn("{n} option changed", "{n} options changed", changes)
    : "";
}

let checkTimer = 0;
function update() {
  isResultShown = false;
  showDependentFields();
  clearTimeout(checkTimer);
  checkTimer = setTimeout(checkOptions, 150);
}

/** Return the radio button of the chosen clock. */
const clockInput = () => /** @type {HTMLInputElement} */ (find('[name="clock"]:checked', form));

/** Return the chosen clock with its numbers. */
function readClock() {
  const kind = clockInput().value;
  const fields = /** @type {HTMLInputElement[]} */ (findAll(`[data-when-clock="${kind}"] input`, form));
  const numbers = fields.map(({ dataset, value }) => [dataset.field, Number(value) * Number(dataset.unit)]);
  return { kind, ...Object.fromEntries(numbers) };
}

function readRequest() {
  const locked = fieldValue("visibility") === "password";
  /** @type {TableRequest} */
  const body = {
    options: readOptions(),
    visibility: locked ? "open" : fieldValue("visibility"),
    clock: readClock(),
    spectators: namedFields(form).spectators.checked,
    hints: namedFields(form).hints.checked,
    bots: Array.from({ length: Number(fieldValue("bots")) }, () => fieldValue("level")),
  };
  if (locked) body.password = fieldValue("password");
  const { isTimed, isCorrespondence } = clockInput().dataset;
  if (isTimed !== undefined) body.on_timeout = fieldValue("on_timeout");
  if (isCorrespondence === undefined) body.absence = Number(fieldValue("absence"));
  if (ratedChoice.isRated()) body.rated = true;
  if (isForScreen) Object.assign(body, SCREEN_TABLE_FIELDS);
  return body;
}

/** @param {SubmitEvent} event */
async function create(event) {
  event.preventDefault();
  isResultShown = true;
  message.textContent = "";
  if (fieldValue("visibility") === "password" && !fieldValue("password").trim()) {
    message.textContent = t("Choose a password for the table first.");
    namedFields(form).password.focus();
    return;
  }
  try {
    await withBusyButton(find('[type="submit"]', form), openTable);
  } catch (problem) {
    if (!(problem instanceof RefusedError)) throw problem;
    message.textContent = problem.message;
  }
}

async function openTable() {
  if (isForScreen) {
    const request = readRequest();
    const { id } = await createOnce("/games", request);
    // The screen needs the password to watch.
    if (request.password) storeHostPassword(id, request.password);
    location.assign(screenPath(id));
    return;
  }
  await ensureName();
  const request = readRequest();
  const table = await createOnce("/games", request);
  const { id } = table;
  // To show it to the host, who does not need it to enter.
  if (request.password) storeHostPassword(id, request.password);
  await takeSeat(id, table);
  if (request.bots.length === request.options.players - 1) {
    countBotGame(id);
    await startGame(id);
  }
  if (form.dataset.invited)
    await post(`/games/${encodeURIComponent(id)}/invitations`, { player: form.dataset.invited }).then(
      () => toastOnNextPage(t("Invitation sent, if they accept invitations.")),
      (problem) => toastOnNextPage(problem.message),
    );
  location.assign(`/g/${encodeURIComponent(id)}`);
}

form.addEventListener("change", (event) =>
  /** @type {HTMLInputElement} */ (event.target).name === "preset" ? applyPreset() : update(),
);
form.addEventListener("click", (event) => {
  const step = /** @type {HTMLElement | null} */ (targetOf(event).closest?.("[data-step]"));
  if (!step) return;
  /** @type {HTMLInputElement} */
  const input = find("input", /** @type {HTMLElement} */ (step.parentElement));
  const next = Number(input.value) + Number(step.dataset.step);
  input.value = String(Math.min(Math.max(next, Number(input.min)), Number(input.max)));
  update();
});
namedFields(form).hints.addEventListener("change", () => {
  isHintsTouched = true;
});
form.addEventListener("submit", create);
applyPreset();
