// The lobby: tables that come and go by themselves, and the ways into a game.
import { ago, N_, t, tn } from "../core/i18n.js";
import { post, Refused } from "../core/api.js";
import { createOnce, pressed } from "../core/creating.js";
import { el, find, findAll, put } from "../core/dom.js";
import { lobbySocket } from "../core/lobby_socket.js";
import { personName, presetName } from "../core/names.js";
import { fullRefusal } from "../core/refusals.js";
import { randomHex } from "../core/random.js";
import { openForRoom, screenPage } from "../core/room_table.js";
import { toast, toastNext } from "../core/toast.js";
import { announceTurns } from "../core/turn_notice.js";
import { variants } from "./variants.js";
import { nameForm, ensureName } from "./name.js";
import { begin, sitAt } from "../core/sitting.js";

const LISTS = ["mine", "open", "watch"];
const rooms = { mine: new Map(), open: new Map(), watch: new Map() };
let offset = 0; // server time minus ours

const order = {
  mine: (a, b) => Number(Boolean(b.my_turn)) - Number(Boolean(a.my_turn)) || (a.due ?? Infinity) - (b.due ?? Infinity),
  open: (a, b) => (b.at ?? 0) - (a.at ?? 0),
  watch: (a, b) => (b.watching ?? 0) - (a.watching ?? 0) || (b.at ?? 0) - (a.at ?? 0),
};

// keyed by what the server calls them
const clockNames = { turn: N_("Per turn"), bank: N_("Time bank"), days: N_("Days per turn") };
function seatDots(room) {
  const dots = Array.from({ length: room.seats ?? 0 }, (_, n) =>
    el(n < (room.taken ?? 0) ? "i.dot.dot-taken" : "i.dot", { "aria-hidden": "true" }),
  );
  return el("span.dots", {}, ...dots, el("span.hidden", {}, t("{taken} of {seats} seats taken", room)));
}

function facts(room) {
  const words = [room.title && presetName(room.preset), ...variants(room.variant ?? [])];
  if (room.clock in clockNames) words.push(t(clockNames[room.clock]));
  if (room.bots) words.push(tn("{n} bot", "{n} bots", room.bots));
  if (room.watching) words.push(tn("{n} watching", "{n} watching", room.watching));
  if (room.locked) words.push(t("needs a password"));
  return el("p.table-facts", {}, words.filter(Boolean).join(" · "));
}

function wayIn(list, room) {
  const href = `/g/${encodeURIComponent(room.id)}`;
  if (list === "watch") return el("a.button.button-small.button-quiet", { href }, t("Watch"));
  if (list === "mine") {
    const words = room.my_turn ? t("Your turn") : room.status === "open" ? t("To the table") : t("Continue");
    const way = el(room.my_turn ? "a.button.button-small.button-main" : "a.button.button-small", { href }, words);
    return isAgainstBots(room) ? el("span.table-ways", {}, way, leaveButton(room)) : way;
  }
  return el("button.button.button-small.button-main", { type: "button", onclick: (event) => join(room, event.currentTarget) }, t("Join"));
}

/** Nobody is left alone by whoever leaves such a game. */
const isAgainstBots = (room) => room.status === "running" && room.bots > 0 && room.taken - room.bots === 1;

function leaveButton(room) {
  const label = t("Leave {table} for good", { table: room.title || presetName(room.preset) });
  const onclick = (event) => leave(room, event.currentTarget);
  return el("button.button.button-small.button-quiet", { type: "button", "aria-label": label, title: label, onclick }, t("Leave"));
}

function row(list, room) {
  const names = (room.names ?? []).map(personName);
  const due = room.due ? el("span.due", {}, t("Move due {when}", { when: ago((room.due - Date.now() - offset) / 1000) })) : null;
  return el(
    room.my_turn ? "li.table-row.my-turn" : "li.table-row",
    { "data-room": room.id },
    el(
      "div.table-words",
      {},
      el("h3.table-name", {}, room.title || presetName(room.preset)),
      facts(room),
      el("p.table-people", {}, seatDots(room), names.join(", "), due),
    ),
    wayIn(list, room),
  );
}

function show(list) {
  const section = find(`[data-list="${list}"]`);
  const all = [...rooms[list].values()].sort(order[list]);
  put(find("[data-rows]", section), ...all.map((room) => row(list, room)));
  find("[data-count]", section).textContent = all.length ? String(all.length) : "";
  const empty = find("[data-empty]", section);
  if (empty) empty.hidden = all.length > 0;
  const waiting = find("[data-waiting]", section);
  if (waiting) waiting.hidden = true;
  if (list === "mine") {
    section.hidden = all.length === 0;
    const turns = all.filter((room) => room.my_turn).length;
    document.title = turns ? `(${turns}) ${t("Your turn")} · Cartagena` : t("Cartagena: play online");
    announceTurns(all.filter((room) => room.my_turn));
  }
}

function receive(message) {
  if (message.t === "welcome") offset = message.now - Date.now();
  if (message.t === "lobby") {
    for (const list of LISTS) {
      rooms[list] = new Map((message[list] ?? []).map((room) => [room.id, room]));
      show(list);
    }
    const people = find("[data-people]");
    people.hidden = !message.people;
    people.textContent = tn("{n} person here", "{n} people here", message.people ?? 0);
  }
  if (message.t === "room" && rooms[message.list]) {
    const before = rooms[message.list].get(message.room.id) ?? {};
    rooms[message.list].set(message.room.id, { ...before, ...message.room });
    show(message.list);
  }
  if (message.t === "gone" && rooms[message.list]?.delete(message.id)) show(message.list);
  if (message.t === "refused") fullRefusal(message).then((sentence) => toast(sentence, "refused"));
}

function wishes() {
  const form = new FormData(find("[data-filters]"));
  const filter = {};
  if (form.get("preset")) filter.preset = form.get("preset");
  if (form.get("seats")) filter.seats = Number(form.get("seats"));
  if (form.get("clock")) filter.clock = form.get("clock");
  if (form.get("people")) filter.bots = false;
  return filter;
}

async function busy(button, work) {
  try {
    await pressed(button, async () => {
      await ensureName();
      await work();
    });
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    toast(problem.message, "refused");
  }
}

const goTo = (id) => location.assign(`/g/${encodeURIComponent(id)}`);

/** Sit down at once; a locked table asks for its password on its own page. */
function join(room, button) {
  return busy(button, async () => {
    if (!room.locked) await sitAt(room.id);
    goTo(room.id);
  });
}

/** Give up a game against bots: it ends, and goes from the list by itself. */
function leave(room, button) {
  const resign = { id: randomHex(), version: 0, action: { type: "resign" } };
  return busy(button, () => post(`/games/${encodeURIComponent(room.id)}/act`, resign));
}

/** One click from the front page into a game: a private table, bots on the other seats, started. */
function playBots(event) {
  return busy(event.currentTarget, async () => {
    const table = await createOnce("/games?make_room=true", {
      options: { preset: "jamaica", players: 3 },
      visibility: "unlisted",
      bots: ["sailor", "mate"],
    });
    const { id, ended } = table;
    if (ended?.length) toastNext(t("To make room, your oldest unfinished game without other people was ended."));
    await sitAt(id, table);
    await begin(id);
    goTo(id);
  });
}

function quickPlay(event) {
  return busy(event.currentTarget, async () => {
    const { preset, seats } = wishes();
    const table = await createOnce("/quick", { ...(preset && { preset }), ...(seats && { seats }) });
    await sitAt(table.id, table);
    goTo(table.id);
  });
}

/** The television shows the table; whoever is in the room scans its code. Nobody needs a name for that here. */
async function forRoom(event) {
  try {
    await pressed(event.currentTarget, async () => location.assign(screenPage(await openForRoom())));
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    toast(problem.message, "refused");
  }
}

const send = lobbySocket({
  onOpen() {
    send({ do: "hello", v: 1 }); // both protocols have the same lobby
    const filter = wishes();
    if (Object.keys(filter).length) send({ do: "filter", ...filter });
  },
  onMessage: receive,
  onState: (state) => document.body.classList.toggle("is-lost", state === "lost"),
});

find("[data-filters]").addEventListener("change", () => send({ do: "filter", ...wishes() }));
find("[data-filters]").addEventListener("submit", (event) => event.preventDefault());
for (const button of findAll("[data-play-bots]")) button.addEventListener("click", playBots);
for (const button of findAll("[data-quick]")) button.addEventListener("click", quickPlay);
for (const button of findAll("[data-room]")) button.addEventListener("click", forRoom);
nameForm(find("[data-name-form]"), find("#name-said"));

