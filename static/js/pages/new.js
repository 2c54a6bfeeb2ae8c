// The form for a new table: an edition fills all options, each change is checked by the rules before it is sent.
import { t, tn } from "../core/i18n.js";
import { Refused } from "../core/api.js";
import { createOnce, pressed } from "../core/creating.js";
import { find, findAll, given } from "../core/dom.js";
import { keepAsHost } from "../core/room_password.js";
import { ON_SCREEN, screenPage } from "../core/room_table.js";
import { ensureName } from "./name.js";
import { begin, sitAt } from "../core/sitting.js";

const form = find("[data-new-table]");
const presets = given("presets");
const said = find("[data-said]", form);
const fields = findAll("[data-of]", form);
const isForScreen = "forScreen" in form.dataset; // for the room in which this browser is the screen

function write(name, value) {
  for (const field of fields.filter((each) => each.name === name)) {
    if (field.dataset.of === "choice") field.checked = field.value === value;
    else if (field.dataset.of === "flag") field.checked = value;
    else field.value = String(value);
  }
}

function read(field) {
  if (field.dataset.of === "flag") return field.checked;
  if (field.dataset.of === "number") return Number(field.value);
  if (field.dataset.of === "seat") return field.value === "random" ? "random" : Number(field.value);
  return field.value;
}

const checked = (name) => form.elements[name].value;

/** The preset, the players and whatever differs from the preset. */
function options() {
  const preset = checked("preset");
  const chosen = { preset, players: Number(checked("players")) };
  for (const field of fields) {
    if (field.dataset.of === "choice" && !field.checked) continue;
    const value = read(field);
    if (value !== presets[preset][field.name]) chosen[field.name] = value;
  }
  return chosen;
}

function takePreset() {
  for (const [name, value] of Object.entries(presets[checked("preset")])) write(name, value);
  update();
}

function showWhen() {
  const players = Number(checked("players"));
  for (const field of findAll('[name="bots"]', form)) {
    field.disabled = Number(field.value) >= players;
    if (field.disabled && field.checked) find(`[name="bots"][value="${players - 1}"]`, form).checked = true;
  }
  for (const option of findAll('select[name="first"] option', form)) {
    option.disabled = option.value !== "random" && Number(option.value) >= players;
  }
  const clock = checked("clock");
  find("[data-when-bots]", form).hidden = checked("bots") === "0";
  find("[data-when-password]", form).hidden = checked("visibility") !== "password";
  find("[data-when-timed]", form).hidden = clock === "none";
  find("[data-when-untimed]", form).hidden = clock === "days";
  for (const part of findAll("[data-when-clock]", form)) part.hidden = part.dataset.whenClock !== clock;
}

let asked = 0;
let answered = false; // what was said to a press of the button stays until something is changed
/** Ask the rules what does not go together; the latest question counts. */
async function check() {
  const mine = ++asked;
  const answer = await fetch("/new/check", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(options()),
  }).catch(() => null);
  if (mine !== asked || !answer?.ok) return;
  show((await answer.json()).conflicts);
}

function show(conflicts) {
  for (const place of findAll("[data-conflict]", form)) place.textContent = "";
  for (const { options: names, sentence } of conflicts) {
    for (const name of names) {
      const place = find(`[data-option="${name}"] [data-conflict]`, form);
      if (place) place.textContent = sentence;
    }
  }
  if (!answered) said.textContent = conflicts.map((each) => each.sentence).join(" ");
  if (conflicts.length) find("[data-more]", form).open = true;
  const changes = Object.keys(options()).length - 2;
  find("[data-changed]", form).textContent = changes ? tn("{n} changed", "{n} changed", changes) : "";
}

let timer = 0;
function update() {
  answered = false;
  showWhen();
  clearTimeout(timer);
  timer = setTimeout(check, 150);
}

function clock() {
  const number = (name) => Number(checked(name));
  switch (checked("clock")) {
    case "turn":
      return { kind: "turn", seconds: number("turn_seconds") };
    case "bank":
      return { kind: "bank", seconds: number("bank_minutes") * 60, increment: number("bank_increment") };
    case "days":
      return { kind: "days", days: number("turn_days") };
    default:
      return { kind: "none" };
  }
}

function order() {
  const locked = checked("visibility") === "password";
  const body = {
    options: options(),
    visibility: locked ? "open" : checked("visibility"),
    clock: clock(),
    spectators: form.elements.spectators.checked,
    hints: form.elements.hints.checked,
    bots: Array.from({ length: Number(checked("bots")) }, () => checked("level")),
  };
  if (locked) body.password = checked("password");
  if (body.clock.kind !== "none") body.on_timeout = checked("on_timeout");
  if (body.clock.kind !== "days") body.absence = Number(checked("absence"));
  if (isForScreen) Object.assign(body, ON_SCREEN);
  return body;
}

async function create(event) {
  event.preventDefault();
  answered = true;
  said.textContent = "";
  if (checked("visibility") === "password" && !checked("password").trim()) {
    said.textContent = t("Choose a password for the table first.");
    form.elements.password.focus();
    return;
  }
  try {
    await pressed(find('[type="submit"]', form), open);
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    said.textContent = problem.message;
  }
}

async function open() {
  if (isForScreen) {
    const asked = order();
    const { id } = await createOnce("/games", asked);
    if (asked.password) keepAsHost(id, asked.password); // this screen shows the table to those who know it
    location.assign(screenPage(id));
    return;
  }
  await ensureName();
  const asked = order();
  const table = await createOnce("/games", asked);
  const { id } = table;
  if (asked.password) keepAsHost(id, asked.password); // its host needs none to come in, but friends will ask
  await sitAt(id, table);
  if (asked.bots.length === asked.options.players - 1) await begin(id);
  location.assign(`/g/${encodeURIComponent(id)}`);
}

form.addEventListener("change", (event) => (event.target.name === "preset" ? takePreset() : update()));
form.addEventListener("click", (event) => {
  const step = event.target.closest?.("[data-step]");
  if (!step) return;
  const input = find("input", step.parentElement);
  const next = Number(input.value) + Number(step.dataset.step);
  input.value = String(Math.min(Math.max(next, Number(input.min)), Number(input.max)));
  update();
});
form.addEventListener("submit", create);
takePreset();
